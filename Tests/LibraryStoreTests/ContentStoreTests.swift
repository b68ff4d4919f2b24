import LibraryAPI
import LibraryStore
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

/// The contract of the content port, on the real file system and on the simulated one.
struct ContentStoreTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case posix, simulated

        var testDescription: String { rawValue }
    }

    private struct Place {
        let directory: TemporaryDirectory
        let layout: LibraryLayout
        let content: any ContentStore

        init(_ kind: Kind) throws {
            directory = try TemporaryDirectory()
            layout = LibraryLayout(root: directory.path.appending("library"))
            switch kind {
            case .posix: content = try Self.make(layout, PosixFileSystem())
            case .simulated: content = try Self.make(layout, SimulatedFileSystem(seed: 1))
            }
        }

        private static func make(_ layout: LibraryLayout, _ files: some FileSystem) throws -> any ContentStore {
            try layout.create(LibraryID(rawValue: 1), in: files)
            #expect(try layout.identify(in: files) == LibraryID(rawValue: 1))
            return FileContentStore(layout, in: files)
        }

        func stage(_ bytes: [UInt8], as name: String) throws -> Publication {
            let file = try content.stage(name, durableByteCount: 0)
            try file.append(bytes[...])
            try file.synchronize()
            try file.close()
            return Publication(
                stagedName: name,
                address: ContentAddress(ContentHasher.digest(bytes), contentType: "image/png"),
                byteCount: Int64(bytes.count),
                isKnown: false
            )
        }
    }

    @Test("what is published is there under its digest, once, and staging is empty", arguments: Kind.allCases)
    func publishes(kind: Kind) throws {
        let place = try Place(kind)
        let publications = [
            try place.stage([1, 2, 3], as: "a"), try place.stage([4], as: "b"), try place.stage([1, 2, 3], as: "c"),
        ]
        for result in place.content.publish(publications) { try result.get() }
        #expect(try place.content.stagedNames() == [])
        for (publication, bytes) in zip(publications, [[1, 2, 3], [4], [1, 2, 3]] as [[UInt8]]) {
            #expect(try place.content.open(publication.address).read(10, at: 0) == bytes)
            #expect(try place.content.measure(publication.address)?.digest == publication.address.digest)
            #expect(try place.content.byteCount(publication.address) == Int64(bytes.count))
        }
        var visited: [ContentAddress?] = []
        try place.content.visit { address, _ in visited.append(address) }
        #expect(Set(visited) == Set(publications.map(\.address)) && visited.count == 2)
        #expect(try place.content.freeByteCount() > 0)
    }

    @Test("staged bytes of another length, or none, are refused alone", arguments: Kind.allCases)
    func refuses(kind: Kind) throws {
        let place = try Place(kind)
        let good = try place.stage([1], as: "a")
        let short = try place.stage([2, 3], as: "b")
        let wrong = Publication(stagedName: "b", address: short.address, byteCount: 3, isKnown: false)
        let missing = Publication(
            stagedName: "nothing",
            address: ContentAddress(ContentHasher.digest([9]), contentType: ""),
            byteCount: 1,
            isKnown: false
        )
        let results = place.content.publish([wrong, good, missing])
        #expect(throws: PersistenceError.self) { try results[0].get() }
        try results[1].get()
        #expect(throws: PersistenceError.self) { try results[2].get() }
        #expect(try place.content.byteCount(missing.address) == nil)
    }

    @Test("quarantine takes out and gives back; purging and discarding are for good", arguments: Kind.allCases)
    func quarantines(kind: Kind) throws {
        let place = try Place(kind)
        let publication = try place.stage([5, 6], as: "a")
        for result in place.content.publish([publication]) { try result.get() }
        let name = try place.content.quarantine(publication.address)
        #expect(try place.content.byteCount(publication.address) == nil)
        #expect(try place.content.restoreIfWhole(publication.address))
        #expect(try place.content.byteCount(publication.address) == 2)
        _ = try place.content.quarantine(publication.address)
        try place.content.purge(name)
        try place.content.purge(name)
        #expect(try !place.content.restoreIfWhole(publication.address))
        _ = try place.stage([7], as: "b")
        try place.content.discard("b")
        try place.content.discard("b")
        #expect(try place.content.stagedNames() == [])
    }
}
