package import Authorization
package import LibraryAPI
package import PhotoModel
package import Replication

/// The server's judgement of a replica's contact.
package struct ContactJudgement: Hashable, Sendable {
    /// The verdict; its remedy says what to do.
    package let verdict: ContactVerdict
    /// The replica's highest counter that was accepted or refused.
    package let acknowledged: UInt64
    /// The ticket for the next contact; nil if the replica may not continue.
    package let ticket: String?
}

/// A contact as a device makes it, with everything that its transaction read and changed.
package struct DeviceContact: Sendable {
    /// The judgement of the replica.
    package let judgement: ContactJudgement
    /// The device's decisions.
    package let record: DecisionRecord
    /// Its profile, including what it reported.
    package let profile: DeviceProfile
}

/// What a contact is answered with, as of one moment.
package struct DeviceStanding: Sendable {
    /// The device's decisions; nil if it is unknown.
    package let record: DecisionRecord?
    /// The library and its latest change.
    package let identity: LibraryIdentity
    /// The change up to which a backup is complete, as the device is told; nil without a backup.
    package let backupWatermark: ChangeNumber?
    /// Assets saved by the device whose bytes are missing.
    package let missing: [AssetID]
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
