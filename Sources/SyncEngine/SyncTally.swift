/// The work of a machine.
package struct SyncTally: Hashable, Sendable {
    /// Assets committed to the library.
    package var committed = 0
    /// Their bytes.
    package var committedBytes: Int64 = 0
    /// Assets refused permanently, which became dead letters.
    package var rejected = 0
    /// Bytes appended, including repeated ones.
    package var appendedBytes: Int64 = 0
    /// Local changes accepted by the library.
    package var changesSent = 0
    /// Local changes refused permanently by the library.
    package var changesRefused = 0
    /// Entities of the view inserted, updated or removed.
    package var changesReceived = 0
    /// Entities of the view that differed from the library's and were repaired.
    package var entitiesMended = 0
    /// The last failure, in words.
    package var lastProblem: String?

    /// Nothing yet.
    package init() {}
}
