package import Authorization
package import LibraryAPI
package import PhotoModel
package import Replication

/// The role of a ``MetadataStore`` that stores devices: their keys, decisions, replicas and contacts.
package protocol DeviceStore: Sendable {
    /// Adds a new device with its first key and no decision; the limits hold under concurrent requests.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - profile: its own claims.
    ///   - key: its first key.
    ///   - ceiling: the most that policy allows it.
    ///   - pendingLimit: how many devices may wait for a decision, including this one.
    ///   - audit: the entry written if the device is added.
    /// - Returns: whether it was added, and if not, why.
    /// - Throws: the database's error.
    func addDevice(
        _ device: DeviceID,
        profile: DeviceProfile,
        key: DeviceKeyRecord,
        ceiling: @escaping CeilingOfTags,
        pendingLimit: Int,
        audit: AuditEntry.Content
    ) async throws -> DeviceAddition
    /// A device; nil if it is unknown.
    func device(_ id: DeviceID) async throws -> DeviceRow?
    /// All devices.
    func devices() async throws -> [DeviceRow]
    /// The device that a key belongs to; nil if the key is unknown.
    func device(withKey fingerprint: ContentDigest) async throws -> KeyOwner?
    /// The keys of a device.
    func keys(of device: DeviceID) async throws -> [DeviceKeyRecord]
    /// Adds a key to a device, or replaces its record; an unused one replaces others that were never used.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - key: the key.
    ///   - shown: the key that the device has shown. It must still be the device's in the transaction: a newer one may
    ///     have been used since the request began.
    ///   - audit: the entry of the change.
    /// - Throws: `identityMissing` if the shown key was replaced; `slowDown` after `StoreLimits.auditEntriesPerHour` keys
    ///   of the same event within an hour; `enrollmentConflict` for another device's key.
    func setKey(
        of device: DeviceID,
        to key: DeviceKeyRecord,
        showing shown: ContentDigest,
        audit: AuditEntry.Content
    ) async throws
    /// Makes a key the only one of its device.
    func useOnlyKey(_ fingerprint: ContentDigest, of device: DeviceID) async throws
    /// Changes a device's profile, in one transaction with its audit entry.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - parties: the parties whose requests the library's other servers end; the caller ends its own.
    ///   - audit: the change's entry, if any.
    ///   - body: changes the profile.
    /// - Returns: the new profile.
    /// - Throws: `notFound`, the body's error.
    func updateProfile(
        of device: DeviceID,
        closing parties: [Party],
        audit: AuditEntry.Content?,
        _ body: @escaping @Sendable (inout DeviceProfile) throws -> Void
    ) async throws -> DeviceProfile

    /// Changes the decisions about a device, in one transaction with its audit entry.
    func decide(
        _ device: DeviceID,
        _ change: DecisionRecord.Change,
        by actor: Actor,
        reason: String,
        audit: AuditContext
    ) async throws -> DecisionRecord
    /// Admits a device by a token, unless somebody decided about it before: the decision, the tags, the album and the
    /// ceiling of all of its tags, in one transaction.
    func admit(
        _ device: DeviceID,
        _ admission: DeviceAdmission,
        ceiling: @escaping CeilingOfTags,
        by actor: Actor,
        reason: String,
        audit: AuditContext
    ) async throws
    /// Applies the ceiling that policy sets for a device's tags, both read in the transaction.
    ///
    /// - Returns: whether it changed.
    func hold(
        _ device: DeviceID,
        to ceiling: @escaping CeilingOfTags,
        by actor: Actor,
        reason: String,
        audit: AuditContext
    ) async throws -> Bool
    /// Requests a level; see `AccessRequests`.
    func requestAccess(
        _ level: AccessLevel,
        for device: DeviceID,
        usage: String?,
        audit: AuditContext
    ) async throws -> AccessRequests.Outcome
    /// Answers a device's request for more assets: adds to its selection, ends the request, and notes both in the audit, in
    /// one transaction.
    ///
    /// - Throws: `notFound` if no request is open, without a change.
    func answerExpansion(
        of device: DeviceID,
        by actor: Actor,
        adding more: Selection,
        reason: String?,
        audit: AuditContext
    ) async throws
    /// Notes that a device used a level. Saving and pushing note it themselves; reading should call it once a day.
    func noteUse(of level: AccessLevel, by device: DeviceID) async throws
    /// All open requests.
    func openRequests() async throws -> [AccessRequest]
    /// Applies the deferred albums of a device, as far as its decision now allows; returns their number.
    func applyDeferredAlbums(of device: DeviceID) async throws -> Int

    /// Judges a replica's contact by its history and its ticket, issues the next ticket, and changes the device's profile
    /// in the same transaction.
    ///
    /// - Parameters:
    ///   - contact: the contact.
    ///   - ticket: the replica's ticket.
    ///   - position: where it continues the feed; it follows nothing from a position of another history or grant.
    ///   - device: the device.
    ///   - update: changes its profile, whatever the judgement.
    /// - Returns: the judgement with the next ticket, and what the transaction read.
    /// - Throws: the refusal, or the database's error.
    func contact(
        _ contact: Contact,
        ticket: String?,
        from position: ChangePosition?,
        by device: DeviceID,
        _ update: @escaping @Sendable (inout DeviceProfile) -> Void
    ) async throws -> DeviceContact
    /// What a contact of a device is answered with.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - limit: the most missing assets.
    /// - Returns: its standing.
    /// - Throws: the database's error.
    func standing(of device: DeviceID, missing limit: Int) async throws -> DeviceStanding
    /// Applies a replica's changes, each judged by its kind; a refused one does not block the others.
    func push(_ push: ChangePush, by caller: StoreCaller) async throws -> ChangePushResponse
    /// The replicas of a device, latest contact first.
    func replicas(of device: DeviceID) async throws -> [ReplicaSummary]
    /// Chooses which of a device's replicas may continue, whatever ticket they present next; an empty list means all.
    func keepReplicas(of device: DeviceID, _ kept: [ReplicaID]) async throws

    /// The progress of retiring a device; nil if it is not being retired.
    func drainProgress(of device: DeviceID) async throws -> DrainProgress?
    /// Records the report of a device being retired, whose rights end with its last one; nil for any other device.
    func reportDraining(of device: DeviceID, _ report: DrainReport, audit: AuditContext) async throws -> DrainProgress?
    /// What a device has described but not committed.
    func creations(of device: DeviceID) async throws -> [PendingUploadPage.Entry]
}

extension DeviceStore {
    /// Changes a part of a device's profile on which its requests do not depend.
    package func updateProfile(
        of device: DeviceID,
        audit: AuditEntry.Content?,
        _ body: @escaping @Sendable (inout DeviceProfile) throws -> Void
    ) async throws -> DeviceProfile {
        try await updateProfile(of: device, closing: [], audit: audit, body)
    }
}
