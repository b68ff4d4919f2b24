package import AgentCapture
import AgentStore
package import Authorization
import BoxIdentity
package import LibraryAPI
import Persistence
package import PhotoModel

/// The box's status, as JSON.
package struct StatusDocument: Codable {
    /// The progress of retiring a box.
    package struct Retirement: Codable {
        /// Whether everything was delivered, and the box is no longer a device of the library.
        package let isEnded: Bool
        /// Captures still to be sent.
        package let remaining: Int
    }

    /// The pinned library's address; nil before the enrolment.
    package let library: String?
    /// The device that the box is; nil before it is one.
    package let deviceID: DeviceID?
    /// The beginning of the box's key fingerprint, by which administrators identify it; nil before it is a device.
    package let fingerprint: String?
    /// The box's authorization as of the last contact; nil before the first.
    package let authorization: AuthorizationResponse?
    /// Why the library rejected the box's identity when last asked, or has not answered yet; nil if it accepted it.
    package let identityHold: HoldReason?
    /// When the library first said that the device was revoked; nil unless it is.
    package let revokedAt: WallTime?
    /// The library's last response about the box's enrolment; nil unless it is pending.
    package let admission: String?
    /// The last contact with the library; nil before the first.
    package let lastContact: WallTime?
    /// Entries by state.
    package let queue: [String: Int]
    /// Bytes still to be sent.
    package let waitingBytes: Int64
    /// Held entries by reason.
    package let holds: [String: Int]
    /// Free bytes of the disk.
    package let freeBytes: Int64
    /// Local changes that have not reached the library; nil from an older service.
    package let waitingChanges: Int?
    /// Permanently refused local changes; nil from an older service.
    package let refusedChanges: [String]?
    /// Saved assets not in their requested album, by reason; nil from an older service.
    package let deferredAlbums: [String: Int]?
    /// Why there is no room for captures, and what to do; nil if there is room.
    package let noRoom: String?
    /// The progress of retiring the box; nil if it is not being retired.
    package let retirement: Retirement?
    /// The service's cameras; nil if no service is running.
    package let capture: CaptureStatus?

    /// The box's status now; blocks.
    ///
    /// - Throws: the store's error.
    package init(_ agent: Agent, capture: CaptureStatus? = nil) throws {
        self.capture = capture
        let summary = try agent.store.summary()
        library = try agent.identity.pinned()?.url
        deviceID = try agent.identity.device()?.id
        fingerprint = try agent.identity.shortFingerprint
        authorization = try agent.store.fact(.authorization)
        let isAwaiting = try agent.identity.isAwaitingAdmission
        admission = isAwaiting ? try agent.store.fact(.admission) : nil
        let admissionHold: HoldReason? = isAwaiting ? (try agent.identity.isRefused ? .revoked : .pending) : nil
        identityHold = try admissionHold ?? agent.store.fact(.identityHold)
        revokedAt = identityHold == .revoked && !isAwaiting ? try agent.store.fact(.revocation) : nil
        lastContact = try agent.store.fact(.lastContact)
        queue = summary.states.mapValues(\.count)
        waitingBytes = summary.owed.byteCount
        // Nothing is sent before the box is a device, so every entry waits for that.
        let owed = summary.owed.count
        let holds: [HoldReason: Int] = admissionHold.map { owed > 0 ? [$0: owed] : [:] } ?? summary.holds
        self.holds = Dictionary(uniqueKeysWithValues: holds.map { ($0.key.rawValue, $0.value) })
        waitingChanges = try agent.store.changeCounts().waiting
        refusedChanges = try agent.store.refusedChanges(limit: 20).map { "\($0.entity.words): \($0.problem.detail)" }
        deferredAlbums = Dictionary(
            uniqueKeysWithValues: try agent.store.deferredAlbums().map { ($0.key.rawValue, $0.value) }
        )
        retirement = try agent.store.draining().map { .init(isEnded: $0.isEnded, remaining: summary.owed.count) }
        freeBytes = try PosixFileSystem().freeByteCount(agent.store.root)
        noRoom = try RefusedCapture.reason(in: agent.store, agent.limits)
    }
}
