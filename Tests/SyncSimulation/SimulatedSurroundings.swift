import Replication
import TestSupport

/// What every part of a simulated world shares: its randomness, its time, its library, and the truth about it.
struct SimulatedSurroundings {
    var generator: SeededGenerator
    /// Time since the world began; the library's clock is right.
    var now = Duration.zero
    var library: SimulatedLibrary
    var truth = SimulatedTruth()
    var faults = FaultCounts()
    /// Whether nothing goes wrong any more.
    var isQuiet = false
    let bug: PlantedBug?

    /// When worlds begin, in milliseconds since 1970.
    static let beginning: UInt64 = 1_700_000_000_000

    /// Milliseconds of the library's clock.
    var milliseconds: UInt64 { Self.beginning + UInt64(max(0, now / .milliseconds(1))) }

    /// Whether a fault happens now, about once in so many times; it is counted.
    mutating func happens(_ fault: SimulatedFault, oneIn count: Int) -> Bool {
        guard !isQuiet, generator.oneIn(count) else { return false }
        faults.note(fault)
        return true
    }
}

extension HashFunction {
    /// Four lanes of FNV-1a: quick, and good enough where nobody looks for collisions.
    static let simulated = HashFunction { bytes in
        var lanes: (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x9E37_79B9_7F4A_7C15)
        for byte in bytes {
            lanes.0 = (lanes.0 ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            lanes.1 = (lanes.1 &+ UInt64(byte)) &* 0xBF58_476D_1CE4_E5B9
        }
        var hash: [UInt8] = []
        hash.reserveCapacity(32)
        for lane in [lanes.0, lanes.1, lanes.0 ^ lanes.1, lanes.0 &+ lanes.1] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                hash.append(UInt8(truncatingIfNeeded: lane >> shift))
            }
        }
        guard let value = HashValue(hash) else { preconditionFailure("a hash has 32 bytes") }
        return value
    }
}
