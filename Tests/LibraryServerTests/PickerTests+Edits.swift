import Foundation
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

extension PickerTests {
    /// A Live Photo with an edit of its still, or of both halves.
    private struct EditedPhoto {
        let asset: TestAsset
        let edit: [TestAsset.Part]

        var editedMovie: [UInt8]? { edit.count > 2 ? edit[2].bytes : nil }

        init(isMovieEdited: Bool) throws {
            func part(_ type: AssetResourceType, _ contentType: String, _ count: Int) -> TestAsset.Part {
                let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
                return TestAsset.Part(type: type, contentType: contentType, name: "IMG 7", bytes: bytes)
            }
            asset = try TestAsset([part(.photo, "image/jpeg", 300), part(.pairedVideo, "video/quicktime", 400)]) {
                $0.mediaSubtypes = .photoLive
            }
            let edited = [part(.adjustmentData, "application/x-plist", 50), part(.fullSizePhoto, "image/jpeg", 310)]
            edit = edited + (isMovieEdited ? [part(.fullSizePairedVideo, "video/quicktime", 410)] : [])
        }

        func save(_ client: TestClient) async throws {
            try await client.save(asset)
            let path = "/v1/assets/\(asset.manifest.id)/adjustments"
            let request = AdjustmentRequest(
                adjustment: Adjustment(formatIdentifier: "org.example.crop", formatVersion: "1"),
                resources: try edit.map { try $0.resource() }
            )
            let uploads = try await client.send("POST", path, json: request).json(AdjustmentResponse.self).uploads
            try await client.send(uploads, of: edit)
            let applied = try await client.send("POST", path, json: request).json(AdjustmentResponse.self)
            #expect(applied.asset?.resources.count == asset.parts.count + edit.count)
        }
    }

    /// Has somebody choose assets in a session, and gives the address of the items.
    private func choose(_ assets: [AssetID], in session: PickerSession, _ server: RunningServer) async throws -> String
    {
        try await server.withOperator { admin in
            let fields = [("Content-Type", "application/json"), (PickerRoutes.secretField, try session.secret)]
            let pick = "/v1/picks/\(session.id)"
            let choice = Array(try JSONEncoder().encode(PickChoice(assets: assets)))
            let chosen = try await admin.send("PUT", "\(pick)/selection", headers: fields, body: choice)
            let done = try await admin.send("POST", "\(pick)/done", headers: fields)
            #expect(chosen.status == 200 && done.status == 200, "\(chosen.text) \(done.text)")
        }
        return "/v1/picker/sessions/\(session.id)/items"
    }

    @Test("004.64: of an edited Live Photo both halves go as edited; from before the edit only where that may be read")
    func edited() async throws {
        try await RunningServer.run { server in
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photos = [try EditedPhoto(isMovieEdited: false), try EditedPhoto(isMovieEdited: true)]
            try await owner.call(server) { client in for photo in photos { try await photo.save(client) } }
            for level in ["addOnly", "readWrite"] {
                let caller = try await TestDevice.enroll(at: server, maximum: level)
                for encoding in [PickerEncoding.automatic, .current, .compatible, .original] {
                    let isOriginal = encoding == .original
                    var request = PickerRequest(purpose: "A picture for the badge.")
                    request.encoding = encoding
                    request.strip = []
                    request.selectionLimit = photos.count
                    request.isOrdered = true
                    let opened = try await caller.call(server) { [request] client in
                        try await client.send("POST", "/v1/picker/sessions", json: request)
                    }
                    guard !isOriginal || level == "readWrite" else {
                        #expect(opened.status == 403)
                        continue
                    }
                    let session = try opened.json(PickerSession.self)
                    let path = try await choose(photos.map(\.asset.manifest.id), in: session, server)
                    try await caller.call(server) { client in
                        let items = try await client.send("GET", path).json(PickedItemPage.self).items
                        try #require(items.count == photos.count)
                        for (photo, item) in zip(photos, items) {
                            let name: Comment = "\(encoding) by \(level)"
                            let still = try await client.send("GET", "\(path)/\(item.id)")
                            let isStill = still.body == (isOriginal ? photo.asset.parts[0] : photo.edit[1]).bytes
                            #expect(still.status == 200 && isStill, name)
                            let wanted = isOriginal ? photo.asset.parts[1].bytes : photo.editedMovie
                            let movie = try await client.send("GET", "\(path)/\(item.id)?part=movie")
                            let isMovie = movie.body == wanted
                            #expect(movie.status == (wanted == nil ? 404 : 200) && isMovie == (wanted != nil), name)
                            #expect(item.mediaSubtypes?.contains(.photoLive) == (wanted != nil), name)
                        }
                    }
                }
            }
        }
    }
}
