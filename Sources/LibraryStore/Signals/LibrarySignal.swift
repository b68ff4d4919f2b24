package import LibraryAPI

/// What the servers of one library tell each other.
package enum LibrarySignal: Hashable, Sendable {
    /// A change number grew.
    case changes
    /// A decision took a party's rights: whatever it is being answered ends.
    case closure(Party)
    /// A newer request took an upload over; `turn` counts them.
    case upload(UploadID, turn: Int64)
    /// Jobs are waiting that a change does not tell of.
    case jobs
}
