/// A place in an album's order: a fraction in base 256, compared byte by byte, at most 64 bytes.
///
/// A key is digits, then five bytes of the replica that made it, then, in a bulk insert, a number within the run. So
/// two replicas inserting concurrently at the same place get different keys, and their runs do not interleave. No key
/// ends in a zero byte, so there is always a key between two different ones, as far as 64 bytes reach.
package struct PositionKey: Hashable, Comparable, Sendable {
    /// The bytes; 1...64, the last one not 0.
    package let bytes: [UInt8]

    private static let suffixBytes = 5
    private static let headBytes = 4

    /// Parses a key; nil if it is empty, too long, or ends in a zero.
    package init?(bytes: [UInt8]) {
        guard bytes.count <= Limits.positionBytes, let last = bytes.last, last != 0 else { return nil }
        self.bytes = bytes
    }

    private init(checked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The first byte of every key that a replica makes.
    ///
    /// Keys begin in the middle, and an album's ends move by one in the first four bytes; a made-up key beyond this range
    /// could use up all positions on its side.
    package static let firstBytes: Range<UInt8> = 0x10..<0xF0

    /// Whether millions of short keys lie on both sides.
    package var leavesRoom: Bool { Self.firstBytes ~= bytes[0] }

    /// Orders byte by byte.
    package static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

    /// A key of a replica between two others; nil for the start and the end of the album.
    ///
    /// - Throws: `.positionsUnordered`, or `.positionsExhausted`: then rewrite all of the album's positions with `run`.
    package static func between(
        _ lower: Self?,
        _ upper: Self?,
        by replica: ReplicaID
    ) throws(ReplicationError) -> Self {
        guard let key = try run(of: 1, between: lower, upper, by: replica).first else {
            throw ReplicationError(.positionsExhausted, "There is no position in between")
        }
        return key
    }

    /// A contiguous run of ascending keys for a bulk insert, or for rewriting an album's positions, between two keys;
    /// nil for the start and the end of the album.
    ///
    /// No other replica's concurrent run falls between them.
    ///
    /// - Throws: `.positionsUnordered` or `.positionsExhausted`.
    package static func run(
        of count: Int,
        between lower: Self?,
        _ upper: Self?,
        by replica: ReplicaID
    ) throws(ReplicationError) -> [Self] {
        if let lower, let upper, lower >= upper {
            throw ReplicationError(.positionsUnordered, "The lower position is not below the upper one")
        }
        guard count > 0 else { return [] }
        let stem = digits(between: lower?.bytes ?? [], upper?.bytes) + suffix(of: replica)
        let width = count == 1 ? 0 : digitsNeeded(for: count)
        guard stem.count + width <= Limits.positionBytes else {
            throw ReplicationError(.positionsExhausted, "A position would be longer than \(Limits.positionBytes) bytes")
        }
        return (0..<count).map { Self(checked: stem + ordinal($0, width: width)) }
    }

    /// The shortest digits above `lower` and below `upper` that are not a prefix of `upper`.
    private static func digits(between lower: [UInt8], _ upper: [UInt8]?) -> [UInt8] {
        if upper == nil || lower.isEmpty, let step = step(from: lower, before: upper) { return step }
        var digits: [UInt8] = []
        var upper = upper
        while true {
            let low = digits.count < lower.count ? Int(lower[digits.count]) : 0
            let high = upper.map { digits.count < $0.count ? Int($0[digits.count]) : 0 } ?? 256
            if high - low >= 2 { return digits + [UInt8(low + (high - low) / 2)] }
            if high > low { upper = nil }
            digits.append(UInt8(low))
        }
    }

    /// At an album's ends the first four digits count up or down by one, so that a million appends add no digit.
    private static func step(from lower: [UInt8], before upper: [UInt8]?) -> [UInt8]? {
        let head: UInt32
        switch (lower.isEmpty, upper) {
        case (true, nil):
            head = 1 << 31
        case (true, let upper?):
            let first = Self.head(upper)
            guard first > 1 else { return nil }
            head = first - 1
        case (false, _):
            let (next, overflow) = Self.head(lower).addingReportingOverflow(1)
            guard !overflow else { return nil }
            head = next
        }
        return (0..<headBytes).map { UInt8(truncatingIfNeeded: head >> UInt32(8 * (headBytes - 1 - $0))) }
    }

    private static func head(_ bytes: [UInt8]) -> UInt32 {
        (0..<headBytes).reduce(0) { $0 << 8 | UInt32($1 < bytes.count ? bytes[$1] : 0) }
    }

    private static func suffix(of replica: ReplicaID) -> [UInt8] {
        let bytes = (0..<suffixBytes).map { UInt8(truncatingIfNeeded: replica.rawValue >> UInt128(120 - 8 * $0)) }
        return bytes.dropLast() + [bytes[suffixBytes - 1] | 1]
    }

    /// A number in base 255 with digits 1...255, so that it never ends in a zero.
    private static func ordinal(_ number: Int, width: Int) -> [UInt8] {
        var rest = number
        var digits: [UInt8] = []
        for _ in 0..<width {
            digits.append(UInt8(rest % 255 + 1))
            rest /= 255
        }
        return digits.reversed()
    }

    private static func digitsNeeded(for count: Int) -> Int {
        var width = 1
        var capacity = 255
        while capacity < count {
            capacity *= 255
            width += 1
        }
        return width
    }
}
