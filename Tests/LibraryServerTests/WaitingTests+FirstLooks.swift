import Authorization
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer
@testable import LibraryStore

/// Whose first look is shared with those who wait.
extension WaitingTests {
    @Test("A limited device's first look near the end of the feed is shared, unless changes came while nobody waited")
    func nearEnd() async throws {
        let library = LookedAt()
        let looks = ChangeLooks { await library.look($0) }
        #expect(!looks.takeFirstLook(at: Self.position(1000), for: Self.limited(1)))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await looks.run() }
            for (device, number) in [(1, Int64(1001)), (2, 745), (3, 744)] {
                try await Self.tell(device, at: number, by: looks, of: library)
            }
            #expect(looks.takeFirstLook(at: Self.position(1001), for: Self.limited(1)))
            #expect(looks.takeFirstLook(at: Self.position(745), for: Self.limited(2)))
            #expect(!looks.takeFirstLook(at: Self.position(744), for: Self.limited(3)))
            var device = 4
            repeat {
                device += 1
                try await Self.tell(device, at: 1001, by: looks, of: library)
                looks.notify()
                await Task.yield()
            } while looks.takeFirstLook(at: Self.position(1001), for: Self.limited(device))
            group.cancelAll()
        }
    }

    @Test("T130: a place that a limited device shows again, or that no page told, is looked at by its own request")
    func toldPlaces() async throws {
        let library = LookedAt()
        let looks = ChangeLooks { await library.look($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await looks.run() }
            try await Self.tell(1, at: 7, by: looks, of: library)
            try await Self.tell(1, at: 9, by: looks, of: library)
            #expect(!looks.takeFirstLook(at: Self.position(7), for: Self.limited(1)))
            #expect(!looks.takeFirstLook(at: Self.position(8), for: Self.limited(1)))
            #expect(!looks.takeFirstLook(at: Self.position(9), for: Self.limited(2)))
            #expect(looks.takeFirstLook(at: Self.position(9), for: Self.limited(1)))
            // A page of its own leads on, too.
            _ = await looks.firstLook(for: Self.limited(2)) { .empty(at: Self.position(8)) }
            #expect(!looks.takeFirstLook(at: Self.position(7), for: Self.limited(2)))
            #expect(looks.takeFirstLook(at: Self.position(8), for: Self.limited(2)))
            group.cancelAll()
        }
    }

    @Test("A device that its first look told something shares its next look while others still have their first one")
    func lookingMeanwhile() async throws {
        let library = LookedAt()
        let looks = ChangeLooks { await library.look($0) }
        let others = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = await looks.firstLook(for: Self.limited(3)) {
                    for await _ in others.stream {}
                    return .empty(at: Self.position(9))
                }
            }
            while looks.lookingCount == 0 { await Task.yield() }
            // A page with more behind it does not tell where the end is.
            _ = await looks.firstLook(for: Self.limited(1)) {
                ChangePage(changes: [], position: Self.position(7), hasMore: true)
            }
            #expect(!looks.takeFirstLook(at: Self.position(7), for: Self.limited(1)))
            _ = await looks.firstLook(for: Self.limited(2)) { .empty(at: Self.position(8)) }
            looks.notify()
            await looks.look()
            #expect(looks.takeFirstLook(at: Self.position(8), for: Self.limited(2)))
            others.continuation.finish()
            try await group.waitForAll()
        }
        // Nobody looks any more.
        looks.notify()
        await looks.look()
        #expect(!looks.takeFirstLook(at: Self.position(9), for: Self.limited(3)))
        #expect(await library.rounds.isEmpty)
    }

    @Test("In each round one first look of a limited device is shared, and none of whoever sees everything")
    func firstLooks() async throws {
        let library = LookedAt()
        let looks = ChangeLooks { await library.look($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await looks.run() }
            group.addTask {
                let patience = TestClient.patientInterval
                _ = try await looks.page(after: Self.position(0), limit: 10, for: Self.limited(1), within: patience)
            }
            while await library.rounds.isEmpty { await Task.yield() }
            for device in [2, 3] { try await Self.tell(device, at: 1, by: looks, of: library) }
            #expect(looks.takeFirstLook(at: Self.position(1), for: Self.limited(2)))
            #expect(!looks.takeFirstLook(at: Self.position(1), for: Self.limited(2)))
            #expect(looks.takeFirstLook(at: Self.position(1), for: Self.limited(3)))
            #expect(!looks.takeFirstLook(at: Self.position(1), for: .everything(grantVersion: 1)))
            looks.notify()
            while await library.rounds.count < 4 { await Task.yield() }
            #expect(looks.takeFirstLook(at: Self.position(1), for: Self.limited(2)))
            group.cancelAll()
        }
    }

    /// Has a device wait until a round tells it something at a number.
    private static func tell(
        _ device: Int,
        at number: Int64,
        by looks: ChangeLooks,
        of library: LookedAt
    ) async throws {
        await library.tell(limited(device))
        let page = try await looks.page(
            after: position(number - 1),
            limit: 10,
            for: limited(device),
            within: TestClient.patientInterval
        )
        #expect(page.position == position(number) && !page.changes.isEmpty)
    }

    private static func limited(_ device: Int) -> ChangeViewer {
        .limited(DeviceID(rawValue: UInt128(device)), Selection(), grantVersion: 1)
    }
}
