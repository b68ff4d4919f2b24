package import LibraryClient
import Persistence
package import PhotoModel
import TestSupport

/// Bytes that can be made again from a seed, of any length, without being held: two seeds never give the same.
package struct SampleBytes: Hashable, Sendable {
    /// Decides every byte.
    package let seed: UInt64
    /// How many there are.
    package let byteCount: Int64

    private static let table: [UInt8] = {
        var generator = SeededGenerator(seed: 0x7EED)
        return generator.bytes(1 << 16)
    }()

    /// Describes bytes.
    package init(seed: UInt64, byteCount: Int64) {
        self.seed = seed
        self.byteCount = byteCount
    }

    /// Up to so many bytes at an offset; fewer only at the end.
    package func read(_ offset: Int64, _ count: Int) -> [UInt8] {
        let end = min(byteCount, offset + Int64(count))
        guard offset < end else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(end - offset))
        var position = offset
        while position < end {
            let start = Int((UInt64(position) &+ seed) % UInt64(Self.table.count))
            let taken = min(Self.table.count - start, Int(end - position))
            bytes += Self.table[start..<start + taken]
            position += Int64(taken)
        }
        // The seed itself comes first, so that every seed has bytes of its own.
        for place in offset..<max(offset, min(end, 8)) {
            bytes[Int(place - offset)] = UInt8(truncatingIfNeeded: seed >> UInt64(8 * place))
        }
        return bytes
    }

    /// All of them, or those from an offset on, to be sent.
    package func source(from offset: Int64 = 0, count: Int64? = nil) -> BodySource {
        let length = min(count ?? byteCount - offset, byteCount - offset)
        return BodySource(byteCount: length) { place, wanted in
            read(offset + place, Int(min(Int64(wanted), length - place)))
        }
    }

    /// SHA-256 of all of them, or of a part.
    package func digest(from offset: Int64 = 0, count: Int64? = nil) throws -> ContentDigest {
        let source = source(from: offset, count: count)
        return try ContentHasher.digest(byteCount: source.byteCount, read: source.read)
    }
}
