import Crypto
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

struct StagingFileTests {
    private let path = Path("/s/upload")

    private func files(_ seed: UInt64 = 1) throws -> SimulatedFileSystem {
        let files = SimulatedFileSystem(seed: seed)
        try files.createDirectories(path.parent)
        return files
    }

    @Test("what is hashed while writing is the digest of the bytes, in whatever pieces they came")
    func digests() {
        checkProperty("running digest") { generator, size in
            let files = try files()
            let file = try StagingFile(path, durableByteCount: 0, in: files)
            var all: [UInt8] = []
            for _ in 0..<size {
                let bytes = generator.bytes(generator.below(50))
                all += bytes
                try file.append(bytes[...])
            }
            return file.digest == ContentHasher.digest(all) && file.byteCount == Int64(all.count) ? nil : "differs"
        }
    }

    @Test("after a power cut what was promised is there, what was not is cut off, and the digest goes on")
    func resumes() {
        checkProperty("resume", cases: 100) { generator, size in
            let files = try files(generator.next())
            let promised = generator.bytes(size)
            let file = try StagingFile(path, durableByteCount: 0, in: files)
            try file.append(promised[...])
            let durable = try file.synchronize()
            try file.append(generator.bytes(size)[...])
            files.cutPower()
            let again = try StagingFile(path, durableByteCount: durable, in: files)
            let rest = generator.bytes(3)
            try again.append(rest[...])
            try again.synchronize()
            let whole = try files.readAll(path)
            return whole == promised + rest && again.digest == ContentHasher.digest(promised + rest) ? nil : "\(size)"
        }
    }

    @Test("fewer bytes than were promised are damage, and said so")
    func lostBytes() throws {
        let files = try files()
        let file = try StagingFile(path, durableByteCount: 0, in: files)
        try file.append([1, 2, 3])
        try file.synchronize()
        files.damage(path) { $0.removeLast() }
        let error = #expect(throws: PersistenceError.self) {
            try StagingFile(path, durableByteCount: 3, in: files)
        }
        #expect(error?.code == .damaged)
    }

    @Test("reverting forgets bytes and their part of the digest")
    func reverts() throws {
        let files = try files()
        let file = try StagingFile(path, durableByteCount: 0, in: files)
        try file.append([1, 2])
        let mark = file.mark()
        try file.append([3, 4])
        try file.revert(to: mark)
        try file.append([5])
        #expect(file.digest == ContentHasher.digest([1, 2, 5]))
        #expect(try files.readAll(path) == [1, 2, 5])
    }

    @Test("a failed sync leaves the promise where it was")
    func failedSync() throws {
        let files = try files()
        let file = try StagingFile(path, durableByteCount: 0, in: files)
        try file.append([1])
        files.inject(.failure(.inputOutput), atCall: 1)
        #expect(throws: PersistenceError.self) { try file.synchronize() }
        #expect(file.durableByteCount == 0)
    }

    @Test("an address leads to its file and back, and nothing else is one")
    func addresses() throws {
        let digest = ContentHasher.digest([])
        let address = ContentAddress(digest, contentType: "image/jpeg")
        #expect(address.path(in: Path("/o")).text == "/o/e3/b0/\(digest).jpg")
        #expect(ContentAddress(fileName: address.fileName) == address)
        #expect(ContentAddress(digest, contentType: "../../x").fileExtension == "bin")
        let copy = address.copied(by: "a-1")
        #expect(copy.fileName == "\(digest).a-1.jpg" && ContentAddress(fileName: copy.fileName) == copy)
        let parts = ["", ".", ".JPG", ".A.b", ".a.b.c", "..b", ".toolongxx"]
        for name in parts.map({ "\(digest)\($0)" }) + ["", "x.jpg"] {
            #expect(ContentAddress(fileName: name) == nil, "\(name)")
        }
        #expect(ContentAddress(fileName: digest.description.uppercased() + ".jpg") == nil)
    }
}
