import AgentStore
import PhotoModel
import Testing

@testable import AgentCapture

/// Imports that end before all was tried, because the queue takes no more.
struct EndedImportTests {
    /// One file that is empty, and three of 100 bytes, of which the first ends too early.
    private static func card() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("0.jpg", [])
        for number in UInt8(1)...3 {
            let end: [UInt8] = number == 1 ? [0, 0] : [0xFF, 0xD9]
            try folder.write("\(number).jpg", [0xFF, 0xD8, 0xFF, 0xE0, number] + Array(repeating: 1, count: 93) + end)
        }
        return folder
    }

    @Test("Where the queue fills up, what was done is told with the reason; with room the rest comes in")
    func full() throws {
        let bench = try CaptureBench()
        let card = try Self.card()
        let limits = SpaceLimits(maximumByteCount: 250)
        let outcome = try Importer(store: bench.store, limits: limits, album: nil).run([card.path])
        #expect(outcome.report.added == 2 && outcome.report.known == 0, "\(outcome.report)")
        #expect(outcome.report.failed.count == 1 && outcome.report.damaged.count == 1, "\(outcome.report)")
        #expect(outcome.obstacle?.code == .full)
        let error = try #require(outcome.error)
        #expect(error.exit == .full)
        #expect(error.description.contains("queue.maximumBytes") && error.description.contains("imported again"))
        #expect(try bench.store.entries().count == 2)
        let rest = try Importer(store: bench.store, limits: SpaceLimits(), album: nil).run([card.path])
        #expect(rest.report.added == 1 && rest.report.known == 2, "\(rest.report)")
        #expect(rest.obstacle == nil && rest.error == nil)
    }

    @Test("A box that is being retired tells what is known or cannot be taken, and then that it takes nothing new")
    func draining() throws {
        let bench = try CaptureBench()
        let card = try Self.card()
        let limits = SpaceLimits(maximumByteCount: 100)
        let importer = Importer(store: bench.store, limits: limits, album: nil)
        #expect(try importer.run([card.path]).report.added == 1)
        try bench.store.setDevice(DeviceID(rawValue: 5))
        try bench.store.beginDraining()
        try bench.store.closeDraining(begun: [])
        let outcome = try importer.run([card.path])
        #expect(outcome.report.added == 0 && outcome.report.known == 1, "\(outcome.report)")
        #expect(outcome.report.failed.count == 1, "\(outcome.report)")
        #expect(outcome.obstacle?.code == .draining && outcome.error?.exit == .notAllowed)
    }
}
