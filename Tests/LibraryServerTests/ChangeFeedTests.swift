import AsyncHTTPClient
import Foundation
import LibraryAPI
import LibraryStore
import NIOCore
import NIOHTTP1
import PhotoModel
import Testing

@testable import LibraryServer

/// The change feed as a device sees it, over real TLS.
struct ChangeFeedTests {
    @Test("T21: pages join to what is there, a poll ends when something comes, and a grant's change voids the token")
    func follows() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let photos = try (0..<5).map { _ in try TestPhoto.random(byteCount: 60) }
                for photo in photos { _ = try await client.save(photo) }
                var seen: Set<EntityReference> = []
                var end = try await client.feed("limit=2")
                while end.hasMore {
                    seen.formUnion(end.entities)
                    end = try await client.feed("limit=2&since=\(end.token)")
                }
                seen.formUnion(end.entities)
                #expect(seen == Set(photos.map { .asset($0.manifest.id) }))

                let late = try TestPhoto.random(byteCount: 60)
                async let saved = client.save(late)
                // A busy machine may save it later than one poll waits: the next one goes on.
                var news = end
                for _ in 0..<10 where news.entities.isEmpty || news.token == end.token {
                    let begin = ContinuousClock.now
                    news = try await client.feed("wait=55&since=\(news.token)")
                    let isOver = ContinuousClock.now - begin >= .seconds(55)
                    #expect(isOver || !news.entities.isEmpty, "a poll without news takes all of its time")
                }
                _ = try await saved
                #expect(news.entities == [.asset(late.manifest.id)])

                try await server.withOperator { admin in
                    let decision = DecisionRequest(answer: "selected")
                    let path = "/v1/admin/devices/\(device.id)/decision"
                    let decided = try await admin.send("POST", path, json: decision)
                    #expect(decided.status == 200, "\(decided.text)")
                }
                let path = "/v1/changes?since=\(news.token)"
                let expired = try await untilAnswered { try await client.send("GET", path) }
                #expect(expired.status == 410)
                #expect(try expired.json(ProblemDetails.self).code == .tokenExpired)
            }
        }
    }

    @Test("T129: what left a limited view before the token of its timeline is told to its feed, and is read by nothing")
    func timelineToken() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await server.withOperator { admin in
                let path = "/v1/admin/devices/\(device.id)/decision"
                let decided = try await admin.send("POST", path, json: DecisionRequest(answer: "selected"))
                #expect(decided.status == 200, "\(decided.text)")
            }
            let photos = try (0..<2).map { _ in try TestPhoto.random(byteCount: 60) }
            let entities = photos.map { EntityReference.asset($0.manifest.id) }
            try await device.call(server) { client in
                _ = try await client.save(photos[0])
                let first = try await client.feed("limit=10")
                #expect(first.entities == [entities[0]])
                try await server.withOperator { admin in
                    let edit = AssetEdit.making { $0.isHidden = true }
                    let hidden = try await admin.send("PATCH", "/v1/assets/\(photos[0].manifest.id)", json: edit)
                    #expect(hidden.status == 200, "\(hidden.text)")
                }
                let token = try await client.send("GET", "/v1/timeline").json(Timeline.self).token.text
                _ = try await client.save(photos[1])
                let later = try await client.feed("since=\(token)")
                #expect(later.entities == [entities[1]])
                // What a comparison of the whole view reads.
                let compared = try await client.feed("from=\(String(repeating: "0", count: 34))")
                #expect(compared.entities == [entities[1]])
                let next = try await client.feed("since=\(first.token)").changes
                let removed = next.filter { $0.kind == .removed }.map(\.entity)
                #expect(removed == [entities[0]] && next.count == 2)
            }
        }
    }

    @Test(
        "A contact with the token of the feed's end has nothing new, also for a limited device",
        arguments: [false, true]
    )
    func contacts(isLimited: Bool) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            if isLimited {
                try await server.withOperator { admin in
                    let path = "/v1/admin/devices/\(device.id)/decision"
                    let decided = try await admin.send("POST", path, json: DecisionRequest(answer: "selected"))
                    #expect(decided.status == 200, "\(decided.text)")
                }
            }
            try await device.call(server) { client in
                func contact(_ token: String, ticket: String?) async throws -> ContactResponse {
                    let token = ChangeToken(text: token)
                    let request = try ContactRequest.ofFreshBox(ticket: ticket, following: token)
                    return try await client.send("POST", "/v1/heartbeat", json: request).json()
                }
                _ = try await client.save(try TestPhoto.random(byteCount: 60))
                let end = try await client.feed("limit=50")
                #expect(!end.hasMore)
                let first = try await contact(end.token, ticket: nil)
                #expect(!first.hasChanges)
                #expect(try await contact("none of ours", ticket: first.ticket).hasChanges)
            }
        }
    }

    @Test("T172: a contact of a device that may only add names the latest of its own photos that a backup contains")
    func backups() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let other = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                let own = try await client.save(try TestPhoto.random(byteCount: 60)).receipt.receipt.changeNumber
                let later = try await other.call(server) { client in
                    try await client.save(try TestPhoto.random(byteCount: 60)).receipt.receipt.changeNumber
                }
                try await server.environment.store.metadata.setBackupWatermark(later, at: .now())
                let request = try ContactRequest.ofFreshBox()
                let answer: ContactResponse = try await client.send("POST", "/v1/heartbeat", json: request).json()
                #expect(answer.backupWatermark == own)
            }
        }
    }

    @Test("The stream tells what came since a token, and then what comes")
    func streams() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let first = try TestPhoto.random(byteCount: 60)
                let second = try TestPhoto.random(byteCount: 60)
                _ = try await client.save(first)
                let request = HTTPClientRequest(url: client.base + "/v1/changes/stream")
                let answer = try await client.client.execute(request, timeout: TestClient.patience)
                #expect(answer.headers.first(name: "content-type") == "text/event-stream")
                var text = ""
                var isSecondSaved = false
                for try await buffer in answer.body {
                    text += String(buffer: buffer)
                    if text.contains("event: token"), !isSecondSaved {
                        #expect(text.contains(first.manifest.id.description))
                        isSecondSaved = true
                        _ = try await client.save(second)
                    }
                    if text.contains(second.manifest.id.description) { break }
                }
                #expect(text.contains(second.manifest.id.description))
            }
        }
    }

    @Test("A stream that broke off goes on after the token that was read last, as browsers ask for it")
    func streamResumes() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let photos = try (0..<2).map { _ in try TestPhoto.random(byteCount: 60) }
                let names = photos.map(\.manifest.id.description)
                _ = try await client.save(photos[0])
                let first = try await client.stream(after: nil)
                #expect(first.text.contains(names[0]))
                _ = try await client.save(photos[1])
                let second = try await client.stream(after: first.token)
                #expect(second.text.contains(names[1]) && !second.text.contains(names[0]), "\(second.text)")
                let headers = [("Last-Event-ID", "no token")]
                let expired = try await client.send("GET", "/v1/changes/stream", headers: headers)
                #expect(try expired.json(ProblemDetails.self).code == .tokenExpired)
            }
        }
    }

    @Test("003.21: the feed says of a still that the movie of its Live Photo never came")
    func incompleteLivePhoto() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                var photo = try TestPhoto.random(byteCount: 60)
                photo.manifest.captureFacts = CaptureFacts(isLivePhotoIncomplete: true)
                _ = try await client.save(photo)
                _ = try await client.save(try TestPhoto.random(byteCount: 60))
                let assets = try await client.feed("limit=10").changes.compactMap(\.asset)
                let incomplete = assets.filter { $0.captureFacts?.isLivePhotoIncomplete == true }
                #expect(assets.count == 2 && incomplete.map(\.id) == [photo.manifest.id])
            }
        }
    }

    @Test("A replica that holds something else finds it by the hashes of ranges, and fetches that range alone")
    func ranges() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                for _ in 0..<12 { _ = try await client.save(try TestPhoto.random(byteCount: 60)) }
                let held = try await client.send("GET", "/v1/changes?ranges=4").json(ChangeRangePage.self).ranges
                #expect(held.map(\.count) == [3, 3, 3, 3])
                let late = try TestPhoto.random(byteCount: 60)
                _ = try await client.save(late)
                var different: [Set<EntityReference>] = []
                for range in held {
                    let bounds =
                        (range.from.map { "&from=\($0)" } ?? "") + (range.until.map { "&until=\($0)" } ?? "")
                    let now = try await client.send("GET", "/v1/changes?ranges=1\(bounds)").json(ChangeRangePage.self)
                    guard now.ranges != [range] else { continue }
                    different.append(try await client.feed(String(bounds.dropFirst())).entities)
                }
                #expect(different.count == 1)
                #expect(different.first?.count == 4 && different.first?.contains(.asset(late.manifest.id)) == true)
                let wrong = try await client.send("GET", "/v1/changes?ranges=0")
                #expect(wrong.status == 400)
            }
        }
    }
}

/// What one answer of the feed told.
struct FeedPage {
    let changes: [EntityChange]
    let token: String
    let hasMore: Bool

    var entities: Set<EntityReference> { Set(changes.map(\.entity)) }
}

extension TestClient {
    /// What a stream tells until it gives a token, and the token.
    fileprivate func stream(after token: String?) async throws -> (text: String, token: String) {
        var request = HTTPClientRequest(url: base + "/v1/changes/stream")
        if let token { request.headers.add(name: "Last-Event-ID", value: token) }
        let answer = try await client.execute(request, timeout: Self.patience)
        var text = ""
        for try await buffer in answer.body {
            text += String(buffer: buffer)
            if let id = text.firstMatch(of: /id: (\S+)\nevent: token/) { return (text, String(id.output.1)) }
        }
        throw CocoaError(.coderReadCorrupt)
    }

    /// Asks the feed once.
    func feed(_ query: String) async throws -> FeedPage {
        let answer = try await send("GET", "/v1/changes?\(query)")
        #expect(answer.status == 200, "\(answer.text)")
        var changes: [EntityChange] = []
        for line in answer.text.split(separator: "\n") {
            switch try JSONDecoder().decode(ChangeLine.self, from: Data(line.utf8)) {
            case .change(let change): changes.append(change)
            case .end(let end): return FeedPage(changes: changes, token: end.token.text, hasMore: end.hasMore)
            }
        }
        throw CocoaError(.coderReadCorrupt)
    }
}
