package import LibraryAPI

/// A message between the servers of one library.
package enum LibrarySignal: Hashable, Sendable {
    /// A change number grew.
    case changes
    /// A decision revoked a party's rights: its responses in progress end.
    case closure(Party)
    /// A newer request took an upload over; `turn` counts them.
    case upload(UploadID, turn: Int64)
    /// Jobs are waiting that no change announces.
    case jobs
}
