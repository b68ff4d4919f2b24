import AsyncHTTPClient
import Authorization
import Foundation
import LibraryAPI
import LibraryStore
import NIOCore
import PhotoModel
import Synchronization
import Testing

@testable import LibraryServer

/// What a picker's caller does while a person chooses, and gets after the session was ended.
struct PickerAttackTests {
    /// A session of a device that may only add, and a photo that it does not see.
    private struct Scene {
        let photo: TestPhoto
        let caller: TestDevice
        let session: PickerSession
        let fields: [(String, String)]

        var path: String { "/v1/picker/sessions/\(session.id)" }
        var pick: String { "/v1/picks/\(session.id)" }

        init(_ photo: TestPhoto, isContinuous: Bool, at server: RunningServer) async throws {
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await owner.call(server) { try await $0.save(photo) }
            var request = PickerRequest(purpose: "A picture for the badge.")
            request.isContinuous = isContinuous
            request.strip = []
            let wish = request
            let caller = try await TestDevice.enroll(at: server)
            let session = try await caller.call(server) { client in
                try await client.send("POST", "/v1/picker/sessions", json: wish).json(PickerSession.self)
            }
            fields = [("Content-Type", "application/json"), (PickerRoutes.secretField, try session.secret)]
            (self.photo, self.caller, self.session) = (photo, caller, session)
        }

        /// Sends a choice of the photo, as the person's page does.
        func choose(basedOn revision: Int?, _ admin: TestClient) async throws -> TestClient.Answer {
            let choice = PickChoice(assets: [photo.manifest.id], revision: revision)
            let body = Array(try JSONEncoder().encode(choice))
            return try await admin.send("PUT", "\(pick)/selection", headers: fields, body: body)
        }
    }

    @Test(
        "T160: the download of a picked item ends with its session, and the rest of it is refused",
        arguments: ["operator", "person", "caller"]
    )
    func endedDownload(by end: String) async throws {
        let photo = try TestPhoto(bytes: Array(repeating: 7, count: 32 << 20))
        try await RunningServer.run { server in
            let scene = try await Scene(photo, isContinuous: true, at: server)
            try await server.withOperator { admin in
                let chosen = try await scene.choose(basedOn: nil, admin)
                #expect(chosen.status == 200, "\(chosen.text)")
            }
            try await scene.caller.call(server) { client in
                let items = try await client.send("GET", "\(scene.path)/items").json(PickedItemPage.self).items
                let item = try #require(items.first).id
                let path = "\(scene.path)/items/\(item)"
                let response = try await client.client.execute(
                    HTTPClientRequest(url: client.base + path),
                    timeout: TestClient.patience
                )
                var received = 0
                var chunks = response.body.makeAsyncIterator()
                received += try await chunks.next()?.readableBytes ?? 0
                let ended = try await server.withOperator { admin -> TestClient.Answer in
                    switch end {
                    case "operator":
                        return try await admin.send("DELETE", "/v1/admin/picker-sessions/\(scene.session.id)")
                    case "person": return try await admin.send("POST", "\(scene.pick)/cancel", headers: scene.fields)
                    default: return try await client.send("DELETE", scene.path)
                    }
                }
                #expect([200, 204].contains(ended.status), "\(ended.text)")
                await #expect(throws: (any Error).self) {
                    while let chunk = try await chunks.next() { received += chunk.readableBytes }
                }
                #expect(received < photo.bytes.count)
                let rest = try await client.send("GET", path, headers: [("Range", "bytes=\(received)-")])
                #expect(rest.status == (end == "person" ? 404 : 410), "\(rest.text)")
            }
        }
    }

    @Test("T168: the download of a picked item ends when its session expires, and the rest of it is refused")
    func expiredDownload() async throws {
        let folder = try TemporaryFolder()
        let photo = try TestPhoto(bytes: Array(repeating: 7, count: 32 << 20))
        var opened: Scene?
        try await RunningServer.run(in: folder.path) { server in
            let scene = try await Scene(photo, isContinuous: true, at: server)
            let chosen = try await server.withOperator { try await scene.choose(basedOn: nil, $0) }
            #expect(chosen.status == 200, "\(chosen.text)")
            opened = scene
        }
        let scene = try #require(opened)
        let clock = Mutex(ServerEnvironment.systemTime())
        try await RunningServer.run(in: folder.path, now: { clock.withLock(\.self) }) { server in
            try await scene.caller.call(server) { client in
                let items = try await client.send("GET", "\(scene.path)/items").json(PickedItemPage.self).items
                let item = try #require(items.first).id
                let path = "\(scene.path)/items/\(item)"
                let end = scene.session.expires
                let count = try await client.received(at: path) { clock.withLock { $0 = end } }
                #expect(count < photo.bytes.count)
                let rest = try await client.send("GET", path, headers: [("Range", "bytes=\(count)-")])
                #expect(rest.status == 410, "\(rest.text)")
            }
        }
    }

    @Test("T162: photos go for the purpose that their person was shown, also if the caller changes it meanwhile")
    func changedPurpose() async throws {
        try await RunningServer.run { server in
            let scene = try await Scene(try TestPhoto.random(byteCount: 500), isContinuous: false, at: server)
            let other = "Faces for a catalogue."
            try await server.withOperator { admin in
                func shown() async throws -> PickDocument {
                    try await admin.send("GET", scene.pick, headers: scene.fields).json()
                }
                let first = try await shown()
                let chosen = try await scene.choose(basedOn: first.revision, admin)
                #expect(chosen.status == 200, "\(chosen.text)")
                let edited = try await scene.caller.call(server) { client in
                    try await client.send("PATCH", scene.path, json: PickerEdit(purpose: other))
                }
                #expect(edited.status == 200, "\(edited.text)")
                let done = try await admin.send("POST", "\(scene.pick)/done", headers: scene.fields)
                #expect(try done.json(ProblemDetails.self).code == .pickerChanged)
                let stale = try await scene.choose(basedOn: chosen.json(PickDocument.self).revision, admin)
                #expect(try stale.json(ProblemDetails.self).code == .pickerChanged)
                let second = try await shown()
                #expect(second.request.purpose == other)
                let again = try await scene.choose(basedOn: second.revision, admin)
                #expect(again.status == 200, "\(again.text)")
                let handedOver = try await admin.send("POST", "\(scene.pick)/done", headers: scene.fields)
                #expect(handedOver.status == 200, "\(handedOver.text)")
            }
            let audit = try await server.environment.store.metadata.audit(after: 0, device: nil, limit: 1000)
            #expect(audit.filter { $0.content.event == .pickerPick }.map(\.content.reason) == [other])
        }
    }
}
