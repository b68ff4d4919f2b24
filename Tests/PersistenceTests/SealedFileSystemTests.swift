import PersistenceTestSupport
import TestSupport
import Testing

@testable import Persistence

struct SealedFileSystemTests {
    private static let key = [UInt8](repeating: 7, count: 32)
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func sealed(key: [UInt8] = Self.key) -> SealedFileSystem {
        SealedFileSystem(PosixFileSystem(), below: [folder.path], key: key)
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

    /// Writes a file in pieces.
    private func write(_ name: String, _ bytes: [UInt8], piece: Int = 10_000) throws -> Path {
        let path = folder.path.appending(name)
        let file = try sealed().open(path, .create)
        var offset = 0
        while offset < bytes.count {
            let end = min(bytes.count, offset + piece)
            try file.write(bytes[offset..<end], at: Int64(offset))
            offset = end
        }
        try file.synchronize()
        try file.close()
        return path
    }

    @Test(
        "What is written comes back, with its length, whole and in parts; on the disk it is something else",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]
    )
    func roundTrip(count: Int) throws {
        let plain = bytes(count)
        let path = try write("a", plain)
        let system = sealed()
        #expect(try system.status(path)?.byteCount == Int64(count))
        let file = try system.open(path, .read)
        #expect(try file.byteCount() == Int64(count))
        #expect(try file.read(count + 10, at: 0) == plain)
        for (offset, length) in [(0, 10), (65_530, 20), (count - 1, 5), (count, 5), (70_000, 100_000)] where offset >= 0
        {
            let expected = offset < count ? Array(plain[offset..<min(count, offset + length)]) : []
            #expect(try file.read(length, at: Int64(offset)) == expected)
        }
        #expect(try system.list(folder.path) == ["a"])
        #expect(try PosixFileSystem().list(folder.path) == ["a.sealed"])
        let kept = try PosixFileSystem().open(system.place(of: path), .read).read(1 << 20, at: 0)
        #expect(kept.count == 40 + count + 16 * max(1, (count + 65_535) / 65_536))
        if count > 100 { #expect(kept.firstRange(of: plain[10..<60]) == nil) }
    }

    @Test("A changed byte anywhere, a chunk that is cut off, doubled or moved, and another key are all found")
    func tampering() throws {
        let plain = bytes(150_000)
        let path = try write("a", plain)
        let disk = sealed().place
        let place = try disk(path)
        let kept = try PosixFileSystem().open(place, .read).read(1 << 20, at: 0)
        func expectRefused(_ changed: [UInt8], _ what: Comment) throws {
            try PosixFileSystem().writeAtomically(place, changed)
            #expect(throws: PersistenceError.self, what) {
                try sealed().open(path, .read).read(1 << 20, at: 0)
            }
        }
        for index in [0, 8, 39, 40, 70_000, kept.count - 17, kept.count - 1] {
            var changed = kept
            changed[index] ^= 1
            try expectRefused(changed, "byte \(index)")
        }
        let chunk = 65_552
        let (first, second) = (kept[40..<40 + chunk], kept[40 + chunk..<40 + 2 * chunk])
        try expectRefused(Array(kept[..<(40 + 2 * chunk)]), "the last chunk is cut off")
        try expectRefused(Array(kept[..<40]), "all chunks are cut off")
        try expectRefused(Array(kept[..<(kept.count - 1)]), "a byte is cut off")
        try expectRefused(kept + [0], "a byte is appended")
        try expectRefused(Array(kept[..<40]) + second + first + kept[(40 + 2 * chunk)...], "two chunks are exchanged")
        try expectRefused(Array(kept[..<40]) + first + first + kept[(40 + 2 * chunk)...], "a chunk is doubled")
        try PosixFileSystem().writeAtomically(place, kept)
        #expect(throws: PersistenceError.self) {
            try sealed(key: [UInt8](repeating: 8, count: 32)).open(path, .read).read(10, at: 0)
        }
        #expect(try sealed().open(path, .read).read(1 << 20, at: 0) == plain)
    }

    @Test("Two files of the same bytes have nothing in common on the disk")
    func salts() throws {
        let system = sealed()
        let kept = try ["a", "b"].map { name in
            try PosixFileSystem().open(system.place(of: write(name, bytes(1000))), .read).read(1 << 20, at: 8)
        }
        #expect(zip(kept[0], kept[1]).count { $0 == $1 } < 40)
    }

    @Test("Files from before stay readable, renames and removals find both kinds, and second names stay sealed")
    func mixed() throws {
        let system = sealed()
        let old = folder.path.appending("old")
        try PosixFileSystem().writeAtomically(old, [1, 2, 3])
        #expect(try system.readAll(old) == [1, 2, 3])
        let new = try write("new", [4, 5])
        try system.rename(new, to: old)
        #expect(try system.readAll(old) == [4, 5] && system.status(new) == nil)
        let second = folder.path.appending("second")
        #expect(throws: PersistenceError.self) { try system.link(old, to: Path(folder.path.text + "-outside")) }
        try system.link(old, to: second)
        #expect(try system.readAll(second) == [4, 5] && PosixFileSystem().status(second) == nil)
        #expect(throws: PersistenceError.self) { try system.link(old, to: second) }
        try system.unlink(second)
        #expect(throws: PersistenceError.self) { try system.open(old, .create) }
        try system.writeAtomically(old, [6])
        #expect(try system.readAll(old) == [6])
        try system.unlink(old)
        #expect(try PosixFileSystem().list(folder.path).isEmpty)
    }

    @Test("Lengths of sealed files follow from plain ones, and no other length is taken for one")
    func lengths() {
        checkProperty("lengths", cases: 500, maximumSize: 300_000) { generator, size in
            let plain = Int64(generator.below(size + 1))
            let sealed = 40 + plain + 16 * SealedFormat.chunkCount(ofPlain: plain)
            return SealedFormat.plainByteCount(ofSealed: sealed) == plain ? nil : "\(plain)"
        }
        for length in [0, 39, 40, 55, 40 + 65_552 + 16] as [Int64] {
            #expect(SealedFormat.plainByteCount(ofSealed: length) == nil, "\(length)")
        }
    }
}
