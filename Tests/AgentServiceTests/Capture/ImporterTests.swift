import AgentStore
import Foundation
import LibraryAPI
import MediaFormats
import Persistence
import PhotoLibrary
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import AgentCapture

struct ImporterTests {
    /// The files of a Live Photo that this box took into a folder, and a queue that does not know them.
    private struct Pair {
        let bench: CaptureBench
        let folder: TemporaryFolder
        let still: [UInt8]
        let movie: [UInt8]

        init() async throws {
            bench = try CaptureBench()
            folder = try TemporaryFolder()
            let source = try CaptureBench()
            let shot = try #require(try await source.takeShots(CaptureBench.liveProfile()).first)
            try #require(shot.files.count == 2, "a still and its movie")
            still = Array(try Data(contentsOf: URL(filePath: shot.files[0])))
            movie = Array(try Data(contentsOf: URL(filePath: shot.files[1])))
        }

        func run() throws -> Importer.Report {
            try Importer(store: bench.store, limits: SpaceLimits(), album: "Card").run([folder.path]).report
        }
    }

    @Test("A pair is one Live Photo with the time, place, size and length that its files tell; again it is known")
    func pair() async throws {
        let pair = try await Pair()
        try pair.folder.write("IMG_1.JPG", pair.still)
        try pair.folder.write("IMG_1.MOV", pair.movie)
        #expect(try pair.run().added == 1)
        let manifest = try #require(try pair.bench.store.entries().first?.manifest)
        #expect(manifest.resources.map(\.type) == [.photo, .pairedVideo])
        #expect(manifest.captureTime.source == .fileMetadata && manifest.captureTime.utcOffsetSeconds != nil)
        #expect(manifest.pixelSize == PixelSize(width: 320, height: 240))
        #expect(manifest.durationMicroseconds.map { $0 > 0 } == true)
        #expect(manifest.desiredAlbum == .title("Card"))
        let again = try pair.run()
        #expect(again.added == 0 && again.known == 1)
    }

    @Test("An import tells how far it has come, in pairs and bytes, up to all of them, also of what is known")
    func progress() async throws {
        let pair = try await Pair()
        try pair.folder.write("IMG_1.JPG", pair.still)
        try pair.folder.write("IMG_1.MOV", pair.movie)
        try pair.folder.write("IMG_2.JPG", pair.still + [0])
        let importer = Importer(store: pair.bench.store, limits: SpaceLimits(), album: nil)
        let first = Int64(pair.still.count + pair.movie.count)
        let total = first + Int64(pair.still.count + 1)
        for _ in 0..<2 {
            let all = Mutex<[Importer.Progress]>([])
            _ = try importer.run([pair.folder.path]) { progress in all.withLock { $0.append(progress) } }
            let told = all.withLock { $0 }
            #expect(told.map(\.doneCount) == [1, 2])
            // Both are read at once.
            #expect([first, total - first].contains(told.first?.doneBytes) && told.last?.doneBytes == total)
            #expect(told.allSatisfy { $0.count == 2 && $0.byteCount == total })
        }
    }

    @Test("Files of one name that belong to different Live Photos are two assets")
    func strangers() async throws {
        let pair = try await Pair()
        let other = try await Pair()
        try pair.folder.write("IMG_1.JPG", pair.still)
        try pair.folder.write("IMG_1.MOV", other.movie)
        #expect(try pair.run().added == 2)
        #expect(try pair.bench.store.entries().allSatisfy { $0.manifest.resources.count == 1 })
    }

    @Test("A Motion Photo keeps its file byte for byte, and its movie plays as a Live Photo's")
    func motionPhoto() async throws {
        let pair = try await Pair()
        let beginning = try MotionPhoto.beginning(
            still: pair.still,
            movieByteCount: pair.movie.count,
            movieType: .quickTimeMovie,
            stillTime: .milliseconds(500)
        )
        let head = try pair.still.withBytes { bytes throws(MediaFormatError) in try beginning.copyBytes(from: bytes) }
        let file = head + pair.movie
        try pair.folder.write("PXL_1.MP.jpg", file)
        #expect(try pair.run().added == 1)
        let entry = try #require(try pair.bench.store.entries().first)
        #expect(entry.manifest.resources.map(\.type) == [.photo, .pairedVideo])
        #expect(entry.manifest.mediaSubtypes.contains(.photoLive))
        let digests = entry.manifest.resources.map(\.digest)
        #expect(digests == [ContentHasher.digest(file), ContentHasher.digest(pair.movie)])
    }

    @Test("What is no media is passed over, and a file without a date has that of its last change")
    func others() async throws {
        let pair = try await Pair()
        try pair.folder.write("notes.txt", Array("no picture".utf8))
        try pair.folder.write("plain.jpg", [0xFF, 0xD8, 0xFF, 0xD9])
        let report = try pair.run()
        #expect(report.added == 1 && report.skipped == 1)
        #expect(try pair.bench.store.entries().first?.manifest.captureTime.source == .fileModification)
    }
}
