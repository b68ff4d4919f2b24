import AgentStore
import Foundation
import Host
import LibraryAPI
import Logging
import PhotoModel
import Settings
import Testing

@testable import AgentService
@testable import BoxIdentity

struct RetentionClockTests {
    private static let day = Duration.seconds(86_400)

    private static var newRoot: String { "/tmp/tintype-retention-\(UUID().uuidString.prefix(8))" }

    /// A box that keeps what it saved for 3,650 days.
    private static func agent(in root: String) throws -> Agent {
        let flags = ["agent.path=\(root)", "queue.retentionDays=3650"]
        let settings = try AgentSettings(
            from: SettingsReader(yaml: "", environment: [:], flags: flags),
            hostName: "box"
        )
        return try Agent(settings: settings, logger: Logger(label: "retention"))
    }

    @Test("T147: a box whose clock is years ahead keeps what it saved for the retention, by the library's clock")
    func ahead() async throws {
        let root = Self.newRoot
        defer { try? FileManager.default.removeItem(atPath: root) }
        let agent = try Self.agent(in: root)
        let store = agent.store
        // The box believes that it is 4,000 days later, and has not heard from the library since it started.
        let saved = HostClock.now().advanced(by: Self.day * -4000)
        try store.setDevice(DeviceID(rawValue: 5))
        let entry = try Self.saved(in: store, at: saved)
        try store.setFact(.lastContact, to: saved)
        try await agent.free()
        #expect(try store.entry(entry.id)?.state == .committed)
        try store.setFact(.lastContact, to: saved.advanced(by: Self.day * 3651))
        try await agent.free()
        #expect(try store.entry(entry.id)?.state == .freed)
    }

    @Test("A box that starts again and again away from its library counts the time that it ran since the last contact")
    func away() async throws {
        let root = Self.newRoot
        defer { try? FileManager.default.removeItem(atPath: root) }
        let agent = try Self.agent(in: root)
        let store = agent.store
        let saved = HostClock.now()
        try store.setDevice(DeviceID(rawValue: 5))
        let entry = try Self.saved(in: store, at: saved)
        try store.setFact(.lastContact, to: saved)
        let tomorrow = saved.advanced(by: Self.day)
        try store.setFact(.clock, to: LearnedClock(tomorrow, atMonotonic: HostClock.monotonicNanoseconds()))
        try await agent.free()
        let passed = try #require(try store.fact(.passed))
        #expect(passed.contact == saved && Int64(passed.clock.milliseconds) >= tomorrow.millisecondsSince1970)
        #expect(try store.entry(entry.id)?.state == .committed)
        // Boots later, in which it heard nothing. What passed before another contact does not count.
        try store.setFact(.clock, to: nil)
        let late = saved.advanced(by: Self.day * 3651)
        let clock = LearnedClock(late, atMonotonic: 0, of: BootID(rawValue: 1))
        try store.setFact(.passed, to: LearnedClock.Passed(contact: tomorrow, clock: clock))
        try await agent.free()
        #expect(try store.entry(entry.id)?.state == .committed)
        try store.setFact(.passed, to: LearnedClock.Passed(contact: saved, clock: clock))
        try await agent.free()
        #expect(try store.entry(entry.id)?.state == .freed)
    }

    /// A photo with the library's receipt.
    private static func saved(in store: AgentStore, at time: WallTime) throws -> QueueEntry {
        let manifest = AssetManifest(
            id: AssetID(rawValue: 7),
            mediaType: .image,
            captureTime: CaptureTime(wall: time, source: .deviceClock, isSynchronized: true),
            resources: []
        )
        let draft = try CaptureDraft(photo: manifest, [1, 2, 3], as: ResourceID(rawValue: 8), in: store)
        let entry = try store.add(draft, now: time)
        let receipt = Receipt(
            libraryID: LibraryID(rawValue: 1),
            libraryEpoch: LibraryEpoch(rawValue: 1),
            deviceID: entry.deviceID,
            assetID: entry.id,
            changeNumber: ChangeNumber(rawValue: 1),
            time: time,
            resources: entry.manifest.resources.map(Receipt.Resource.init)
        )
        let signed = SignedReceipt(receipt: receipt, keyID: "0123456789abcdef", signature: [1])
        let refused = try store.commit([entry.id: signed], verifiedBy: { _ in true }, now: time)
        #expect(refused.isEmpty)
        return entry
    }
}
