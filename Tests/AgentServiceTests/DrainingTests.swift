import AgentStore
import Capture
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import AgentService

/// What a box that is being retired says at its contacts, with a shot under way.
struct DrainingTests {
    private static let root = Path("/tmp/tintype-draining-\(UUID().uuidString)")
    private static let device = DeviceID(rawValue: 5)
    private let files = PosixFileSystem()

    private func draft(_ number: UInt128) -> CaptureDraft {
        let manifest = AssetManifest(
            id: AssetID(rawValue: number),
            mediaType: .image,
            captureTime: CaptureTime(
                wall: .init(millisecondsSince1970: 0),
                source: .deviceClock,
                isSynchronized: true
            ),
            resources: []
        )
        let photo = CaptureDraft.Resource(
            id: ResourceID(rawValue: number),
            type: .photo,
            contentType: "image/jpeg",
            content: .bytes([1, 2, UInt8(truncatingIfNeeded: number)])
        )
        return CaptureDraft(manifest: manifest, resources: [photo])
    }

    private func record(_ number: UInt128) -> CaptureRecord {
        CaptureRecord(
            id: AssetID(rawValue: number),
            trigger: .command,
            isLivePhoto: false,
            requestedTime: draft(number).manifest.captureTime
        )
    }

    @Test("A shot that was begun is announced, waited for and taken in; one that is begun later is refused in words")
    func underWay() throws {
        defer { try? FileManager.default.removeItem(atPath: Self.root.text) }
        let now = WallTime(millisecondsSince1970: 0)
        let store = try AgentStore(root: Self.root, fileSystem: files, now: now)
        try store.setDevice(Self.device)
        let filing = QueueDestination(store: store, limits: SpaceLimits())
        try store.add(draft(1), now: now)
        _ = try filing.begin(record(2))
        #expect(try Draining.next(after: nil, nil, in: store) == nil && Draining.report(of: store) == nil)

        let open = DrainProgress(isAnnounced: false, remainingCount: 0)
        let said = try Draining.next(after: open, nil, in: store)
        #expect(said?.isWhole == true && said?.isDelivered == false)
        #expect(said?.announced.sorted() == [draft(1).manifest.id, draft(2).manifest.id])
        #expect(try Draining.next(after: open, said, in: store) == nil, "not in a loop")
        let refusal = #expect(throws: AgentStoreError.self) { try filing.begin(record(3)) }
        #expect(refusal?.code == .retiring && Console.exit(for: refusal ?? CancellationError()) == .notAllowed)
        #expect(try files.list(QueueDestination.workFolder(of: store)) == [draft(2).manifest.id.description])

        let closed = DrainProgress(isAnnounced: true, remainingCount: 2)
        #expect(try Draining.next(after: closed, said, in: store) == nil)
        try store.bury(draft(1).manifest.id, "refused for good")
        #expect(try Draining.report(of: store) == nil, "a shot is under way")
        try store.add(draft(2), now: now)
        try filing.discard(record(2))
        #expect(try Draining.report(of: store) == nil, "it is to be sent")
        try store.bury(draft(2).manifest.id, "refused for good")
        let last = DrainReport(isWhole: true, isDelivered: true)
        #expect(try Draining.next(after: closed, nil, in: store) == last)
        try Draining.noteRevocation(in: store)
        #expect(try store.draining()?.isEnded == true, "the answer to the last report was lost")
        #expect(try Draining.next(after: nil, nil, in: store) == nil)
        #expect(try store.draining() == nil, "a library that takes it again lets it go on")
        _ = try filing.begin(record(3))
    }
}
