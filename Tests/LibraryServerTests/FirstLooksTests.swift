import Authorization
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer
@testable import LibraryStore

/// Many devices that ask for changes at once, before they wait.
struct FirstLooksTests {
    @Test("Limited devices that ask while others look share a look, and who needs more looks by itself then")
    func shared() async throws {
        let library = HeldLibrary()
        let looks = FirstLooks(alone: { await library.page($0) }, shared: { await library.pages($0) })
        try await withThrowingTaskGroup(of: ChangePosition.self) { group in
            // It sees everything, which costs little.
            group.addTask { try await looks.page(Self.look(0)).position }
            while await library.aloneCount == 0 { await Task.yield() }
            group.addTask { try await looks.page(Self.look(2)).position }
            while await library.roundCounts.isEmpty { await Task.yield() }
            for limit in 1...20 {
                group.addTask { try await looks.page(Self.look(limit)).position }
            }
            while looks.waitingCount < 20 { await Task.yield() }
            await library.release()
            let positions = try await group.reduce(into: [ChangePosition]()) { $0.append($1) }
            #expect(positions.count { $0 == HeldLibrary.together } == 20)
        }
        #expect(await library.roundCounts == [1, 20])
        #expect(await library.aloneCount == 2)
    }

    @Test("A limited device's request that will wait shares its first look: the writer follows what a reader found")
    func route() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await server.withOperator { admin in
                let path = "/v1/admin/devices/\(device.id)/decision"
                let decided = try await admin.send("POST", path, json: DecisionRequest(answer: "selected"))
                #expect(decided.status == 200, "\(decided.text)")
            }
            let metadata = try #require(server.environment.store.metadata as? SQLMetadataStore)
            let statements = RecordedStatements()
            try await device.call(server) { client in
                let photo = try TestPhoto.random(byteCount: 60)
                let token = try await client.feed("limit=10").token
                _ = try await client.save(photo)
                try await metadata.store.write([]) { try statements.begin($0) }
                let news = try await client.feed("wait=\(APILimits.changeWaitSeconds)&since=\(token)")
                #expect(news.entities == [.asset(photo.manifest.id)])
                try await metadata.store.write([]) { statements.end($0) }
            }
            // A look by itself has the writer search the changes instead.
            #expect(statements.take().contains { $0.contains("FROM view WHERE device IN") })
        }
    }

    private static func look(_ limit: Int) -> ChangeLook {
        let device = DeviceID(rawValue: UInt128(limit))
        let limited = ChangeViewer.limited(device, Selection(), grantVersion: 1)
        return ChangeLook(
            after: HeldLibrary.alone,
            limit: limit,
            for: limit == 0 ? .everything(grantVersion: 1) : limited
        )
    }
}

/// A library whose looks wait until a test releases them.
private actor HeldLibrary {
    static let alone = position(1)
    static let together = position(2)

    private(set) var aloneCount = 0
    /// The looks of each round.
    private(set) var roundCounts: [Int] = []
    private var isReleased = false
    private var held: [CheckedContinuation<Void, Never>] = []

    func page(_ look: ChangeLook) async -> ChangePage {
        aloneCount += 1
        await pass()
        return .empty(at: Self.alone)
    }

    /// A look for one entity needs more than what is shared.
    func pages(_ looks: [ChangeLook]) async -> [Result<ChangePage?, any Error>] {
        roundCounts.append(looks.count)
        await pass()
        return looks.map { .success($0.limit == 1 ? nil : ChangePage.empty(at: Self.together)) }
    }

    func release() {
        isReleased = true
        for continuation in held { continuation.resume() }
        held = []
    }

    private func pass() async {
        guard !isReleased else { return }
        await withCheckedContinuation { held.append($0) }
    }

    private static func position(_ number: Int64) -> ChangePosition {
        ChangePosition(epoch: LibraryEpoch(rawValue: 1), viewVersion: 1, number: ChangeNumber(rawValue: number))
    }
}
