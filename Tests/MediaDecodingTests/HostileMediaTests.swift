import CFFmpegDecoding
import Foundation
import Glibc
import MediaWorker
import PhotoModel
import TestSupport
import Testing

@testable import MediaDecoding

struct HostileMediaTests {
    @Test("A picture of 50,000 x 50,000 pixels is refused by its header, in a moment")
    func bomb() async throws {
        let workshop = Workshop()
        let failure = try #require(await workshop.failure(Self.pngHeader(width: 50_000, height: 50_000)))
        #expect(failure.failure?.code == .tooLarge, "\(failure)")
        #expect(workshop.pool.counts.died == 0)
    }

    @Test("A picture that is within the limit but needs more memory than the worker has gives nothing, and no harm")
    func memory() async throws {
        let workshop = Workshop { $0.memoryByteCount = 96 << 20 }
        let large = try withTemporaryDirectory { folder in
            let file = folder.appending(path: "large.png").path
            // Interlaced, so that it cannot be decoded line by line.
            _ = try ChildProcess.run("vips", ["black", "\(file)[interlace]", "9000", "9000", "--bands", "3"])
            return try Data(contentsOf: URL(filePath: file))
        }
        #expect(await workshop.failure(large) != nil)
        _ = try await Workshop().perform(large)
    }

    /// The beginnings of files that no worker should read on.
    private static let strangers: [[UInt8]] = [
        [], [0xFF, 0xD8], [UInt8](repeating: 0, count: 4096), Array("GIF89a".utf8) + [UInt8](repeating: 0, count: 100),
        Array("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8), Array("%PDF-1.4\n".utf8),
        Array("P6 4 4 255\n".utf8) + [UInt8](repeating: 0, count: 48),
        Array("II*\0".utf8) + [UInt8](repeating: 0xFF, count: 400),
        Array("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n".utf8), Array("ffconcat version 1.0\nfile x\n".utf8),
    ]

    @Test("Bytes of no format, and of formats that are switched off, are refused", arguments: strangers)
    func refused(bytes: [UInt8]) async throws {
        let workshop = Workshop()
        for source in MediaRequest.Source.allCases {
            let failure = try #require(await workshop.failure(Data(bytes), of: source))
            #expect(failure.code == .refused, "\(failure)")
        }
        #expect(workshop.pool.counts.died == 0)
    }

    @Test("T38: an open movie opens nothing else, neither a file nor an address, also without the worker's walls")
    func otherFiles() async throws {
        let file = try await OwnedDescriptor.inMemory("sample", holding: Array(Samples.movie()))
        let movie = try MovieFile(file.number, pixelCount: 1 << 20)
        let present = #filePath
        for address in [present, "file:\(present)", "http://127.0.0.1:9/x", "tcp://127.0.0.1:9"] {
            var other: UnsafeMutablePointer<AVIOContext>?
            // What a container that refers to other files opens them with.
            let status = unsafe movie.context.pointee.io_open?(movie.context, &other, address, AVIO_FLAG_READ, nil)
            #expect(status == -EINVAL, "\(address)")
        }
        let codec = movie.codec
        #expect(codec == "h264")
    }

    @Test("Boxes nested 20,000 deep are refused")
    func nested() async throws {
        var boxes = Data()
        for depth in 0..<20_000 {
            let rest = UInt32(8 * (20_000 - depth))
            boxes += Self.bigEndian(rest) + Data("meta".utf8)
        }
        let type = Data([0, 0, 0, 24]) + Data("ftypheic".utf8) + Data(count: 4) + Data("mif1heic".utf8)
        let workshop = Workshop()
        for source in MediaRequest.Source.allCases {
            #expect(await workshop.failure(type + boxes, of: source)?.code == .refused)
        }
    }

    @Test(
        "Cut and flipped files of every format neither hang a worker nor reach past it",
        arguments: ["jpg", "heic", "png", "webp", "tif", "avif", "jxl", "gif", "mov"]
    )
    func damaged(ending: String) async throws {
        let source: MediaRequest.Source = ending == "mov" ? .movie : .still
        let whole = try await ending == "mov" ? Samples.movie() : Samples.still(ending)
        let workshop = Workshop()
        var generator = SeededGenerator(seed: 4)
        for round in 0..<30 {
            var bytes = whole
            if round.isMultiple(of: 2) {
                bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator))
            } else {
                for _ in 0..<8 {
                    bytes[Int.random(in: 0..<min(bytes.count, 4000), using: &generator)] ^=
                        1 << UInt8.random(in: 0..<8, using: &generator)
                }
            }
            if let failure = await workshop.failure(bytes, of: source) {
                #expect(failure.code != .timedOut, "round \(round)")
                #expect(failure.code != .protocolBroken, "round \(round): \(failure)")
            }
        }
        _ = try await workshop.perform(whole, of: source)
    }

    /// A PNG that says how large it is and then little more.
    private static func pngHeader(width: UInt32, height: UInt32) -> Data {
        func chunk(_ type: String, _ body: Data) -> Data {
            let typed = Data(type.utf8) + body
            return bigEndian(UInt32(body.count)) + typed + bigEndian(checksum(typed))
        }
        let header = chunk("IHDR", bigEndian(width) + bigEndian(height) + Data([8, 2, 0, 0, 0]))
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + header
            + chunk("IDAT", Data([0x78, 0x9C, 0, 0]))
    }

    private static func bigEndian(_ value: UInt32) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    /// CRC-32 as PNG defines it.
    private static func checksum(_ data: Data) -> UInt32 {
        ~data.reduce(~0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
    }
}
