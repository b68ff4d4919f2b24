import MediaFormats
import MediaSamples
import TestSupport
import Testing

struct BoxTests {
    @Test("sizes of 32 and 64 bits, size 0 and user types are read; shorter rests are passed over")
    func headers() throws {
        var writer = ByteWriter()
        writer.appendBox("free") { $0.append("abc") }
        writer.append(UInt32(1))
        writer.append(FourCharacterCode("mdat").rawValue)
        writer.append(UInt64(20))
        writer.append("wxyz")
        writer.append(UInt32(26))
        writer.append(FourCharacterCode("uuid").rawValue)
        writer.append(UInt128(0xBE7A_CFCB_97A9_42E8_9C71_9994_91E3_AFAC))
        writer.append("uu")
        writer.append(UInt32(0))
        writer.append(FourCharacterCode("skip").rawValue)
        writer.append("to the end")
        let boxes = try FileBoxes(of: writer.bytes).boxes
        #expect(boxes.map(\.type) == ["free", "mdat", "uuid", "skip"])
        #expect(boxes.map(\.payload.length) == [3, 4, 2, 10])
        #expect(boxes[2].userType == 0xBE7A_CFCB_97A9_42E8_9C71_9994_91E3_AFAC)
        let inside = #expect(throws: MediaFormatError.self) {
            try writer.bytes.withBytes { try $0.boxes(in: $0.fullRange) }
        }
        #expect(inside?.code == .malformed)
        let padded = writer.bytes.prefix(11) + [UInt8](repeating: 0, count: 20)
        #expect(try Array(padded).withBytes { try $0.boxes(in: $0.fullRange).count } == 1)
        let terminated = writer.bytes.prefix(11) + [0, 0, 0, 0]
        #expect(try Array(terminated).withBytes { try $0.boxes(in: $0.fullRange).count } == 1)
    }

    @Test("FullBox meta and plain meta give the same children")
    func metaForms() throws {
        for isFullBox in [false, true] {
            let bytes = SampleMovie.metadataList([("a.b", "c")], isFullBox: isFullBox)
            let types = try bytes.withBytes { bytes in
                try bytes.metaChildren(of: try bytes.boxes(in: bytes.fullRange)[0]).map(\.type)
            }
            #expect(types == ["hdlr", "keys", "ilst"])
        }
    }

    /// T34, T39: what a hostile header announces.
    static let hostile: [(what: String, bytes: [UInt8], code: MediaFormatError.Code)] = [
        ("a size of 4 GiB in 100 bytes", [0xFF, 0xFF, 0xFF, 0xFF] + zeros(96, "mdat"), .truncated),
        (
            "a 64-bit size of the largest number",
            [0, 0, 0, 1] + Array("mdat".utf8) + .init(repeating: 0xFF, count: 8), .truncated
        ),
        ("a size that wraps around the offset", wide(0x7FFF_FFFF_FFFF_FFFF), .truncated),
        ("a size below the header's", [0, 0, 0, 7] + zeros(20, "free"), .malformed),
        ("a 64-bit size below the header's", wide(15), .malformed),
        ("a user type that is not there", [0, 0, 0, 8] + Array("uuid".utf8), .truncated),
    ]

    static func zeros(_ count: Int, _ type: String) -> [UInt8] {
        Array(type.utf8) + [UInt8](repeating: 0, count: count - 4)
    }

    static func wide(_ size: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt32(1))
        writer.append(FourCharacterCode("mdat").rawValue)
        writer.append(size)
        return writer.bytes
    }

    @Test("T34, T39: hostile sizes are typed errors in memory and in files", arguments: hostile)
    func hostileSizes(what: String, bytes: [UInt8], code: MediaFormatError.Code) throws {
        let thrown = #expect(throws: MediaFormatError.self) {
            try bytes.withBytes { try $0.boxes(in: $0.fullRange) }
        }
        #expect(thrown?.code == code, "\(what)")
        #expect(try FileBoxes(of: bytes).damage?.code == code, "\(what)")
    }

    @Test("T34: a container of too many boxes is refused, deep nesting costs nothing")
    func countsAndDepth() throws {
        var limits = ParseLimits()
        limits.segments = 10
        let many = [[UInt8]](repeating: [0, 0, 0, 8] + Array("free".utf8), count: 11).flatMap(\.self)
        let thrown = #expect(throws: MediaFormatError.self) {
            try many.withBytes { try $0.boxes(in: $0.fullRange, limits: limits) }
        }
        #expect(thrown?.code == .limitExceeded)
        var nested: [UInt8] = []
        for depth in 1...2000 {
            var box = ByteWriter()
            box.append(UInt32(8 * depth))
            box.append(FourCharacterCode("moov").rawValue)
            nested = box.bytes + nested
        }
        #expect(throws: MediaFormatError.self) { try Movie(nested) }
    }

    @Test("a file of gigabytes is walked by its headers, its media is never read")
    func largeFile() throws {
        let source = SparseSource(moov: SampleMovie().moov, mediaLength: 5_000_000_000)
        let movie = try Movie(source)
        #expect(movie.tracks.count == 1)
        #expect(source.largestRead.value < 4096)
    }

    @Test("what the writer writes, the walker reads back")
    func roundTrip() {
        checkProperty("boxes survive a round trip") { generator, size in
            var writer = ByteWriter()
            var expected: [(FourCharacterCode, [UInt8])] = []
            for _ in 0..<size {
                let type = FourCharacterCode(rawValue: UInt32.random(in: 1...UInt32.max, using: &generator))
                guard type != "uuid" else { continue }
                let payload = generator.bytes(generator.below(40))
                expected.append((type, payload))
                writer.appendBox(type) { $0.append(payload) }
            }
            let bytes = writer.bytes
            let found = try bytes.withBytes { try $0.boxes(in: $0.fullRange) }
            let same = zip(found, expected).allSatisfy { box, wanted in
                box.type == wanted.0 && Array(bytes[box.payload.bounds]) == wanted.1
            }
            return same && found.count == expected.count ? nil : "read \(found)"
        }
    }
}

/// A movie with more media than fits memory, all of it zeros; remembers the longest read.
private struct SparseSource: ByteSource {
    final class Longest {
        var value = 0
    }

    let moov: [UInt8]
    let mediaLength: Int
    let largestRead = Longest()

    private var head: [UInt8] {
        var writer = ByteWriter()
        writer.appendBox("ftyp") { $0.append("qt  \0\0\0\0qt  ") }
        writer.appendBoxHeader("mdat", payloadLength: mediaLength)
        return writer.bytes
    }

    var byteCount: Int { head.count + mediaLength + moov.count }

    func bytes(in range: FileRange) throws -> [UInt8] {
        largestRead.value = max(largestRead.value, range.length)
        return range.bounds.map { offset in
            if offset < head.count { return head[offset] }
            let rest = offset - head.count - mediaLength
            return rest < 0 ? 0 : moov[rest]
        }
    }
}
