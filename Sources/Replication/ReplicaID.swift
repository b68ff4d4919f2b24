/// One incarnation of one writer's history: 128 random bits, new after a restore or a clone; never the device's
/// identifier.
package struct ReplicaID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 128 bits.
    package let rawValue: UInt128

    package init(rawValue: UInt128) {
        self.rawValue = rawValue
    }

    /// Draws a new incarnation.
    package init(using generator: inout some RandomNumberGenerator) {
        rawValue = UInt128(generator.next()) << 64 | UInt128(generator.next())
    }

    /// Orders by the bits; the tie-break of equal stamps.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The 32 hexadecimal digits.
    package var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

/// Identifies one write: the replica and its gapless counter, which starts at 1.
package struct Dot: Hashable, Comparable, Sendable {
    /// The writing replica.
    package let replica: ReplicaID
    /// The write's number; 1...`Limits.counter`.
    package let counter: UInt64

    package init(replica: ReplicaID, counter: UInt64) {
        self.replica = replica
        self.counter = counter
    }

    /// Orders by replica, then by counter; this is not an order in time.
    package static func < (left: Self, right: Self) -> Bool {
        left.replica == right.replica ? left.counter < right.counter : left.replica < right.replica
    }
}
