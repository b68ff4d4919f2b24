import AgentStore
import Capture
import Foundation
import LibraryAPI
import Persistence
import PhotoLibrary
import PhotoModel
import TestSupport
import Testing

@testable import AgentService

struct CaptureRecoveryTests {
    /// Which files of a Live Photo a crash left.
    enum Left: CaseIterable {
        case nothing, record, partOfStill, still, stillAndPartOfMovie, pair
    }

    @Test("003.21: what a crash left of a Live Photo becomes whole, incomplete, or nothing", arguments: Left.allCases)
    func crash(left: Left) async throws {
        let bench = try CaptureBench()
        let work = try await shoot(bench)
        let names = try PosixFileSystem().list(work)
        let still = try #require(names.first { $0.hasSuffix(".jpg") })
        let movie = try #require(names.first { $0.hasSuffix(".mov") })
        func remove(_ name: String) throws { try PosixFileSystem().unlink(work.appending(name)) }
        func cut(_ name: String) throws {
            try PosixFileSystem().rename(work.appending(name), to: work.appending(".\(name).part"))
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
        let report = try CaptureRecovery(store: bench.store, album: nil).run()
        let entry = try bench.store.entries().first
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
            #expect(entry?.manifest.resources.map(\.type) == [.photo, .pairedVideo])
        }
        #expect(try PosixFileSystem().list(QueueDestination.workFolder(of: bench.store)).isEmpty)
        #expect(try CaptureRecovery(store: bench.store, album: nil).run() == .init(), "running twice changes nothing")
    }

    @Test("A still that a crash left keeps its time with the clocks that prove it, its size and its place")
    func evidence() async throws {
        let bench = try CaptureBench()
        let work = try await shoot(bench)
        let record = try #require(try CaptureRecord.read(from: work, in: PosixFileSystem()))
        _ = try CaptureRecovery(store: bench.store, album: nil).run()
        let manifest = try #require(try bench.store.entries().first?.manifest)
        #expect(manifest.captureTime.bootID == record.requestedTime.bootID)
        #expect(manifest.captureTime.source == .deviceClock)
        let wall = manifest.captureTime.wall.duration(since: record.requestedTime.wall)
        // On a crowded machine a camera's frames come late; another clock would be years away.
        #expect(wall.magnitude < .seconds(60))
        let requested = try #require(record.requestedTime.monotonicNanoseconds)
        let found = try #require(manifest.captureTime.monotonicNanoseconds)
        let distance = Duration.nanoseconds(Int64(found) - Int64(requested))
        // They are read one after the other, and whoever reads them may have to wait in between.
        #expect((distance - wall).magnitude < .milliseconds(100), "both clocks tell one distance")
        #expect(manifest.pixelSize == PixelSize(width: 320, height: 240))
    }

    @Test("Without its record, as after a power cut, the still itself says that it was a Live Photo, and when")
    func withoutRecord() async throws {
        let bench = try CaptureBench()
        let work = try await shoot(bench)
        try PosixFileSystem().unlink(work.appending(CaptureRecord.fileName))
        let movie = try #require(try PosixFileSystem().list(work).first { $0.hasSuffix(".mov") })
        try PosixFileSystem().unlink(work.appending(movie))
        _ = try CaptureRecovery(store: bench.store, album: "Found").run()
        let entry = try #require(try bench.store.entries().first)
        #expect(entry.isIncompleteLivePhoto && entry.manifest.desiredAlbum == .title("Found"))
        #expect(entry.manifest.captureTime.source == .fileMetadata)
        #expect(entry.manifest.captureTime.wall.duration(since: Box.now()).magnitude < .seconds(600))
    }

    @Test("An entry that was made before the crash is not made again; folders of others stay")
    func known() async throws {
        let bench = try CaptureBench()
        let work = try await shoot(bench)
        let copy = bench.folder.appending(path: "copy")
        try FileManager.default.copyItem(atPath: work.text, toPath: copy.path)
        _ = try CaptureRecovery(store: bench.store, album: nil).run()
        try FileManager.default.moveItem(atPath: copy.path, toPath: work.text)
        let foreign = QueueDestination.workFolder(of: bench.store).appending("mine")
        try PosixFileSystem().createDirectories(foreign)
        #expect(try CaptureRecovery(store: bench.store, album: nil).run() == .init())
        #expect(try bench.store.entries().count == 1)
        #expect(try PosixFileSystem().list(QueueDestination.workFolder(of: bench.store)) == ["mine"])
    }

    @Test("A shot that another process is taking is left alone until that process is done, or gone")
    func othersWork() throws {
        let bench = try CaptureBench()
        let record = CaptureRecord(
            id: AssetID(rawValue: 0x0190_0000_0000_7000_8000_0000_0000_0001),
            trigger: .command,
            isLivePhoto: false,
            requestedTime: CaptureTime(wall: Box.now(), source: .deviceClock, isSynchronized: true)
        )
        do {
            let filing = bench.filing
            let folder = try filing.begin(record)
            #expect(try CaptureRecovery(store: bench.store, album: nil).run() == .init())
            #expect(FileManager.default.fileExists(atPath: "\(folder)"))
            try filing.discard(record)
            #expect(!FileManager.default.fileExists(atPath: "\(folder)"))
            _ = try filing.begin(record)
        }
        #expect(try CaptureRecovery(store: bench.store, album: nil).run().removed == ["\(record.id)"])
    }

    /// Takes a Live Photo up to the moment before it would be filed; the folder with its files.
    private func shoot(_ bench: CaptureBench) async throws -> Path {
        let profile = CaptureBench.liveProfile()
        return try await bench.station.withSession(profile.request) { session, _ in
            let reading = bench.station.clock.reading()
            var generator = SystemRandomNumberGenerator()
            let record = CaptureRecord(
                id: .version7(unixMilliseconds: reading.wall.millisecondsSince1970, using: &generator),
                trigger: Trigger(.input, name: "gate"),
                isLivePhoto: true,
                requestedTime: reading.captureTime(of: reading.monotonic, bootID: bench.station.clock.bootID)
            )
            var settings = CapturePhotoSettings(uniqueID: record.id, folder: try bench.filing.begin(record))
            settings.isLivePhoto = true
            settings.requestedTime = reading.monotonic
            _ = try await session.capture(settings)
            return QueueDestination.workFolder(of: bench.store).appending(record.id.description)
        }
    }
}
