import AgentStore
import Foundation
import LibraryAPI
import Persistence
import TestSupport
import Testing

@testable import AgentCapture

struct FolderReplacementTests {
    @Test("A file that takes the name of one that is being imported is not deleted with it, but imported next")
    func replaced() async throws {
        let bench = try CaptureBench()
        let drop = try TemporaryFolder()
        let path = drop.path.appending("DSC_1.JPG").text
        let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
        try drop.write("DSC_1.JPG", photo)
        // The camera's next photo, once the first one is in the queue.
        let context = bench.context(captured: {
            guard (try? Data(contentsOf: URL(filePath: path)))?.count == photo.count else { return }
            try? Data(photo + [0]).write(to: URL(filePath: path), options: .atomic)
        })
        let store = bench.store
        let runner = FolderRunner(
            "drop",
            CaptureProfile.WatchPlan(folder: drop.path.text, settleTime: .milliseconds(100), disposal: .remove),
            context,
            importer: { Importer(store: store, limits: SpaceLimits(), album: nil) }
        )
        await runner.runOnce()
        #expect(try store.entries().count == 1)
        #expect(try PosixFileSystem().list(drop.path) == ["DSC_1.JPG"])
        await runner.runOnce()
        #expect(try store.entries().map(\.byteCount).sorted() == [Int64(photo.count), Int64(photo.count) + 1])
        #expect(try PosixFileSystem().list(drop.path).isEmpty)
    }

    @Test("A photo that the queue lost is not known to it: a copy in an emptied folder stays, and the status tells")
    func lost() async throws {
        let bench = try CaptureBench()
        let drop = try TemporaryFolder()
        try drop.write("DSC_1.JPG", [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9])
        let store = bench.store
        #expect(try Importer(store: store, limits: SpaceLimits(), album: nil).run([drop.path]).report.added == 1)
        let entry = try #require(try store.entries().first)
        try PosixFileSystem().unlink(store.file(of: entry.manifest.resources[0], in: entry.id))
        try store.reject(entry.id, "its bytes are missing on this box")
        let runner = FolderRunner(
            "drop",
            CaptureProfile.WatchPlan(folder: drop.path.text, settleTime: .milliseconds(100), disposal: .remove),
            bench.context(),
            importer: { Importer(store: store, limits: SpaceLimits(), album: nil) }
        )
        await runner.runOnce()
        #expect(try PosixFileSystem().list(drop.path) == ["DSC_1.JPG"])
        #expect(await runner.status().failed["DSC_1.JPG"]?.contains("keep this file") == true)
    }
}
