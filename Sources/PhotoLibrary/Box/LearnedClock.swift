package import AgentStore
package import PhotoModel
import Replication

/// The server's clock, as far as this boot has learned it; the box's own wall clock stamps nothing.
package struct LearnedClock: Sendable, Codable {
    /// The boot whose monotonic clock it is told by.
    let bootID: BootID
    /// Server milliseconds since 1970 when the monotonic clock was `monotonic`.
    let milliseconds: UInt64
    /// Milliseconds since boot.
    let monotonic: UInt64

    /// The server's time at a moment of this boot; nil where the boot has no name.
    ///
    /// - Parameters:
    ///   - time: what the server said.
    ///   - nanoseconds: since boot, when it said so.
    package init?(_ time: WallTime, atMonotonic nanoseconds: UInt64) {
        guard let bootID = Box.bootID() else { return nil }
        self.bootID = bootID
        milliseconds = UInt64(max(time.millisecondsSince1970, 0))
        monotonic = nanoseconds / 1_000_000
    }

    /// The server's time now in milliseconds since 1970; 0 before this boot's first contact, when stamps go on from the last
    /// one.
    package static func serverMilliseconds(in store: AgentStore) throws -> UInt64 {
        let known: LearnedClock? = try store.fact(AgentStore.Fact.clock)
        guard let known, known.bootID == Box.bootID() else { return 0 }
        let offset = ServerTimeOffset(
            serverMilliseconds: known.milliseconds,
            sent: known.monotonic,
            received: known.monotonic
        )
        return offset.serverMilliseconds(atMonotonic: Box.monotonicNanoseconds() / 1_000_000)
    }

    /// The time now: the library's, where this boot has learned it, else what the box takes it for.
    ///
    /// - Parameter store: where the clock is remembered.
    /// - Returns: the time by which days are counted.
    /// - Throws: what the store says.
    package static func now(in store: AgentStore) throws -> WallTime {
        let milliseconds = try serverMilliseconds(in: store)
        return milliseconds > 0 ? WallTime(millisecondsSince1970: Int64(clamping: milliseconds)) : Box.now()
    }

    /// Gives captures of this boot the time that it has learned; once the library was told of them it is fixed.
    ///
    /// - Parameters:
    ///   - assets: which; nil for all that wait.
    ///   - store: the queue that holds them.
    /// - Throws: what the store says.
    package static func correct(_ assets: [AssetID]? = nil, in store: AgentStore) throws {
        let known: LearnedClock? = try store.fact(AgentStore.Fact.clock)
        guard let known, known.bootID == Box.bootID() else { return }
        let boot = Int64(clamping: known.milliseconds) - Int64(clamping: known.monotonic)
        let epoch = WallTime(millisecondsSince1970: boot)
        try store.correctClock(bootID: known.bootID, monotonicEpoch: epoch, of: assets)
    }
}
