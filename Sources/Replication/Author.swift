/// The writing side of a replica: its incarnation, its clock and the current time.
package struct Author: Sendable {
    /// Whose writes they are.
    package var incarnation: Incarnation
    /// Stamps them.
    package var clock: HybridLogicalClock
    /// The current server time, in milliseconds since 1970.
    package var milliseconds: UInt64

    /// Makes an author.
    ///
    /// - Parameters:
    ///   - incarnation: whose writes they are; the caller has made its counter durable.
    ///   - clock: stamps them.
    ///   - milliseconds: the current time, in milliseconds since 1970.
    package init(incarnation: Incarnation, clock: HybridLogicalClock = HybridLogicalClock(), milliseconds: UInt64) {
        self.incarnation = incarnation
        self.clock = clock
        self.milliseconds = milliseconds
    }

    /// The replica that writes.
    package var replica: ReplicaID { incarnation.replica }
}
