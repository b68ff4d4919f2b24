/// A replica's clock: it never goes back, and stays near the server's time.
///
/// The time is passed in. Pass what the box has learned of the server's, never the raw wall clock of a box without
/// trusted time.
package struct HybridLogicalClock: Hashable, Sendable {
    /// The last stamp issued or observed.
    package private(set) var last: HybridTimestamp

    /// Starts from the last stamp of an earlier run, or from zero.
    package init(last: HybridTimestamp = HybridTimestamp(rawValue: 0)) {
        self.last = last
    }

    /// Issues the next stamp above the entity's newest: the largest of the time in milliseconds since 1970, the clock's
    /// last + 1 and the entity's last + 1.
    ///
    /// - Throws: `.stampExhausted` if a hostile stamp has left no room.
    package mutating func next(
        at milliseconds: UInt64,
        after entityLast: HybridTimestamp = HybridTimestamp(rawValue: 0)
    ) throws(ReplicationError) -> HybridTimestamp {
        guard let floor = max(last, entityLast).successor else {
            throw ReplicationError(.stampExhausted, "No stamp is left after the entity's last one")
        }
        let stamp = max(HybridTimestamp(milliseconds: milliseconds), floor)
        last = stamp
        return stamp
    }

    /// Restarts from a stamp that the server accepts, after it refused earlier ones.
    package mutating func rewind(to stamp: HybridTimestamp) {
        last = stamp
    }

    /// Refuses a stamp that is more than two minutes ahead of the server's clock.
    ///
    /// - Throws: `.stampAhead`, which carries the server's time.
    package static func admit(_ stamp: HybridTimestamp, serverMilliseconds: UInt64) throws(ReplicationError) {
        let (limit, overflow) = serverMilliseconds.addingReportingOverflow(Limits.stampAheadMilliseconds)
        guard overflow || stamp.milliseconds <= limit else {
            throw ReplicationError(
                .stampAhead(serverMilliseconds: serverMilliseconds),
                "The stamp is \(stamp.milliseconds - serverMilliseconds) ms ahead of the server's clock"
            )
        }
    }
}
