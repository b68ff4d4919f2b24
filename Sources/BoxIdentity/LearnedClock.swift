package import AgentStore
import Host
package import PhotoModel
import Replication

/// The server's clock as learned in this boot; the box's own wall clock stamps nothing.
package struct LearnedClock: Sendable, Codable {
    /// The boot of the monotonic readings.
    let bootID: BootID
    /// Server milliseconds since 1970 when the monotonic clock read `monotonic`.
    let milliseconds: UInt64
    /// Milliseconds since boot.
    let monotonic: UInt64

    /// Records the server's time at a moment in nanoseconds of this boot; nil if the boot has no identifier.
    package init?(_ time: WallTime, atMonotonic nanoseconds: UInt64) {
        guard let bootID = HostIdentity.bootID() else { return nil }
        self.bootID = bootID
        milliseconds = UInt64(max(time.millisecondsSince1970, 0))
        monotonic = nanoseconds / 1_000_000
    }

    /// The server's current time in milliseconds since 1970; 0 before this boot's first contact, when stamps continue
    /// from the last one.
    package static func serverMilliseconds(in store: AgentStore) throws -> UInt64 {
        let known = try store.fact(.clock)
        guard let known, known.bootID == HostIdentity.bootID() else { return 0 }
        let offset = ServerTimeOffset(
            serverMilliseconds: known.milliseconds,
            sent: known.monotonic,
            received: known.monotonic
        )
        return offset.serverMilliseconds(atMonotonic: HostClock.monotonicNanoseconds() / 1_000_000)
    }

    /// The current time, by which days are counted: the library's if learned in this boot, else the box's own.
    package static func now(in store: AgentStore) throws -> WallTime {
        let milliseconds = try serverMilliseconds(in: store)
        return milliseconds > 0 ? WallTime(millisecondsSince1970: Int64(clamping: milliseconds)) : HostClock.now()
    }

    /// Corrects captures of this boot, all pending ones or these, by the learned time; once described to the library
    /// they are final.
    package static func correct(_ assets: [AssetID]? = nil, in store: AgentStore) throws {
        let known = try store.fact(.clock)
        guard let known, known.bootID == HostIdentity.bootID() else { return }
        let boot = Int64(clamping: known.milliseconds) - Int64(clamping: known.monotonic)
        let epoch = WallTime(millisecondsSince1970: boot)
        try store.correctClock(bootID: known.bootID, monotonicEpoch: epoch, of: assets)
    }
}

extension Fact<LearnedClock> {
    /// The server's clock relative to this boot's monotonic one.
    package static var clock: Fact<LearnedClock> { Self("clock") }
}
