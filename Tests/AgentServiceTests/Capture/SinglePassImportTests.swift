import AgentStore
import Foundation
import Host
import LibraryAPI
import MediaSamples
import Persistence
import PhotoModel
import Synchronization
import Testing

@testable import AgentCapture

/// How often an import reads a file, and how its bytes come into the queue.
struct SinglePassImportTests {
    private static func jpeg(_ number: UInt8, byteCount: Int = 3_000_000) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, number] + Array(repeating: number, count: byteCount) + [0xFF, 0xD9]
    }

    /// A queue in a file system that counts, and a folder in it.
    private struct Setup {
        let card: TemporaryFolder
        let queue: TemporaryFolder
        let files: ReadCounter
        let store: AgentStore

        init(_ files: ReadCounter = ReadCounter()) throws {
            card = try TemporaryFolder()
            queue = try TemporaryFolder()
            self.files = files
            store = try AgentStore(root: queue.path, fileSystem: files, now: HostClock.now())
        }

        func run(_ change: (inout Importer.Options) -> Void = { _ in }) throws -> Importer.Outcome {
            var options = Importer.Options()
            options.readsEverything = true
            change(&options)
            return try Importer(
                store: store,
                limits: SpaceLimits(),
                album: nil,
                options: options,
                in: files
            ).run([card.path])
        }

        func there(_ name: String) throws -> Bool { try PosixFileSystem().status(card.path.appending(name)) != nil }

        /// How many names the bytes of an entry's photo have.
        func nameCount(_ entry: QueueEntry) throws -> Int {
            let path = store.file(of: try #require(entry.manifest.resources.first), in: entry.id)
            let attributes = try FileManager.default.attributesOfItem(atPath: path.text)
            return try #require(attributes[.referenceCount] as? Int)
        }

        /// Every entry's files are what their digests say, and nothing waits in the spool.
        func check(_ count: Int) throws {
            let entries = try store.entries()
            #expect(entries.count == count)
            for entry in entries {
                for resource in entry.manifest.resources {
                    let found = try ContentHasher.digest(store.file(of: resource, in: entry.id), in: PosixFileSystem())
                    #expect(found.digest == resource.digest && found.byteCount == resource.byteCount)
                }
                #expect(entry.id == .derived(from: try #require(entry.manifest.resources.first).digest))
            }
            #expect(try PosixFileSystem().list(store.spool).isEmpty)
        }
    }

    @Test("A new file is read once beyond its description, whatever it becomes, and its copy is not read at all")
    func once() throws {
        let setup = try Setup()
        try setup.card.write("IMG_1.JPG", Self.jpeg(1))
        try setup.card.write("IMG_1.AAE", Array("an edit".utf8))
        // Reads its description and hashes it.
        #expect(try setup.run { $0.isDryRun = true }.report.added == 1)
        let readByLook = setup.files.byteCount(of: "IMG_1.JPG")
        #expect(try setup.run { $0.readsEverything = false }.report.added == 1)
        #expect(setup.files.byteCount(of: "IMG_1.JPG") == 2 * readByLook)
        #expect(setup.files.byteCount(of: "IMG_1.AAE") <= 3 * 7)
        #expect(setup.files.byteCount(of: "1") == 0 && setup.files.writtenByteCount(of: "1") == 3_000_007)
        try setup.check(1)
    }

    @Test("Small files wait for the disk once per batch; of two with the same bytes, in one batch or two, one is known")
    func flushes() throws {
        let setup = try Setup()
        for number in 0..<UInt8(200) { try setup.card.write("IMG_\(number).JPG", Self.jpeg(number, byteCount: 100)) }
        // In another batch than its twin.
        try setup.card.write("ZZZ.JPG", Self.jpeg(0, byteCount: 100))
        try setup.card.write("A.JPG", Self.jpeg(250, byteCount: 100))
        try setup.card.write("B.JPG", Self.jpeg(250, byteCount: 100))
        let before = setup.files.flushCount
        let report = try setup.run { $0.readsEverything = false }.report
        #expect(report.added == 201 && report.known == 2, "\(report)")
        #expect(setup.files.flushCount - before == 2)
        try setup.check(201)
    }

    @Test("To describe a photo, its beginning and its end are read, or all of a short one, once")
    func description() throws {
        let setup = try Setup()
        let still = try SampleStill.jpeg(imageBytes: 3 << 20)
        let short = try SampleStill.jpeg(imageBytes: 100_000)
        try setup.card.write("IMG_1.JPG", still)
        try setup.card.write("IMG_2.JPG", short)
        let report = try setup.run {
            $0.transfer = .link
            $0.readsEverything = false
        }.report
        #expect(report.added == 2 && report.damaged.isEmpty, "\(report)")
        #expect(setup.files.byteCount(of: "1") + setup.files.byteCount(of: "2") == still.count + short.count)
        #expect(setup.files.byteCount(of: "IMG_1.JPG") < 700 << 10)
        #expect(setup.files.byteCount(of: "IMG_2.JPG") < 2 * short.count)
        try setup.check(2)
    }

    @Test("Where the file system shares blocks, nothing is written, and the copy is read once to hash it")
    func sharing() throws {
        let setup = try Setup(ReadCounter(sharesBlocks: true))
        try setup.card.write("IMG_1.JPG", Self.jpeg(1))
        #expect(try setup.run { $0.readsEverything = false }.report.added == 1)
        #expect(setup.files.writtenByteCount(of: "1") == 0 && setup.files.byteCount(of: "1") == 3_000_007)
        try setup.check(1)
    }

    @Test("What is known under another name leaves no copy, and where most is known nothing is copied any more")
    func known() throws {
        let setup = try Setup()
        for number in UInt8(0)..<130 { try setup.card.write("IMG_\(number).JPG", Self.jpeg(number, byteCount: 100)) }
        #expect(try setup.run().report.added == 130)
        for number in UInt8(0)..<130 { try setup.card.write("COPY_\(number).JPG", Self.jpeg(number, byteCount: 100)) }
        let written = setup.files.writtenByteCount(of: "3")
        let again = try setup.run { $0.readsEverything = false }.report
        #expect(again.added == 0 && again.known == 260, "\(again)")
        #expect(setup.files.writtenByteCount(of: "3") <= written + 107, "one batch at most was copied in vain")
        try setup.check(130)
    }

    @Test(
        "T156: a file that changes while it is copied, or since it was hashed, is not taken in part or as another one",
        arguments: [false, true]
    )
    func changing(isHashedFirst: Bool) throws {
        let card = Mutex<Path?>(nil)
        let count = isHashedFirst ? 2 : 1
        // Once, when the first copy begins.
        let files = ReadCounter { path, mode in
            guard mode == .create, path.parent.name.hasPrefix("staging-"), let folder = card.withLock({ $0.take() })
            else { return }
            try? Self.overwrite(folder.appending("IMG_\(count).JPG"))
        }
        let setup = try Setup(files)
        for number in 1...count {
            try setup.card.write("IMG_\(number).JPG", Self.jpeg(UInt8(number), byteCount: 100))
        }
        card.withLock { $0 = setup.card.path }
        let report = try setup.run { $0.readsEverything = isHashedFirst }.report
        #expect(report.added == count - 1 && report.failed.count == 1, "\(report)")
        #expect(report.failed.allSatisfy { $0.contains("it changed while it was imported") })
        try setup.check(count - 1)
        #expect(try setup.run { $0.readsEverything = false }.report.added == 1)
        try setup.check(count)
    }

    /// Writes other bytes of the same number into a photo, as a camera does that counts from 1 again.
    private static func overwrite(_ path: Path) throws {
        let file = try PosixFileSystem().open(path, .update)
        try file.write([99], at: 4)
        try file.close()
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path.text)
    }

    @Test("A photo that is sent and freed between the look into the queue and the look at its copy is known")
    func freedMeanwhile() throws {
        let event = Mutex<(@Sendable () -> Void)?>(nil)
        let setup = try Setup(
            ReadCounter { path, _ in
                guard path.parent.parent.name == "originals" else { return }
                let act = event.withLock { $0.take() }
                act?()
            }
        )
        try setup.card.write("IMG_1.JPG", Self.jpeg(1, byteCount: 100))
        #expect(try setup.run().report.added == 1)
        let entry = try #require(try setup.store.entries().first)
        event.withLock { [store = setup.store] event in event = { _ = try? store.saveAndFree(entry) } }
        let report = try setup.run().report
        #expect(report.known == 1 && report.failed.isEmpty, "\(report)")
        #expect(try setup.store.entries().map(\.state) == [.freed])
    }

    @Test("--link gives files a second name, --move takes them; what was known or is no part of an asset stays")
    func names() throws {
        let setup = try Setup()
        try setup.card.write("IMG_1.JPG", Self.jpeg(1))
        #expect(try setup.run { $0.transfer = .link }.report.added == 1)
        #expect(try setup.there("IMG_1.JPG"))
        #expect(try setup.nameCount(try #require(try setup.store.entries().first)) == 2)
        try setup.card.write("IMG_2.JPG", Self.jpeg(2))
        try setup.card.write("IMG_2.AAE", Array("an edit".utf8))
        try setup.card.write("IMG_2.xmp", Array("no XMP".utf8))
        try setup.card.write("notes.txt", Array("no picture".utf8))
        let report = try setup.run { $0.transfer = .move }.report
        #expect(
            report.added == 1 && report.known == 1 && report.notRemoved.isEmpty && report.failed.isEmpty,
            "\(report)"
        )
        let there = try PosixFileSystem().list(setup.card.path)
        #expect(there == ["IMG_1.JPG", "IMG_2.xmp", "notes.txt"])
        #expect(try setup.nameCount(try #require(try setup.store.entries().last)) == 1)
        #expect(setup.files.writtenByteCount(of: "1") == 0)
        try setup.check(2)
    }

    /// The real file system, which does not remove files of a folder, as if it were another user's.
    private struct ForeignFolder: LayeredFileSystem {
        let base: any FileSystem = PosixFileSystem()
        let folder: Path

        func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
            try base.open(path, mode)
        }

        func status(_ path: Path) throws(PersistenceError) -> FileStatus? { try base.status(path) }

        func unlink(_ path: Path) throws(PersistenceError) {
            guard !path.text.hasPrefix(folder.text) else {
                throw PersistenceError(.notPermitted, "unlink", path.text, "planted")
            }
            try base.unlink(path)
        }
    }

    @Test("Files that cannot be moved out of their folder are in the queue, and it is said that they are still there")
    func stays() throws {
        let (card, queue) = (try TemporaryFolder(), try TemporaryFolder())
        let files = ForeignFolder(folder: card.path)
        let store = try AgentStore(root: queue.path, fileSystem: files, now: HostClock.now())
        for number in UInt8(1)...2 { try card.write("IMG_\(number).JPG", Self.jpeg(number, byteCount: 100)) }
        var options = Importer.Options()
        options.transfer = .move
        let importer = Importer(store: store, limits: SpaceLimits(), album: nil, options: options)
        let report = try importer.run([card.path]).report
        #expect(report.added == 2 && report.failed.isEmpty && report.notRemoved.count == 2, "\(report)")
        #expect(try store.entries().count == 2)
    }

    @Test("A file that a link leads to is copied only; a dry run moves nothing")
    func unlinkable() throws {
        let setup = try Setup()
        try setup.card.write("IMG_1.JPG", Self.jpeg(1))
        #expect(try setup.run { ($0.transfer, $0.isDryRun) = (.move, true) }.report.added == 1)
        #expect(try setup.there("IMG_1.JPG"))
        let link = setup.queue.path.appending("link.jpg")
        try FileManager.default.createSymbolicLink(
            atPath: link.text,
            withDestinationPath: setup.card.path.appending("IMG_1.JPG").text
        )
        var options = Importer.Options()
        options.transfer = .move
        let importer = Importer(store: setup.store, limits: SpaceLimits(), album: nil, options: options)
        let report = try importer.run([link]).report
        #expect(
            report.added == 0 && report.failed.count == 1 && report.failed[0].contains("named by a link"),
            "\(report)"
        )
        #expect(try setup.there("IMG_1.JPG"))
        try setup.check(0)
    }

    @Test(
        "Across file systems --link and --move end at once and say what to do; a copy comes in",
        arguments: [
            Intake.Transfer.link, .move,
        ]
    )
    func otherFileSystem(transfer: Intake.Transfer) throws {
        let setup = try Setup(ReadCounter(hasLinks: false))
        for number in UInt8(1)...3 { try setup.card.write("IMG_\(number).JPG", Self.jpeg(number, byteCount: 100)) }
        let outcome = try setup.run {
            $0.transfer = transfer
            $0.readsEverything = false
        }
        #expect(outcome.obstacle?.code == .otherFileSystem && outcome.report.added == 0, "\(outcome)")
        #expect(outcome.error?.exit == .failed)
        #expect(outcome.error?.description.contains("different file systems") == true)
        #expect(try setup.there("IMG_1.JPG"))
        try setup.check(0)
    }
}
