import Foundation
import Persistence
import PersistenceTestSupport
import TestSupport
import Testing

/// Whole pages of long pieces are written past the page cache, and nothing but the cache differs.
struct DirectWriterTests {
    @Test("Pieces of any length at any place are read back as they were written")
    func anyPiece() throws {
        let directory = try TemporaryDirectory()
        let files = PosixFileSystem(writesPastCache: true)
        checkProperty("pieces past the cache", cases: 40) { generator, size in
            let path = directory.path.appending("\(generator.next())")
            let file = try files.open(path, .create)
            var model: [UInt8] = []
            for _ in 0..<3 {
                // Around the places where the way of writing changes: pages, the shortest long piece, the block.
                let around = [0, 4096, 256 << 10, 1 << 20, 3 << 19][generator.below(5)]
                let bytes = Array(repeating: UInt8(generator.below(256)), count: around + generator.below(3 * size + 1))
                let offset = [0, model.count, model.count & ~4095, min(model.count, 4096)][generator.below(4)]
                try file.write(bytes[...], at: Int64(offset))
                model.replaceSubrange(offset..<min(model.count, offset + bytes.count), with: bytes)
                guard generator.below(4) == 0 else { continue }
                try file.truncate(to: Int64(model.count / 2))
                model.removeLast(model.count - model.count / 2)
            }
            try file.synchronize()
            let found = try file.read(model.count + 1, at: 0)
            try files.unlink(path)
            return found == model ? nil : "\(model.count) bytes were written, \(found.count) read, or others"
        }
    }

    @Test("The whole pages of a long piece are in no cache afterwards; short pieces are")
    func passesByTheCache() throws {
        // A file system in memory is its own cache.
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../.build").path
        let path = Path("\(folder)/past-cache-\(UUID().uuidString)")
        let files = PosixFileSystem(writesPastCache: true)
        defer { try? files.unlink(path) }
        let bytes = [UInt8](repeating: 7, count: (1 << 20) + 100)
        let file = try files.open(path, .create)
        try file.write(bytes[...], at: 0)
        try file.synchronize()
        #expect(try cachedPageCount(path.text, byteCount: bytes.count) == 1, "the page that is not whole")
        try file.write(bytes[..<(128 << 10)], at: 0)
        #expect(try cachedPageCount(path.text, byteCount: bytes.count) == 33)
        #expect(try file.read(bytes.count + 1, at: 0) == bytes)
    }

    /// The pages of a file that are in the page cache (`mincore`).
    private func cachedPageCount(_ path: String, byteCount: Int) throws -> Int {
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        let memory = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
        defer { unsafe munmap(memory, byteCount) }
        var pages = [UInt8](repeating: 0, count: (byteCount + 4095) / 4096)
        let status = unsafe mincore(memory, byteCount, &pages)
        try #require(status == 0)
        return pages.count { $0 & 1 == 1 }
    }
}
