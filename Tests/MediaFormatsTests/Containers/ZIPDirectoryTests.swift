import MediaFormats
import TestSupport
import Testing

/// The central directory of ZIP archives, byte by byte.
struct ZIPDirectoryTests {
    /// An archive with one stored file, in the forms of ZIP64 where asked.
    private static func archive(isLong: Bool = false, count: UInt64 = 1) -> [UInt8] {
        func little(_ number: UInt64, _ width: Int) -> [UInt8] {
            (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let local: [UInt8] = Array("PK\u{3}\u{4}".utf8) + Array(repeating: 0, count: 22) + [1, 0, 0, 0] + [0x61, 7, 8]
        let extra = isLong ? [1, 0, 24, 0] + little(2, 8) + little(2, 8) + little(0, 8) : []
        let short: UInt64 = isLong ? 0xFFFF_FFFF : 2
        var header: [UInt8] = Array("PK\u{1}\u{2}".utf8) + Array(repeating: 0, count: 16)
        header += little(short, 4) + little(short, 4) + [1, 0] + little(UInt64(extra.count), 2)
        header += Array(repeating: 0, count: 10) + little(isLong ? 0xFFFF_FFFF : 0, 4) + [0x61] + extra
        let start = UInt64(local.count)
        let length = UInt64(header.count)
        var end: [UInt8] = []
        if isLong {
            let place = start + length
            end += Array("PK\u{6}\u{6}".utf8) + little(44, 8) + [45, 0, 45, 0] + little(0, 8) + little(count, 8)
            end += little(count, 8) + little(length, 8) + little(start, 8)
            end += Array("PK\u{6}\u{7}".utf8) + little(0, 4) + little(place, 8) + little(1, 4)
        }
        end += Array("PK\u{5}\u{6}".utf8) + little(0, 4) + little(isLong ? 0xFFFF : count, 2)
        end += little(isLong ? 0xFFFF : count, 2) + little(isLong ? 0xFFFF_FFFF : length, 4)
        end += little(isLong ? 0xFFFF_FFFF : start, 4) + [3, 0] + Array("end".utf8)
        return local + header + end
    }

    @Test("sizes of 32 and of 64 bits, and a comment behind the end", arguments: [false, true])
    func sizes(isLong: Bool) throws {
        let archive = Self.archive(isLong: isLong)
        let entry = try #require(try ZIPDirectory(archive).entries.first)
        #expect(entry.name == [0x61] && entry.byteCount == 2 && entry.headerOffset == 0 && entry.method == .stored)
        #expect(try archive.bytes(in: ZIPDirectory.data(of: entry, in: archive)) == [7, 8])
    }

    @Test(
        "a count that the directory has no room for is refused before anything is laid out",
        arguments: [
            UInt64(2), 60_000, .max,
        ]
    )
    func counts(count: UInt64) throws {
        #expect(throws: MediaFormatError.self) { try ZIPDirectory(Self.archive(isLong: true, count: count)) }
    }

    @Test("an archive that ends anywhere, or has any byte changed, is read or refused, and nothing else")
    func mutations() throws {
        for archive in [Self.archive(), Self.archive(isLong: true)] {
            for length in 0..<archive.count {
                #expect(throws: MediaFormatError.self) { try ZIPDirectory(Array(archive[..<length])) }
            }
            for index in archive.indices {
                for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = archive
                    changed[index] = value
                    guard let directory = try? ZIPDirectory(changed) else { continue }
                    for entry in directory.entries {
                        if let data = try? ZIPDirectory.data(of: entry, in: changed) {
                            #expect(data.end <= changed.count)
                        }
                    }
                }
            }
        }
    }
}
