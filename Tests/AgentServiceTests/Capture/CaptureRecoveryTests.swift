import AgentCapture
import AgentStore
import Capture
import Foundation
import Host
import LibraryAPI
import Persistence
import PhotoModel
import TestSupport
import Testing

/// What opening a queue makes of shots that a crash interrupted, with files of the real recorder.
struct CaptureRecoveryTests {
    /// Which files of a Live Photo a crash left.
    enum Left: CaseIterable {
        case nothing, record, partOfStill, still, stillAndPartOfMovie, pair
    }

    private let files = PosixFileSystem()

    @Test("003.21: what a crash left of a Live Photo becomes whole, incomplete, or nothing", arguments: Left.allCases)
    func crash(left: Left) async throws {
        let box = try TemporaryFolder()
        let work = try await shoot(in: box.path).folder
        let names = try files.list(work)
        let still = try #require(names.first { $0.hasSuffix(".jpg") })
        let movie = try #require(names.first { $0.hasSuffix(".mov") })
        func remove(_ name: String) throws { try files.unlink(work.appending(name)) }
        func cut(_ name: String) throws {
            try files.rename(work.appending(name), to: work.appending(".\(name).part"))
        }
        switch left {
        case .nothing: for name in names { try remove(name) }
        case .record:
            try remove(still)
            try remove(movie)
        case .partOfStill:
            try cut(still)
            try remove(movie)
        case .still: try remove(movie)
        case .stillAndPartOfMovie: try cut(movie)
        case .pair: break
        }
        do {
            let store = try AgentStore(root: box.path, now: HostClock.now())
            let report = store.recovery
            let entry = try store.entries().first
            switch left {
            case .nothing, .record, .partOfStill:
                #expect(report.adopted.isEmpty && report.removed == [work.name] && entry == nil)
            case .still, .stillAndPartOfMovie:
                #expect(report.adopted.count == 1)
                #expect(entry?.isIncompleteLivePhoto == true && entry?.manifest.resources.map(\.type) == [.photo])
                #expect(entry?.manifest.captureFacts?.isLivePhotoIncomplete == true, "the library is told, too")
            case .pair:
                #expect(report.adopted.count == 1)
                #expect(entry?.isIncompleteLivePhoto == false)
                #expect(entry?.manifest.captureFacts?.isLivePhotoIncomplete == nil)
                #expect(entry?.manifest.mediaSubtypes == .photoLive)
                #expect(entry?.manifest.resources.map(\.type) == [.photo, .pairedVideo])
            }
            #expect(try files.list(store.spool).isEmpty)
        }
        let again = try AgentStore(root: box.path, now: HostClock.now()).recovery
        #expect(again.adopted.isEmpty && again.removed.isEmpty && again.lost.isEmpty, "running twice changes nothing")
    }

    @Test("A still that a crash left keeps its time with the clocks that prove it, its size and its trigger")
    func evidence() async throws {
        let box = try TemporaryFolder()
        let requested = try await shoot(in: box.path).record.manifest.captureTime
        let store = try AgentStore(root: box.path, now: HostClock.now())
        let manifest = try #require(try store.entries().first?.manifest)
        #expect(manifest.captureTime.bootID == requested.bootID)
        #expect(manifest.captureTime.source == .deviceClock)
        let wall = manifest.captureTime.wall.duration(since: requested.wall)
        // On a crowded machine a camera's frames come late; another clock would be years away.
        #expect(wall.magnitude < .seconds(60))
        let asked = try #require(requested.monotonicNanoseconds)
        let found = try #require(manifest.captureTime.monotonicNanoseconds)
        let distance = Duration.nanoseconds(Int64(found) - Int64(asked))
        // They are read one after the other, and the thread that reads them may have to wait in between.
        #expect((distance - wall).magnitude < .milliseconds(100), "both clocks tell one distance")
        #expect(manifest.pixelSize == PixelSize(width: 320, height: 240))
        #expect(manifest.captureFacts?.trigger == "input gate")
    }

    @Test("Without its record, as after a power cut, the still itself says that it was a Live Photo, and when")
    func withoutRecord() async throws {
        let box = try TemporaryFolder()
        let work = try await shoot(in: box.path).folder
        try files.unlink(work.appending("entry.json"))
        let movie = try #require(try files.list(work).first { $0.hasSuffix(".mov") })
        try files.unlink(work.appending(movie))
        let store = try AgentStore(root: box.path, album: "Found", now: HostClock.now())
        let entry = try #require(try store.entries().first)
        #expect(entry.isIncompleteLivePhoto && entry.manifest.desiredAlbum == .title("Found"))
        #expect(entry.manifest.captureTime.source == .fileMetadata)
        #expect(entry.manifest.captureTime.wall.duration(since: HostClock.now()).magnitude < .seconds(600))
    }

    @Test("An entry that was made before the crash is not made again, freed or not")
    func known() async throws {
        let box = try TemporaryFolder()
        let work = try await shoot(in: box.path).folder
        let copy = box.path.appending("copy")
        try FileManager.default.copyItem(atPath: work.text, toPath: copy.text)
        do { _ = try AgentStore(root: box.path, now: HostClock.now()) }
        try FileManager.default.moveItem(atPath: copy.text, toPath: work.text)
        let store = try AgentStore(root: box.path, now: HostClock.now())
        #expect(store.recovery.adopted.isEmpty && store.recovery.removed == [work.name])
        #expect(try store.entries().count == 1)
    }

    @Test("Where the queue is encrypted, an interrupted shot is sealed, and nothing of it stays in plain")
    func sealed() async throws {
        let box = try TemporaryFolder()
        _ = try await shoot(in: box.path)
        let folders = ["spool", "originals"].map { box.path.appending($0) }
        let sealing = SealedFileSystem(files, below: folders, key: [UInt8](repeating: 7, count: 32))
        let store = try AgentStore(root: box.path, fileSystem: sealing, now: HostClock.now())
        let entry = try #require(try store.entries().first)
        #expect(entry.manifest.resources.count == 2 && store.recovery.failed.isEmpty)
        for resource in entry.manifest.resources {
            let found = try ContentHasher.digest(store.file(of: resource, in: entry.id), in: sealing)
            #expect(found.digest == resource.digest)
        }
        let names = try files.list(store.folder(of: entry.id))
        #expect(names.count == 3 && names.allSatisfy { $0.hasSuffix(".sealed") }, "\(names)")
        #expect(try files.list(store.spool).isEmpty)
    }

    /// Takes a Live Photo and leaves it in a box's spool, as a process that ends before it is in the queue.
    private func shoot(in box: Path) async throws -> (folder: Path, record: EntryRecord) {
        let bench = try CaptureBench()
        let destination = bench.destination
        let profile = CaptureBench.liveProfile()
        return try await bench.provider.withSession(profile.request) { session, _ in
            let reading = bench.provider.clock.reading()
            var generator = SystemRandomNumberGenerator()
            var manifest = AssetManifest(
                id: .version7(unixMilliseconds: reading.wall.millisecondsSince1970, using: &generator),
                mediaType: .image,
                captureTime: reading.captureTime(of: reading.monotonic, bootID: bench.provider.clock.bootID),
                resources: []
            )
            manifest.captureFacts = CaptureFacts(trigger: "input gate")
            let record = EntryRecord(manifest, isIncompleteLivePhoto: true)
            var settings = CapturePhotoSettings(uniqueID: manifest.id, folder: try destination.begin(record))
            settings.isLivePhoto = true
            settings.requestedTime = reading.monotonic
            _ = try await session.capturePhoto(with: settings).result()
            let folder = box.appending("spool").appending(manifest.id.description)
            try files.createDirectories(folder.parent)
            try FileManager.default.copyItem(atPath: "\(settings.folder)", toPath: folder.text)
            return (folder, record)
        }
    }
}
