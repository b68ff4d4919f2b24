package import PhotoModel
package import Replication

/// What the server makes of a replica's contact.
package struct ContactResponse: Hashable, Sendable {
    /// The verdict; its remedy tells what follows.
    package let verdict: ContactVerdict
    /// The replica's highest counter that was taken or refused.
    package let acknowledged: UInt64
    /// The ticket for the next contact; nil when the verdict is not to go on.
    package let ticket: String?
}

/// A replica as the operator's overview shows it.
package struct ReplicaSummary: Hashable, Sendable {
    /// The incarnation.
    package let incarnation: ReplicaID
    /// The highest counter that was taken or refused.
    package let acknowledged: UInt64
    /// When it was last in contact.
    package let lastContact: WallTime
    /// Changes that were refused.
    package let refusedCount: Int
}
