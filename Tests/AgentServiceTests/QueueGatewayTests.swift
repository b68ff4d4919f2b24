import AgentStore
import BoxIdentity
import Foundation
import Host
import LibraryAPI
import Persistence
import PhotoModel
import TestSupport
import Testing

@testable import AgentService

struct QueueGatewayTests {
    @Test("what is captured between two contacts gets the time that the boot has learned, before the library is told")
    func clock() async throws {
        let root = "/tmp/tintype-gateway-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let store = try AgentStore(
            root: Path(root),
            fileSystem: PosixFileSystem(),
            now: .init(millisecondsSince1970: 0)
        )
        // The box believes that it is ten years earlier.
        let now = WallTime(millisecondsSince1970: HostClock.now().millisecondsSince1970 + 315_360_000_000)
        let monotonic = HostClock.monotonicNanoseconds() / 1_000_000 * 1_000_000
        let clock = try #require(LearnedClock(now, atMonotonic: monotonic))
        try store.setFact(.clock, to: clock)
        let id = AssetID(rawValue: 7)
        let manifest = AssetManifest(
            id: id,
            mediaType: .image,
            captureTime: CaptureTime(
                wall: WallTime(millisecondsSince1970: 0),
                monotonicNanoseconds: monotonic + 60_000_000_000,
                bootID: HostIdentity.bootID(),
                source: .deviceClock,
                isSynchronized: false
            ),
            resources: []
        )
        let draft = try CaptureDraft(photo: manifest, [1, 2, 3], as: ResourceID(rawValue: 8), in: store)
        try store.add(draft, now: now)
        let queue = QueueGateway(store: store, pool: BlockingPool(width: 1)) { _ in true }
        #expect(try LearnedClock.now(in: store) >= now, "days are counted by the learned clock, not by the box's")
        try await queue.beginUpload([id])
        let time = try #require(try store.entry(id)).manifest.captureTime
        #expect(time.wall == now.advanced(by: .seconds(60)) && time.source == .corrected)
    }
}
