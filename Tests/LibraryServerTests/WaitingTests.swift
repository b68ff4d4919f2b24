import AsyncHTTPClient
import Authorization
import NIOCore
import PhotoModel
import TestSupport
import Testing

@testable import LibraryAPI
@testable import LibraryServer
@testable import LibraryStore

/// Those who wait for changes: what they cost, and what they learn.
struct WaitingTests {
    @Test("All who wait at one place of one view share a look, and only those whom a change concerns are woken")
    func sharedLooks() async throws {
        let library = LookedAt()
        let looks = ChangeLooks { await library.look($0) }
        let viewers: [ChangeViewer] = [
            .everything(grantVersion: 1), .limited(DeviceID(rawValue: 1), Selection(), grantVersion: 1),
            .limited(DeviceID(rawValue: 2), Selection(), grantVersion: 1),
        ]
        try await withThrowingTaskGroup(of: [EntityReference]?.self) { group in
            for viewer in viewers.flatMap({ Array(repeating: $0, count: 20) }) {
                group.addTask {
                    let patience = TestClient.patientInterval
                    return try await looks.page(after: Self.position(0), limit: 10, for: viewer, within: patience)
                        .changes.map(\.entity)
                }
            }
            while looks.waitingCount < 60 { await Task.yield() }
            group.addTask {
                await looks.run()
                return nil
            }
            while await library.rounds.isEmpty { await Task.yield() }
            await library.tell(viewers[1])
            looks.notify()
            for _ in 0..<20 {
                let told = try await group.next() ?? nil
                #expect(told == [LookedAt.news])
            }
            #expect(looks.waitingCount == 40)
            group.cancelAll()
        }
        let rounds = await library.rounds
        #expect(rounds.count == 2)
        for round in rounds { #expect(round.count == 3 && viewers.allSatisfy(round.map(\.viewer).contains)) }
        let positions = rounds.map { Set($0.compactMap(\.position)) }
        #expect(positions == [[Self.position(0)], [Self.position(1)]])
    }

    @Test("A change during a look is found by the next one, and a wait that ends tells how far its view was looked at")
    func changesMeanwhile() async throws {
        let library = LookedAt()
        let gate = AsyncStream.makeStream(of: Void.self)
        let looks = ChangeLooks { asked in
            let pages = await library.look(asked)
            for await _ in gate.stream {}
            return pages
        }
        let viewer = ChangeViewer.everything(grantVersion: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await looks.run() }
            let waiting = Task {
                try await looks.page(
                    after: Self.position(0),
                    limit: 10,
                    for: viewer,
                    within: TestClient.patientInterval
                )
            }
            while await library.rounds.isEmpty { await Task.yield() }
            looks.notify()
            gate.continuation.finish()
            while await library.rounds.count < 2 { await Task.yield() }
            waiting.cancel()
            let page = try await waiting.value
            #expect(page.changes.isEmpty && [Self.position(1), Self.position(2)].contains(page.position))
            #expect(looks.waitingCount == 0)
            group.cancelAll()
        }
    }

    static func position(_ number: Int64) -> ChangePosition {
        ChangePosition(epoch: LibraryEpoch(rawValue: 1), viewVersion: 1, number: ChangeNumber(rawValue: number))
    }

    @Test("T55: a device has so many places to wait, also where all are asked for at once, and gets them back")
    func places() async throws {
        let places = DevicePlaces()
        let device = DeviceID(rawValue: 1)
        for _ in 0..<3 { #expect(await Self.taken(of: places, by: device) == APILimits.waitsPerDevice) }
    }

    /// How many of forty that ask at once get a place; all are given back then.
    private static func taken(of places: DevicePlaces, by device: DeviceID) async -> Int {
        await withTaskGroup(of: DevicePlaces.Place?.self) { group in
            for _ in 0..<40 { group.addTask { try? places.take(.wait, for: device) } }
            let taken = await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            #expect(throws: ProblemDetails.self) { try places.take(.wait, for: device) }
            #expect(throws: Never.self) { _ = try places.take(.wait, for: DeviceID(rawValue: 2)) }
            #expect(throws: Never.self) { _ = try places.take(.wait, for: nil) }
            return taken.count
        }
    }

    /// Takes every turn of whole reads until they are released.
    private struct HeldTurns {
        let metadata: SQLMetadataStore
        private let gate = AsyncStream.makeStream(of: Void.self)
        private let begun = AsyncStream.makeStream(of: Void.self)

        init(metadata: SQLMetadataStore) { self.metadata = metadata }

        func hold() async throws { try await hold(max(metadata.store.readerCount / 2, 1)) }

        private func hold(_ count: Int) async throws {
            if count > 0 { return try await metadata.wholeReads.run { try await hold(count - 1) } }
            begun.continuation.finish()
            for await _ in gate.stream {}
        }

        func areHeld() async { for await _ in begun.stream {} }

        func release() { gate.continuation.finish() }
    }

    @Test("T78: a device reads its whole view twice at once; others are judged and answered meanwhile")
    func wholeReads() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let other = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let metadata = try #require(server.environment.store.metadata as? SQLMetadataStore)
            let turns = HeldTurns(metadata: metadata)
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { turns.release() }
                group.addTask { try await turns.hold() }
                await turns.areHeld()
                for path in ["/v1/timeline", "/v1/changes?ranges=2"] {
                    group.addTask {
                        let status = try await device.call(server) { try await $0.send("GET", path).status }
                        #expect(status == 200, "\(path)")
                    }
                }
                while metadata.wholeReads.waitingCount < 2 { await Task.yield() }
                for path in ["/v1/timeline", "/v1/places", "/v1/changes?ranges=2"] {
                    let answer = try await device.call(server) { try await $0.send("GET", path) }
                    #expect(answer.status == 429 && answer.headers["retry-after"] != nil, "\(path)")
                }
                for path in ["/v1/authorization", "/v1/assets", "/v1/changes"] {
                    #expect(try await other.call(server) { try await $0.send("GET", path).status } == 200, "\(path)")
                }
                group.addTask {
                    let status = try await other.call(server) { try await $0.send("GET", "/v1/timeline").status }
                    #expect(status == 200, "it waits for its turn")
                }
                while metadata.wholeReads.waitingCount < 3 { await Task.yield() }
                turns.release()
                try await group.waitForAll()
            }
            #expect(try await device.call(server) { try await $0.send("GET", "/v1/timeline").status } == 200)
        }
    }

    @Test("T89: a device lists, counts and follows six times at once; others take their turns meanwhile")
    func lists() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "limited")
            let other = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let metadata = try #require(server.environment.store.metadata as? SQLMetadataStore)
            let turns = HeldTurns(metadata: metadata)
            let check = HashCheckRequest(digests: [])
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { turns.release() }
                group.addTask { try await turns.hold() }
                await turns.areHeld()
                for index in 0..<APILimits.listsPerDevice {
                    let path = index.isMultiple(of: 2) ? "/v1/assets" : "/v1/authorization"
                    group.addTask {
                        let status = try await device.call(server) { try await $0.send("GET", path).status }
                        #expect(status == 200, "\(path)")
                    }
                }
                while metadata.wholeReads.waitingCount < APILimits.listsPerDevice { await Task.yield() }
                let items = "/v1/picker/sessions/\(PickerSessionID(rawValue: 1))/items"
                try await device.call(server) { client in
                    for path in ["/v1/assets", "/v1/authorization", "/v1/changes", items] {
                        let answer = try await client.send("GET", path)
                        #expect(answer.status == 429 && answer.headers["retry-after"] != nil, "\(path)")
                    }
                    #expect(try await client.send("POST", "/v1/hashes/check", json: check).status == 429)
                    let contact = try ContactRequest.ofFreshBox()
                    #expect(try await client.send("POST", "/v1/heartbeat", json: contact).status == 429)
                }
                #expect(try await other.call(server) { try await $0.send("GET", "/v1/assets").status } == 200)
                group.addTask {
                    let status = try await other.call(server) { try await $0.send("GET", "/v1/albums").status }
                    #expect(status == 200, "its photos are counted in its turn")
                }
                while metadata.wholeReads.waitingCount < APILimits.listsPerDevice + 1 { await Task.yield() }
                turns.release()
                try await group.waitForAll()
            }
            try await device.call(server) { client in
                try await eventually { try await client.send("GET", "/v1/changes").status == 200 }
            }
        }
    }

    @Test("004.80: a subscription is counted while it is open, and closed where its reader drops it")
    func dropped() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let request = HTTPClientRequest(url: client.base + "/v1/changes/stream")
                let answer = try await client.client.execute(request, timeout: TestClient.patience)
                var body = answer.body.makeAsyncIterator()
                _ = try await body.next()
                try await waiting(1, at: server)
                withExtendedLifetime(body) {}
            }
            try await waiting(0, at: server)
        }
    }

    @Test("T186: waits and streams whose connections are closed give their places back before any of them ends")
    func closedWaits() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(in: folder.path, streamInterval: TestClient.patientInterval) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let known: AuthorizationResponse = try await device.call(server) { client in
                try await client.send("GET", "/v1/authorization").json()
            }
            let wait = "/v1/authorization?after=\(known.grantVersion)&wait=\(APILimits.changeWaitSeconds)"
            let first = try await RawConnection.open(to: server, as: device)
            try await first.send("GET \(wait) HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waiting(1, at: server)
            var others: [RawConnection] = []
            for index in 1..<APILimits.waitsPerDevice {
                let path = index.isMultiple(of: 2) ? wait : "/v1/changes/stream"
                let connection = try await RawConnection.open(to: server, as: device)
                try await connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                others.append(connection)
            }
            try await waiting(APILimits.waitsPerDevice, at: server)
            for connection in others { await connection.close() }
            try await waiting(1, at: server)
            #expect(first.text.isEmpty, "the oldest wait still waits")
            await first.close()
            try await waiting(0, at: server)
        }
    }

    @Test("HEAD does not wait: it is answered while a GET that began before it waits")
    func head() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let (known, token) = try await device.call(server) { client in
                let known: AuthorizationResponse = try await client.send("GET", "/v1/authorization").json()
                return (known.grantVersion, try await client.feed("wait=0").token)
            }
            let seconds = APILimits.changeWaitSeconds
            for query in ["authorization?after=\(known)", "changes?since=\(token)"] {
                let path = "/v1/\(query)&wait=\(seconds)"
                let get = try await RawConnection.open(to: server, as: device)
                try await get.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                try await waiting(1, at: server)
                let head = try await device.call(server) { try await $0.send("HEAD", path) }
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(get.text.isEmpty, "\(path) was answered when the GET before it was")
                await get.close()
                try await waiting(0, at: server)
            }
        }
    }

    /// Asks for the metrics until so many requests wait.
    private func waiting(_ count: Int, at server: RunningServer) async throws {
        try await server.withOperator { admin in
            for _ in 0..<20_000 {
                let text = try await admin.send("GET", "/metrics").text
                if text.contains("tintype_server_waiting_requests \(count).0") { return }
            }
            Issue.record("never \(count) that wait")
        }
    }

    @Test("A decision ends its device's wait for one, although nothing is read meanwhile, and the device finds it")
    func decisions() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                func version() async throws -> UInt64 {
                    let answer = try await untilAnswered { try await client.send("GET", "/v1/authorization") }
                    return try answer.json(AuthorizationResponse.self).grantVersion
                }
                let known = try await version()
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        let path = "/v1/authorization?after=\(known)&wait=\(APILimits.changeWaitSeconds)"
                        // The connection is closed under the request.
                        return (try? await client.send("GET", path)) == nil
                    }
                    try await waiting(1, at: server)
                    try await server.withOperator { admin in
                        let path = "/v1/admin/devices/\(device.id)/decision"
                        let decided = try await admin.send("POST", path, json: DecisionRequest(answer: "selected"))
                        #expect(decided.status == 200, "\(decided.text)")
                    }
                    let isClosed = try await group.next()
                    #expect(isClosed == true)
                }
                #expect(try await version() > known)
            }
        }
    }

    @Test("T54: what others save is told to a limited device by no contact, no event and no comment on its stream")
    func nothingElsewhere() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let other = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await server.withOperator { admin in
                let path = "/v1/admin/devices/\(device.id)/decision"
                let decided = try await admin.send("POST", path, json: DecisionRequest(answer: "selected"))
                #expect(decided.status == 200, "\(decided.text)")
            }
            try await device.call(server) { client in
                let begin = ContinuousClock.now
                let request = HTTPClientRequest(url: client.base + "/v1/changes/stream")
                let answer = try await client.client.execute(request, timeout: TestClient.patience)
                let own = try TestPhoto.random(byteCount: 60)
                var text = ""
                for try await buffer in answer.body {
                    let isFirst = text.isEmpty
                    text += String(buffer: buffer)
                    if isFirst {
                        for _ in 0..<4 {
                            try await other.call(server) { other in
                                _ = try await other.save(try TestPhoto.random(byteCount: 60))
                            }
                        }
                        let contact = try ContactRequest.ofFreshBox()
                        let told = try await client.send("POST", "/v1/heartbeat", json: contact)
                        #expect(try !told.json(ContactResponse.self).hasChanges)
                        _ = try await client.save(own)
                    }
                    if text.contains("event: token") { break }
                }
                #expect(text.contains(own.manifest.id.description))
                // The clock alone makes the stream speak: once at its beginning, and every fifteen seconds.
                let signs = Int((ContinuousClock.now - begin) / .seconds(15)) + 1
                #expect(text.matches(of: /(?m)^:/).count <= signs, "\(text)")
                #expect(text.matches(of: /event: change/).count == 1)
            }
        }
    }
}

/// A library in which something changes for whom a test names.
actor LookedAt {
    static let news = EntityReference.asset(AssetID(rawValue: 1))

    /// What was looked at together.
    private(set) var rounds: [[ChangeLook]] = []
    private var told: ChangeViewer?

    func tell(_ viewer: ChangeViewer) { told = viewer }

    /// Pages at the next position each.
    func look(_ looks: [ChangeLook]) -> [Result<ChangePage, any Error>] {
        rounds.append(looks)
        return looks.map { look in
            let number = (look.position?.number.rawValue ?? 0) + 1
            let changes = look.viewer == told ? [EntityChange(.removed, Self.news)] : []
            return .success(
                ChangePage(changes: changes, position: WaitingTests.position(number), hasMore: false)
            )
        }
    }
}
