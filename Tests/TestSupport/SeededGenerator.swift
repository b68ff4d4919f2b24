/// A reproducible source of randomness: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
///
/// The same seed gives the same sequence on every machine, so that a failing case can be replayed from its seed.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence that belongs to a seed.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 bits of the sequence.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// A number below `bound`, which must be above 0.
    package mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &self)
    }

    /// True about once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool {
        below(count) == 0
    }

    /// One element of a collection that is not empty.
    package mutating func pick<Elements: RandomAccessCollection>(_ elements: Elements) -> Elements.Element {
        elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
    }

    /// So many random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
