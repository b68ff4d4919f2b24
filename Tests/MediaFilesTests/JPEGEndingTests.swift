import Foundation
import Persistence
import Testing

@testable import MediaFiles

/// Photos with much behind their end, and photos without one.
struct JPEGEndingTests {
    /// A photo of two scans with restart markers, stuffed bytes, fill bytes and a preview with an end of its own.
    private static func photo(_ scanByteCount: Int) -> [UInt8] {
        let preview: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
        let scan = (0..<scanByteCount / 4).flatMap { number -> [UInt8] in
            number % 3 == 0 ? [0xFF, 0x00, 0xD9, 7] : [0xFF, 0xD0 + UInt8(number % 8), 0xD9, 9]
        }
        let start: [UInt8] = [0xFF, 0xDA, 0, 4, 1, 2]
        return [0xFF, 0xD8, 0xFF, 0xE1, 0, 6] + preview + start + scan + [0xFF, 0xFF, 0xC4, 0, 3, 5] + start + scan
    }

    private static func isCutOff(_ bytes: [UInt8]) throws -> Bool {
        let file = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString).jpg")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try #require(try MediaFile(Path(file.path), in: PosixFileSystem())).isCutOff
    }

    /// Bytes behind the end that hold no marker.
    private static let trailer = [UInt8](repeating: 0xFF, count: 1 << 20)

    @Test("a whole photo is whole, however much lies behind its end", arguments: [100, 70_000, 600_000])
    func whole(scanByteCount: Int) throws {
        let photo = Self.photo(scanByteCount) + [0xFF, 0xD9]
        #expect(try !Self.isCutOff(photo))
        #expect(try !Self.isCutOff(photo + Self.trailer))
        #expect(try !Self.isCutOff(photo + [UInt8](repeating: 0, count: 70_000)))
    }

    @Test("T158: a photo that ends in its scans, or before them, is cut off", arguments: [100, 70_000, 600_000])
    func cut(scanByteCount: Int) throws {
        let photo = Self.photo(scanByteCount)
        #expect(try Self.isCutOff(photo))
        #expect(try Self.isCutOff(photo + [UInt8](repeating: 1, count: 70_000)))
        // A transfer that broke off behind the header, and in it.
        #expect(try Self.isCutOff(Array(photo.prefix(20))))
        #expect(try Self.isCutOff(Array(photo.prefix(9))))
        #expect(try Self.isCutOff(Array(photo.dropLast(scanByteCount / 2)) + [UInt8](repeating: 1, count: 70_000)))
        #expect(try Self.isCutOff([0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF] + [UInt8](repeating: 3, count: 40_000)))
        #expect(try Self.isCutOff([0xFF, 0xD8, 0xFF, 0xE1, 0, 9] + [UInt8](repeating: 3, count: 70_000)))
    }
}
