import MediaFormats
import TestSupport
import Testing

struct RewrittenFileTests {
    /// A file of this many new bytes, each followed by a byte of the old file.
    private static func alternating(_ count: Int) -> RewrittenFile {
        var file = RewrittenFile()
        for index in 0..<count {
            file.append([0xFF])
            file.append(FileRange(2 * index..<2 * index + 1))
        }
        return file
    }

    @Test("A part of a rewritten file has the bytes of the runs that it touches, wherever it begins and ends")
    func parts() throws {
        let old = (0..<20).map { UInt8($0) }
        let file = Self.alternating(10)
        let whole = try old.withBytes { try file.copyBytes(from: $0) }
        let source = RewrittenSource(file, of: old)
        for start in 0...20 {
            for end in start...20 {
                #expect(try source.bytes(in: FileRange(start..<end)) == Array(whole[start..<end]))
            }
        }
        var second = RewrittenFile()
        second.append(FileRange(3..<9))
        second.append([7])
        second.append(FileRange(0..<2))
        let rebased = second.rebased(on: file)
        let copy = try old.withBytes { try rebased.copyBytes(from: $0) }
        #expect(copy == Array(whole[3..<9]) + [7] + Array(whole[0..<2]))
    }

    @Test("T112: reading a rewritten file of many runs in many parts, and rewriting it, is not quadratic")
    func manyRuns() throws {
        func time(_ count: Int) throws -> Duration {
            let old = [UInt8](repeating: 0, count: 2 * count)
            let file = Self.alternating(count)
            return try (0..<3).map { _ in
                let start = threadTime()
                let source = RewrittenSource(file, of: old)
                for place in 0..<count { _ = try source.bytes(in: FileRange(place..<place + 2)) }
                #expect(file.rebased(on: Self.alternating(2 * count)).pieces.count > count)
                return threadTime() - start
            }.min() ?? .zero
        }
        // Ten times as many runs would take a hundred times as long.
        let (short, long) = (try time(1000), try time(10_000))
        #expect(long < short * 40)
    }
}
