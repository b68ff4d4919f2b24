import AgentStore
import Foundation
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
}
