import Foundation
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

extension PickerTests {
    /// Who chooses in a session.
    private struct Chooser {
        let admin: TestClient
        let session: PickerSession

        func send(_ method: String, _ rest: String, _ value: some Encodable) async throws -> TestClient.Answer {
            try await admin.send(
                method,
                "/v1/picks/\(session.id)\(rest)",
                headers: [("Content-Type", "application/json"), (PickerRoutes.secretField, try session.secret)],
                body: Array(try JSONEncoder().encode(value))
            )
        }

        func choose(_ assets: [AssetID]) async throws -> TestClient.Answer {
            try await send("PUT", "/selection", PickChoice(assets: assets))
        }
    }

    @Test(
        "What others trash, hide or edit out of the filter after it was chosen is left out; what is new is refused",
        arguments: [false, true]
    )
    func goneChoices(isPreselected: Bool) async throws {
        try await RunningServer.run { server in
            let reader = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photos = try (0..<4).map { _ in try TestPhoto.random(byteCount: 500) }
            try await reader.call(server) { client in for photo in photos { _ = try await client.save(photo) } }
            let ids = photos.map(\.manifest.id)
            var request = PickerRequest(purpose: "A picture for the badge.")
            request.selectionLimit = ids.count
            request.filter = .not(.favorites)
            if isPreselected { request.preselected = ids }
            let session = try await reader.call(server) { [request] client in
                try await client.send("POST", "/v1/picker/sessions", json: request).json(PickerSession.self)
            }
            try await server.withOperator { admin in
                let chooser = Chooser(admin: admin, session: session)
                if !isPreselected {
                    let all = try await chooser.choose(ids)
                    #expect(all.status == 200, "\(all.text)")
                }
                #expect(try await admin.send("DELETE", "/v1/assets/\(ids[0])").status == 204)
                let hidden = AssetEdit.making { $0.isHidden = true }
                #expect(try await admin.send("PATCH", "/v1/assets/\(ids[1])", json: hidden).status == 200)
                let favorite = AssetEdit.making { $0.isFavorite = true }
                #expect(try await admin.send("PATCH", "/v1/assets/\(ids[2])", json: favorite).status == 200)

                let rest = try await chooser.choose(ids)
                #expect(rest.status == 200, "\(rest.text)")
                let left = try rest.json(PickDocument.self).picked
                #expect(left == [ids[3]])
                for id in ids.prefix(3) {
                    let again = try await chooser.choose([ids[3], id])
                    #expect(again.status == 400, "no longer part of the choice")
                }
                let done = try await chooser.send("POST", "/done", EmptyBody())
                let picked = try done.json(PickDocument.self).picked
                #expect(done.status == 200 && picked == [ids[3]], "\(done.text)")
            }
        }
    }
}
