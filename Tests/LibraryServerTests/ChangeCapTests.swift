import Dispatch
import Foundation
import PhotoModel
import Testing

@testable import LibraryAPI
@testable import LibraryServer
@testable import LibraryStore

/// Requests that take a turn of the library's writer each.
struct ChangeCapTests {
    /// A writer's turn that lasts until it is released.
    private final class HeldTurn: Sendable {
        private let opening = DispatchSemaphore(value: 0)
        private let begun = AsyncStream.makeStream(of: Void.self)

        func run(in metadata: SQLMetadataStore) async throws {
            try await metadata.store.write([]) { [opening, begun] _ in
                begun.continuation.finish()
                opening.wait()
            }
        }

        func hasBegun() async { for await _ in begun.stream {} }

        func release() { opening.signal() }
    }

    @Test("T95: eight changes of one device wait for the writer at once, a ninth is refused, and others' are not")
    func caps() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let other = try await TestDevice.enroll(at: server)
            let metadata = try #require(server.environment.store.metadata as? SQLMetadataStore)
            let question = AuthorizationRequest(level: "readWrite", usage: "Shows it at the desk.")
            @Sendable func ask(_ client: TestClient) async throws -> Int {
                try await client.send("POST", "/v1/authorization/requests", json: question).status
            }
            let turn = HeldTurn()
            try await withThrowingTaskGroup(of: Int?.self) { group in
                group.addTask {
                    try await turn.run(in: metadata)
                    return nil
                }
                await turn.hasBegun()
                defer { turn.release() }
                let surplus = 4
                for _ in 0..<APILimits.changesPerDevice + surplus {
                    group.addTask { try await device.call(server) { try await ask($0) } }
                }
                for _ in 0..<surplus {
                    let status = try await group.next() ?? nil
                    #expect(status == 429)
                }
                group.addTask { try await other.call(server) { try await ask($0) } }
                turn.release()
                for try await status in group where status != nil { #expect(status == 200) }
            }
            #expect(try await device.call(server) { try await ask($0) } == 200)
        }
    }

    @Test("T126: a device makes as many changes in a day as the settings say, in bulk too; others are not counted")
    func changesPerDay() async throws {
        try await RunningServer.run(flags: ["device.changesPerDay=20"]) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let other = try await TestDevice.enroll(at: server, maximum: "readWrite")
            var edit = AssetEdit()
            edit.isFavorite = true
            let bulk = BulkEdit(assets: (1...12).map(AssetID.init(rawValue:)), edit: edit)
            try await device.call(server) { client in
                #expect(try await client.send("PATCH", "/v1/assets", json: bulk).status == 200)
                let refused = try await client.send("PATCH", "/v1/assets", json: bulk)
                #expect(refused.status == 429 && refused.headers["retry-after"] != nil, "\(refused.text)")
                _ = try await client.save(try TestPhoto.random(byteCount: 50))
            }
            let others = try await other.call(server) { try await $0.send("PATCH", "/v1/assets", json: bulk).status }
            #expect(others == 200)
        }
    }

    @Test("T126: changes are there again after a while, and operators are not counted")
    func allowance() throws {
        #expect(try RunningServer.settings("/library", flags: []).changesPerDay == 1_000_000)
        let allowance = ChangeAllowance(perDay: 24)
        let (device, start) = (DeviceID(rawValue: 1), WallTime(microsecondsSince1970: 0))
        try allowance.take(24, for: device, at: start)
        #expect(throws: ProblemDetails.self) { try allowance.take(1, for: device, at: start) }
        let later = start.advanced(by: .seconds(3600))
        try allowance.take(1, for: device, at: later)
        #expect(throws: ProblemDetails.self) { try allowance.take(1, for: device, at: later) }
        // More than there ever are at once take all.
        try allowance.take(100, for: device, at: start.advanced(by: .seconds(2 * 86_400)))
        try allowance.take(100, for: DeviceID(rawValue: 2), at: start)
        for _ in 0..<2 { try allowance.take(100, for: nil, at: start) }
        for _ in 0..<2 { try ChangeAllowance(perDay: 0).take(100, for: device, at: start) }
    }

    @Test("T95: what saves is not counted among changes, nor what only reads")
    func uncounted() {
        let saving: [Endpoint] = [.createAsset, .createBatch, .appendUpload, .uploadOffset, .commitAsset]
        #expect((saving + [.checkHashes, .assets, .changes]).allSatisfy { !$0.takesTurn })
        #expect([Endpoint.contact, .pushChanges, .createPicker, .editAsset].allSatisfy { $0.takesTurn })
    }

    @Test("T55, T78, T89, T90, T164: streams, whole reads, lists and files take a place, whatever is asked for")
    func places() {
        let expected: [DevicePlaces.Kind?: Set<Endpoint>] = [
            .wait: [.changeStream],
            .wholeRead: [.timeline, .places],
            .send: [.appendUpload, .createBatch],
            .list: [.assets, .albums, .albumAssets, .checkHashes, .pickedItems],
            .file: [
                .livePhoto, .motionPhoto, .createArchive, .archive, .prepareArchive, .archiveContent, .facts,
            ],
        ]
        let placed = Endpoint.all.filter { $0.place != nil }
        #expect(Dictionary(grouping: placed, by: \.place).mapValues { Set($0) } == expected)
    }
}
