import Foundation
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

extension PickerTests {
    @Test("004.58, 004.59: the caller takes out and moves what it preselected; the page shows and hands over the rest")
    func rearrangedPreselection() async throws {
        try await RunningServer.run { server in
            let reader = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photos = try (0..<3).map { _ in try TestPhoto.random(byteCount: 500) }
            try await reader.call(server) { client in for photo in photos { _ = try await client.save(photo) } }
            let ids = photos.map(\.manifest.id)
            var request = PickerRequest(purpose: "A picture for the badge.")
            request.selectionLimit = ids.count
            request.isContinuous = true
            request.isOrdered = true
            request.preselected = ids
            let session = try await reader.call(server) { [request] client in
                try await client.send("POST", "/v1/picker/sessions", json: request).json(PickerSession.self)
            }
            let path = "/v1/picker/sessions/\(session.id)"
            let edits: [(PickerEdit, order: [Int], revision: Int)] = [
                (PickerEdit(deselected: [ids[0]]), [1, 2], 1),
                (PickerEdit(moved: [.init(id: ids[2], after: nil)]), [2, 1], 2),
                (PickerEdit(deselected: [AssetID(rawValue: 9)], moved: [.init(id: ids[0], after: nil)]), [2, 1], 2),
            ]
            let pick = "/v1/picks/\(session.id)"
            let fields = [("Content-Type", "application/json"), (PickerRoutes.secretField, try session.secret)]
            try await server.withOperator { admin in
                for (edit, order, revision) in edits {
                    let edited = try await reader.call(server) { try await $0.send("PATCH", path, json: edit) }
                    let told = try edited.json(PickerSession.self)
                    #expect(told.count == 0 && told.revision == revision, "\(edited.text)")
                    let shown = try await admin.send("GET", pick, headers: fields).json(PickDocument.self)
                    #expect(shown.picked == order.map { ids[$0] } && shown.revision == revision)
                }
                let choice = Array(try JSONEncoder().encode(PickChoice(assets: ids, revision: 0)))
                let stale = try await admin.send("PUT", "\(pick)/selection", headers: fields, body: choice)
                #expect(try stale.json(ProblemDetails.self).code == .pickerChanged)
                let done = try await admin.send("POST", "\(pick)/done", headers: fields)
                #expect(done.status == 200, "\(done.text)")
            }
            let items = try await reader.call(server) { client in
                try await client.send("GET", "\(path)/items").json(PickedItemPage.self).items.map(\.id)
            }
            #expect(items == [ids[2], ids[1]])
        }
    }
}
