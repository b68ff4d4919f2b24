import AsyncHTTPClient
import Authorization
import LibraryStore
import MediaSamples
import NIOHTTP1
import Persistence
import PhotoModel
import Synchronization
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// Files that the server makes for a request, and what they cost others.
struct MadeFileTests {
    /// A Live Photo whose movie has more bytes than the sockets between a server and a client hold.
    static func livePhoto() throws -> TestAsset {
        let count = 32 << 20
        let padding = [2, 0, 0, 8] + Array("free".utf8) + [UInt8](repeating: 0, count: count)
        return try TestAsset([
            .init(type: .photo, contentType: "image/jpeg", name: "IMG 1.JPG", bytes: try SampleStill.jpeg()),
            .init(
                type: .pairedVideo,
                contentType: "video/quicktime",
                name: "IMG 1.MOV",
                bytes: SampleMovie().bytes + padding
            ),
        ])
    }

    @Test("T90: four files are made for a device at once, until it has read them; others get theirs meanwhile")
    func places() async throws {
        try await RunningServer.run(flags: ["server.slowTimeoutSeconds=3600"]) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let other = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try Self.livePhoto()
            let asset = "/v1/assets/\(photo.manifest.id)"
            let still = asset + "/resources/\(try #require(photo.manifest.resources.first).id)"
            let archive = ArchiveRequest(assets: [photo.manifest.id])
            try await device.call(server) { client in
                _ = try await client.save(photo)
                var bodies: [HTTPClientResponse.Body] = []
                for _ in 0..<APILimits.madeFilesPerDevice {
                    let request = HTTPClientRequest(url: client.base + asset + "/live-photo.zip")
                    let answer = try await client.client.execute(request, timeout: TestClient.patience)
                    #expect(answer.status == .ok)
                    bodies.append(answer.body)
                }
                for path in ["/live-photo.zip", "/motion-photo", "/facts"] {
                    let refused = try await client.send("GET", asset + path)
                    #expect(refused.status == 429 && refused.headers["retry-after"] != nil, "\(path)")
                }
                for query in ["?strip=location", "?as=jpeg"] {
                    #expect(try await client.send("GET", still + query).status == 429, "\(query)")
                }
                #expect(try await client.send("POST", "/v1/archives", json: archive).status == 429)
                #expect(try await client.send("GET", still).status == 200, "a file as it is stored is not made")
                let others = try await other.call(server) { other in
                    try await other.send("GET", still + "?strip=location").status
                }
                #expect(others == 200)
                #expect(bodies.count == APILimits.madeFilesPerDevice)
                // One that nobody reads any more gives its place back.
                bodies = []
                try await eventually { try await client.send("GET", still + "?strip=location").status == 200 }
                #expect(bodies.isEmpty)
            }
        }
    }

    @Test("T123: who was refused because of another's movie is next, if they ask again soon")
    func movieTurns() throws {
        let time = Mutex(Duration.zero)
        let turns = ConversionTurns(now: { time.withLock(\.self) })
        let (greedy, other) = (Authorization.Actor.administrator("ana"), Authorization.Actor.administrator("bo"))
        func refused(_ caller: Authorization.Actor) {
            #expect(throws: ProblemDetails.self) { try turns.enter(caller) }
        }
        try turns.enter(greedy)
        refused(other)
        refused(greedy)
        turns.leave()
        refused(greedy)
        try turns.enter(other)
        refused(greedy)
        turns.leave()
        try turns.enter(greedy)
        refused(other)
        time.withLock { $0 += ConversionTurns.patience / 2 }
        refused(other)
        time.withLock { $0 += ConversionTurns.patience / 2 }
        turns.leave()
        refused(greedy)
        // Who does not come back keeps nobody waiting.
        time.withLock { $0 += ConversionTurns.patience }
        try turns.enter(greedy)
        turns.leave()
        try turns.enter(other)
    }

    @Test("T90: a thumbnail for which no worker had time, because others' conversions took all, was not tried")
    func crowdedWorkers() {
        let full = PersistenceError(.overloaded, "wait", "the blocking pool", "256 calls are already waiting")
        #expect(JobFailure(full).cause == .notTried)
        #expect(JobFailure(PersistenceError(.inputOutput, "read", "a file", "it is unreadable")).cause == .system)
    }
}
