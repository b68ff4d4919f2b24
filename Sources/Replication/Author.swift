/// The writing side of a replica: its incarnation, its clock and the current time.
package struct Author: Sendable {
    /// The writer's incarnation; whoever creates an author has made its counter durable.
    package var incarnation: Incarnation
    /// The clock that stamps its writes.
    package var clock: HybridLogicalClock
    /// The current server time, in milliseconds since 1970.
    package var milliseconds: UInt64

    package init(incarnation: Incarnation, clock: HybridLogicalClock = HybridLogicalClock(), milliseconds: UInt64) {
        self.incarnation = incarnation
        self.clock = clock
        self.milliseconds = milliseconds
    }

    /// The replica that writes.
    package var replica: ReplicaID { incarnation.replica }
}
