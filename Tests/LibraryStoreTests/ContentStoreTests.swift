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

        init(directory: TemporaryDirectory, layout: LibraryLayout, content: any ContentStore) {
            self.directory = directory
            self.layout = layout
            self.content = content
        }

        /// A sealed journal with these contents.
        func journal(_ contents: [[UInt8]]) throws -> (name: String, records: [ContentJournal.Record]) {
            let journal = try content.beginJournal("j")
            for bytes in contents {
                let address = ContentAddress(ContentHasher.digest(bytes), contentType: "image/png")
                try journal.take([.begin(address, byteCount: Int64(bytes.count)), .bytes(bytes), .end])
            }
            let ended = try journal.finish()
            #expect(!ended.contains { !$0.isWhole })
            return (journal.name, ended.map(\.record))
        }

        /// The plain files that are there.
        func visited() throws -> Set<ContentAddress> {
            var addresses: Set<ContentAddress> = []
            try content.visit { address, _ in if let address { addresses.insert(address) } }
            return addresses
        }

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
        // What is staged stays until the rows are there: a crash before them loses nothing.
        for publication in publications { try place.content.discard(publication.stagedName) }
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
        try place.content.discard("a")
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

    @Test("what a journal holds is there at once, becomes a plain file when it is settled, and nothing else does")
    func journals() throws {
        for kind in Kind.allCases {
            let place = try Place(kind)
            let (journal, records) = try place.journal([[1, 2, 3], [4], []])
            for result in place.content.publish(records.map { Publication($0, of: journal) }) { try result.get() }
            for (record, bytes) in zip(records, [[1, 2, 3], [4], []] as [[UInt8]]) {
                #expect(try place.content.open(record.address).read(10, at: 0) == bytes)
                #expect(try place.content.byteCount(record.address) == Int64(bytes.count))
                #expect(try place.content.measure(record.address)?.digest == record.address.digest)
            }
            #expect(try place.visited() == [])
            #expect(try place.content.settle([journal: []]) == 0, "one that is open is not settled")
            place.content.closeJournal(journal)
            #expect(place.content.journaledDigests()[journal]?.count == 3)
            let wanted = Set(records.prefix(2).map(\.address.digest))
            #expect(try place.content.settle([journal: wanted]) == 2)
            #expect(try place.visited() == Set(records.prefix(2).map(\.address)))
            #expect(try place.content.open(records[0].address).read(10, at: 1) == [2, 3])
            #expect(try place.content.byteCount(records[2].address) == nil, "nobody wanted it")
            #expect(place.content.journaledByteCount == 0)
        }
    }

    @Test("what lies in a journal goes to quarantine like anything else", arguments: Kind.allCases)
    func quarantinesFromJournals(kind: Kind) throws {
        let place = try Place(kind)
        let (journal, records) = try place.journal([[8, 9]])
        for result in place.content.publish([Publication(records[0], of: journal)]) { try result.get() }
        _ = try place.content.quarantine(records[0].address)
        #expect(try place.content.byteCount(records[0].address) == nil)
        #expect(try place.content.restoreIfWhole(records[0].address))
        #expect(try place.content.open(records[0].address).read(2, at: 0) == [8, 9])
    }

    @Test("another process takes up sealed journals, believes only contents whose digest is right, and drops the rest")
    func recoversJournals() throws {
        let directory = try TemporaryDirectory()
        let layout = LibraryLayout(root: directory.path.appending("library"))
        let files = SimulatedFileSystem(seed: 2)
        try layout.create(LibraryID(rawValue: 1), in: files)
        let place = Place(directory: directory, layout: layout, content: FileContentStore(layout, in: files))
        let (journal, records) = try place.journal([[1, 2, 3], [4, 5, 6]])
        files.damage(layout.journals.appending(journal)) { $0[Int(records[1].offset)] ^= 1 }
        _ = try place.content.beginJournal("unsealed")
        let next = FileContentStore(layout, in: files)
        let found = try next.recoverJournals()
        #expect(found.contents == 1 && found.dropped == 1)
        #expect(try next.open(records[0].address).read(9, at: 0) == [1, 2, 3])
        #expect(try next.byteCount(records[1].address) == nil)
        #expect(try next.settle([journal: [records[0].address.digest]]) == 1)
        #expect(try files.list(layout.journals) == [])
    }

    @Test("bytes that are no journal are never taken for one", arguments: 0..<60)
    func hostileJournals(cut: Int) throws {
        let directory = try TemporaryDirectory()
        let layout = LibraryLayout(root: directory.path.appending("library"))
        let files = SimulatedFileSystem(seed: 3)
        try layout.create(LibraryID(rawValue: 1), in: files)
        let place = Place(directory: directory, layout: layout, content: FileContentStore(layout, in: files))
        let (journal, _) = try place.journal([[1, 2, 3]])
        files.damage(layout.journals.appending(journal)) { bytes in
            if cut % 2 == 0 {
                bytes.removeLast(min(bytes.count, cut + 1))
            } else {
                bytes[min(cut, bytes.count - 1)] ^= 0xFF
            }
        }
        let found = try FileContentStore(layout, in: files).recoverJournals()
        #expect(found.contents == 0)
    }
}
