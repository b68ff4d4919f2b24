/// What a replica writes with: its incarnation, its clock and the time of this moment.
package struct Author: Sendable {
    /// Whose writes they are.
    package var incarnation: Incarnation
    /// Stamps them.
    package var clock: HybridLogicalClock
    /// The time now as the server would tell it, in milliseconds since 1970.
    package var milliseconds: UInt64

    /// Makes an author.
    ///
    /// - Parameters:
    ///   - incarnation: whose writes they are; its counter is reserved durably by the caller.
    ///   - clock: stamps them.
    ///   - milliseconds: the time now, in milliseconds since 1970.
    package init(incarnation: Incarnation, clock: HybridLogicalClock = HybridLogicalClock(), milliseconds: UInt64) {
        self.incarnation = incarnation
        self.clock = clock
        self.milliseconds = milliseconds
    }

    /// The replica that writes.
    package var replica: ReplicaID { incarnation.replica }
}
