package import PhotoModel
package import Replication

/// The server's judgement of a replica's contact.
package struct ContactResponse: Hashable, Sendable {
    /// The verdict; its remedy says what to do.
    package let verdict: ContactVerdict
    /// The replica's highest counter that was accepted or refused.
    package let acknowledged: UInt64
    /// The ticket for the next contact; nil if the replica may not continue.
    package let ticket: String?
}

/// A replica as the operator's overview shows it.
package struct ReplicaSummary: Hashable, Sendable {
    /// The incarnation.
    package let incarnation: ReplicaID
    /// The highest counter that was accepted or refused.
    package let acknowledged: UInt64
    /// The time of its last contact.
    package let lastContact: WallTime
    /// The number of refused changes.
    package let refusedCount: Int
}
