import AgentStore
import Capture
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import AgentCapture
@testable import AgentCommands
@testable import AgentService

/// What a box that is being retired says at its contacts, with a shot under way.
struct DrainingTests {
    private static let root = Path("/tmp/tintype-draining-\(UUID().uuidString)")
    private static let device = DeviceID(rawValue: 5)
    private let files = PosixFileSystem()

    private func manifest(_ number: UInt128) -> AssetManifest {
        AssetManifest(
            id: AssetID(rawValue: number),
            mediaType: .image,
            captureTime: CaptureTime(
                wall: .init(millisecondsSince1970: 0),
                source: .deviceClock,
                isSynchronized: true
            ),
            resources: []
        )
    }

    private func draft(_ number: UInt128, in store: AgentStore) throws -> CaptureDraft {
        let bytes = [1, 2, UInt8(truncatingIfNeeded: number)]
        return try CaptureDraft(photo: manifest(number), bytes, as: ResourceID(rawValue: number), in: store)
    }

    private func record(_ number: UInt128) -> EntryRecord {
        EntryRecord(manifest(number), isIncompleteLivePhoto: false)
    }

    @Test("A shot that was begun is announced, waited for and taken in; one that is begun later is refused in words")
    func underWay() throws {
        defer { try? FileManager.default.removeItem(atPath: Self.root.text) }
        let now = WallTime(millisecondsSince1970: 0)
        let store = try AgentStore(root: Self.root, fileSystem: files, now: now)
        try store.setDevice(Self.device)
        let destination = QueueDestination(store: store, limits: SpaceLimits())
        try store.add(draft(1, in: store), now: now)
        _ = try destination.begin(record(2))
        #expect(try Draining.next(after: nil, nil, in: store) == nil && Draining.report(of: store) == nil)

        let open = DrainProgress(isAnnounced: false, remainingCount: 0)
        let said = try Draining.next(after: open, nil, in: store)
        #expect(said?.isWhole == true && said?.isDelivered == false)
        #expect(said?.announced.sorted() == [manifest(1).id, manifest(2).id])
        #expect(try Draining.next(after: open, said, in: store) == nil, "not in a loop")
        let refusal = #expect(throws: AgentStoreError.self) { try destination.begin(record(3)) }
        #expect(refusal?.code == .draining && AgentExit(for: refusal ?? CancellationError()) == .notAllowed)
        #expect(try store.begunShots() == [manifest(2).id])

        let closed = DrainProgress(isAnnounced: true, remainingCount: 2)
        #expect(try Draining.next(after: closed, said, in: store) == nil)
        try store.reject(manifest(1).id, "refused for good")
        #expect(try Draining.report(of: store) == nil, "a shot is under way")
        destination.discard(manifest(2).id)
        try store.add(draft(2, in: store), now: now)
        #expect(try Draining.report(of: store) == nil, "it is to be sent")
        try store.reject(manifest(2).id, "refused for good")
        let last = DrainReport(isWhole: true, isDelivered: true)
        #expect(try Draining.next(after: closed, nil, in: store) == last)
        try Draining.noteRevocation(in: store)
        #expect(try store.draining()?.isEnded == true, "the answer to the last report was lost")
        #expect(try Draining.next(after: nil, nil, in: store) == nil)
        #expect(try store.draining() == nil, "a library that takes it again lets it go on")
        _ = try destination.begin(record(3))
    }
}
