import MediaFormats
import TestSupport
import Testing

struct BytesTests {
    @Test("What a writer appends, a reader reads, in both byte orders", arguments: ByteOrder.allCases)
    func roundTrip(order: ByteOrder) {
        checkProperty("read(write(x)) == x") { generator, size in
            let numbers = (0..<size).map { _ in generator.next() }
            var writer = ByteWriter(order: order)
            for number in numbers {
                writer.append(UInt8(truncatingIfNeeded: number))
                writer.append(UInt16(truncatingIfNeeded: number))
                writer.append(Int32(truncatingIfNeeded: number))
                writer.append(number)
            }
            return try writer.bytes.withBytes { try Self.difference(numbers, read: $0, order: order) }
        }
    }

    private static func difference(_ numbers: [UInt64], read bytes: RawSpan, order: ByteOrder) throws -> String? {
        var reader = ByteReader(bytes.fullRange, order: order)
        for number in numbers {
            guard try reader.read(UInt8.self, from: bytes) == UInt8(truncatingIfNeeded: number),
                try reader.read(UInt16.self, from: bytes) == UInt16(truncatingIfNeeded: number),
                try reader.read(Int32.self, from: bytes) == Int32(truncatingIfNeeded: number),
                try reader.read(UInt64.self, from: bytes) == number
            else { return "a number came back changed" }
        }
        return reader.isAtEnd ? nil : "bytes are left over"
    }

    @Test("A read outside the bytes throws, whatever the offset", arguments: [-1, 1, 3, 4, Int.max, Int.min])
    func outside(offset: Int) {
        let bytes: [UInt8] = [1, 2, 3, 4]
        #expect(throws: MediaFormatError.self) {
            try bytes.withBytes { bytes in try bytes.integer(at: offset, as: UInt32.self) }
        }
        #expect(bytes.withBytes { $0.hasPrefix("ABCD", at: offset) } == false)
    }

    @Test("A missing byte is named by its offset")
    func truncation() throws {
        let bytes: [UInt8] = [1, 2, 3]
        let error = #expect(throws: MediaFormatError.self) {
            try bytes.withBytes { bytes in try bytes.integer(at: 0, as: UInt32.self) }
        }
        #expect(error?.code == .truncated)
        #expect(error?.offset == 3)
    }

    @Test(
        "T39: a range whose end overflows or that is negative cannot be made",
        arguments: [(Int.max, 1), (-1, 1), (0, -1), (Int.max, Int.max)]
    )
    func impossibleRange(offset: Int, length: Int) {
        #expect(FileRange(offset: offset, length: length) == nil)
        #expect(FileRange(offset: UInt64.max, length: 0) == nil)
    }

    @Test("A part of a range lies inside it or is refused")
    func parts() throws {
        let range = FileRange(10..<20)
        #expect(range.part(at: 2, length: 8) == FileRange(12..<20))
        #expect(range.part(at: 2, length: 9) == nil)
        #expect(range.part(at: UInt64.max, length: 1) == nil)
        #expect(range.contains(FileRange(10..<20)))
        #expect(!range.contains(FileRange(9..<12)))
        #expect(range.dropping(100).isEmpty)
    }
}
