package import AgentStore
import Host
package import PhotoModel

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
        self.init(time, atMonotonic: nanoseconds, of: bootID)
    }

    /// The same, of any boot.
    init(_ time: WallTime, atMonotonic nanoseconds: UInt64, of bootID: BootID) {
        self.bootID = bootID
        milliseconds = UInt64(max(time.millisecondsSince1970, 0))
        monotonic = nanoseconds / 1_000_000
    }

    /// The server's current time in milliseconds since 1970; 0 before this boot's first contact, when stamps continue
    /// from the last one.
    package static func serverMilliseconds(in store: AgentStore) throws -> UInt64 {
        let known = try store.fact(.clock)
        guard let known, known.bootID == HostIdentity.bootID() else { return 0 }
        return known.serverMilliseconds(atMonotonic: HostClock.monotonicNanoseconds() / 1_000_000)
    }

    /// The server's time when the monotonic clock began to count; before 1970 if the server's clock is that far behind.
    private var epoch: Int64 { Int64(clamping: milliseconds) - Int64(clamping: monotonic) }

    /// The server's time at a moment of the monotonic clock; 0 if it would be before 1970.
    func serverMilliseconds(atMonotonic now: UInt64) -> UInt64 {
        let (sum, overflow) = epoch.addingReportingOverflow(Int64(clamping: now))
        return overflow || sum < 0 ? 0 : UInt64(sum)
    }

    /// The current time, by which days are counted: the library's if learned in this boot, else the box's own.
    package static func now(in store: AgentStore) throws -> WallTime {
        let milliseconds = try serverMilliseconds(in: store)
        return milliseconds > 0 ? WallTime(millisecondsSince1970: Int64(clamping: milliseconds)) : HostClock.now()
    }

    /// A time that was reached after a contact and before the next one, which the next boot continues.
    struct Passed: Sendable, Codable {
        /// The library's time at the contact.
        let contact: WallTime
        /// The time that was reached.
        let clock: LearnedClock
    }

    /// A time that is over by the library's clock, by which bytes may be deleted: the box's own clock may be years ahead
    /// until it hears from the library; nil before the first contact ever.
    ///
    /// Without a contact in this boot, what counts is the time that the box has run since the last one. It is stored every
    /// hour, so that a box that starts again each day, away from its library, has room again after the retention too.
    package static func elapsed(in store: AgentStore) throws -> WallTime? {
        // Without an identifier of the boot nothing is learned, and receipts have the box's own times.
        guard let bootID = HostIdentity.bootID() else { return HostClock.now() }
        guard let contact = try store.fact(.lastContact) else { return nil }
        let now = HostClock.monotonicNanoseconds()
        let passed = try store.fact(.passed).flatMap { $0.contact == contact ? $0.clock : nil }
        let latest = passed.map { WallTime(millisecondsSince1970: Int64(clamping: $0.milliseconds)) } ?? contact
        let known = [try store.fact(.clock), passed].compactMap(\.self).first { $0.bootID == bootID }
        let milliseconds = known?.serverMilliseconds(atMonotonic: now / 1_000_000)
        let time =
            milliseconds.map { WallTime(millisecondsSince1970: Int64(clamping: $0)) }
            ?? latest.advanced(by: .milliseconds(now / 1_000_000))
        if latest.advanced(by: .seconds(3600)) <= time {
            let clock = LearnedClock(time, atMonotonic: now, of: bootID)
            try store.setFact(.passed, to: Passed(contact: contact, clock: clock))
        }
        return time
    }

    /// Corrects captures of this boot, all pending ones or these, by the learned time; once described to the library
    /// they are final.
    package static func correct(_ assets: [AssetID]? = nil, in store: AgentStore) throws {
        let known = try store.fact(.clock)
        guard let known, known.bootID == HostIdentity.bootID() else { return }
        let epoch = WallTime(millisecondsSince1970: known.epoch)
        try store.correctClock(bootID: known.bootID, monotonicEpoch: epoch, of: assets)
    }
}

extension Fact<LearnedClock> {
    /// The server's clock relative to this boot's monotonic one.
    package static var clock: Fact<LearnedClock> { Self("clock") }
}

extension Fact<LearnedClock.Passed> {
    /// How far the library's time got since the last contact.
    static var passed: Fact<LearnedClock.Passed> { Self("clock.passed") }
}
