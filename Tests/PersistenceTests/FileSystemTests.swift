import Foundation
import Glibc
import Persistence
import PersistenceTestSupport
import Testing

/// The contract of the file-system port: the real one and the simulated one pass the same suite.
struct FileSystemTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case posix, pastCache, simulated

        var testDescription: String { rawValue }
    }

    private struct Place {
        let files: any FileSystem
        let root: Path
        let directory: TemporaryDirectory

        init(_ kind: Kind) throws {
            directory = try TemporaryDirectory()
            files =
                switch kind {
                case .posix: PosixFileSystem()
                case .pastCache: PosixFileSystem(writesPastCache: true)
                case .simulated: SimulatedFileSystem(seed: 1)
                }
            root = directory.path.appending("root")
            try files.createDirectories(root)
        }
    }

    @Test("a file that shares another one's blocks is the same; where it cannot, it is empty", arguments: Kind.allCases)
    func clones(kind: Kind) throws {
        let place = try Place(kind)
        let source = try place.files.open(place.root.appending("a"), .create)
        let bytes = [UInt8](repeating: 7, count: 100_001)
        try source.write(bytes[...], at: 0)
        let copy = try place.files.open(place.root.appending("b"), .create)
        let isShared = try copy.clone(source)
        #expect(try copy.read(200_000, at: 0) == (isShared ? bytes : []))
        try copy.write([1], at: 0)
        #expect(try source.read(1, at: 0) == [7])
    }

    @Test("T97: a file of a far year has a status")
    func farDate() throws {
        let place = try Place(.posix)
        let path = place.root.appending("a")
        try place.files.open(path, .create).close()
        // The year 2440, which ext4 stores; nanoseconds end in 2262.
        let time = timespec(tv_sec: 14_831_769_600, tv_nsec: 0)
        #expect(unsafe utimensat(AT_FDCWD, path.text, [time, time], 0) == 0)
        // Later than 2030, also where a file system's times end in 2038.
        let modified = try #require(try place.files.status(path)?.modifiedNanoseconds)
        #expect(modified > 1_900_000_000_000_000_000)
    }

    @Test("bytes are read back as they were written, and files grow and shrink", arguments: Kind.allCases)
    func readsAndWrites(kind: Kind) throws {
        let place = try Place(kind)
        let path = place.root.appending("a")
        let file = try place.files.open(path, .create)
        try file.write([1, 2, 3, 4][1...], at: 0)
        try file.write([9][...], at: 5)
        #expect(try file.read(100, at: 0) == [2, 3, 4, 0, 0, 9])
        #expect(try file.read(2, at: 2) == [4, 0])
        #expect(try file.read(2, at: 6) == [])
        try file.truncate(to: 2)
        #expect(try file.byteCount() == 2)
        try file.synchronize()
        try file.close()
        #expect(try place.files.readAll(path) == [2, 3])
        #expect(try place.files.status(path)?.byteCount == 2)
    }

    @Test("errors say what they are about", arguments: Kind.allCases)
    func errors(kind: Kind) throws {
        let place = try Place(kind)
        let path = place.root.appending("a")
        func code(_ body: () throws -> Void) -> PersistenceError.Code? {
            do {
                try body()
                return nil
            } catch {
                return (error as? PersistenceError)?.code
            }
        }
        #expect(code { _ = try place.files.open(path, .read) } == .notFound)
        #expect(code { try place.files.unlink(path) } == .notFound)
        #expect(code { try place.files.rename(path, to: place.root.appending("b")) } == .notFound)
        #expect(code { _ = try place.files.list(path) } == .notFound)
        #expect(code { try place.files.createDirectory(place.root) } == .exists)
        _ = try place.files.open(path, .create)
        #expect(code { _ = try place.files.open(path, .create) } == .exists)
        #expect(try place.files.status(place.root.appending("b")) == nil)
    }

    @Test("a rename replaces, a listing is sorted, read-only shows", arguments: Kind.allCases)
    func namesMove(kind: Kind) throws {
        let place = try Place(kind)
        for name in ["b", "a"] {
            let file = try place.files.open(place.root.appending(name), .create)
            try file.write(Array(name.utf8)[...], at: 0)
        }
        #expect(try place.files.list(place.root) == ["a", "b"])
        try place.files.makeReadOnly(place.root.appending("a"))
        #expect(try place.files.status(place.root.appending("a"))?.isReadOnly == true)
        try place.files.rename(place.root.appending("a"), to: place.root.appending("b"))
        #expect(try place.files.list(place.root) == ["b"])
        #expect(try place.files.readAll(place.root.appending("b")) == Array("a".utf8))
        #expect(try place.files.freeByteCount(place.root) > 0)
    }

    @Test("a lock is held once, and comes free with its release", arguments: Kind.allCases)
    func locks(kind: Kind) throws {
        let place = try Place(kind)
        let path = place.root.appending("lock")
        let lock = try place.files.lock(path)
        let error = #expect(throws: PersistenceError.self) { try place.files.lock(path) }
        #expect(error?.code == .locked)
        lock.release()
        _ = try place.files.lock(path)
    }

    @Test("a file that is replaced atomically holds the old bytes or the new ones, whenever the power goes")
    func atomicWrite() throws {
        let path = Path("/d/f")
        for seed in UInt64(0)..<20 {
            var call = 1
            while true {
                let files = SimulatedFileSystem(seed: seed)
                try files.createDirectories(path.parent)
                try files.writeAtomically(path, [1, 1, 1])
                files.inject(.powerCut, atCall: call)
                let isDone = (try? files.writeAtomically(path, [2, 2])) != nil
                files.cutPower()
                let found = try files.readAll(path)
                #expect(found == [2, 2] || (!isDone && found == [1, 1, 1]), "seed \(seed), call \(call)")
                if isDone { break }
                call += 1
            }
            #expect(call > 5)
        }
    }

    @Test("dropping the last reference closes a file: descriptors do not leak")
    func descriptors() throws {
        let place = try Place(.posix)
        for index in 0..<50 { _ = try place.files.open(place.root.appending("\(index)"), .create) }
        #expect(try Self.openPaths().filter { $0.hasPrefix(place.root.text) } == [])
        let held = try place.files.open(place.root.appending("held"), .create)
        #expect(try Self.openPaths().filter { $0.hasPrefix(place.root.text) }.count == 1)
        try held.close()
    }

    /// What this process has open, by Linux's own account.
    private static func openPaths() throws -> [String] {
        let directory = Path("/proc/self/fd")
        return try PosixFileSystem().list(directory).compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: directory.appending(name).text)
        }
    }
}
