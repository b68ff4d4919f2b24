import Foundation
import LibraryAPI
import MediaFormats
import MediaSamples
import PhotoModel
import Testing

@testable import LibraryServer

/// Places in what a picker's caller fetches, and what else tells of them.
struct PickedPlaceTests {
    /// Asks for an asset, has somebody choose it, and gives the address of the items.
    private func pick(
        _ asset: AssetID,
        _ request: PickerRequest,
        _ caller: TestDevice,
        _ server: RunningServer
    ) async throws -> String {
        let session = try await caller.call(server) { client in
            try await client.send("POST", "/v1/picker/sessions", json: request).json(PickerSession.self)
        }
        try await server.withOperator { admin in
            let secret = (PickerRoutes.secretField, try session.secret)
            let choice = Array(try JSONEncoder().encode(PickChoice(assets: [asset])))
            let fields = [("Content-Type", "application/json"), secret]
            let pick = "/v1/picks/\(session.id)"
            let chosen = try await admin.send("PUT", "\(pick)/selection", headers: fields, body: choice)
            #expect(chosen.status == 200, "\(chosen.text)")
            #expect(try await admin.send("POST", "\(pick)/done", headers: [secret]).status == 200)
        }
        return "/v1/picker/sessions/\(session.id)/items"
    }

    @Test("T73: in no form does an item tell its original's digest or length, and each session has tags of its own")
    func tags() async throws {
        try await RunningServer.run(flags: ["media.workers=1"]) { server in
            let sample = try #require(try await MediaSample.all().first { $0.name == "a.heic" })
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let manifest = try await owner.call(server) { try await $0.save(sample) }
            let digest = manifest.resources[0].digest
            let secrets = [digest.description, AssetID.derived(from: digest).description, manifest.id.description]
            let caller = try await TestDevice.enroll(at: server)
            var tags: Set<String> = []
            for (encoding, strip) in [(.current, []), (.current, [.location]), (.compatible, [.location])]
                as [(PickerEncoding, [MetadataPart])]
            {
                for _ in 1...2 {
                    var request = PickerRequest(purpose: "A picture for the badge.")
                    request.encoding = encoding
                    request.strip = strip
                    let path = try await pick(manifest.id, request, caller, server)
                    try await caller.call(server) { client in
                        let list = try await client.send("GET", path)
                        let item = try #require(try list.json(PickedItemPage.self).items.first)
                        #expect(item.byteCount == (strip.isEmpty ? Int64(sample.bytes.count) : nil))
                        let answer = try await client.send("GET", "\(path)/\(item.id)")
                        #expect(answer.status == 200, "\(answer.text)")
                        #expect(answer.headers["content-type"] == (encoding == .current ? "image/heic" : "image/jpeg"))
                        let told = "\(list.headers) \(list.text) \(answer.headers)"
                        #expect(secrets.filter(told.contains) == [], "\(encoding) \(strip)")
                        let tag = try #require(answer.headers["etag"])
                        #expect(tags.insert(tag).inserted, "another session's tag")
                        let known = [("If-None-Match", tag)]
                        #expect(try await client.send("GET", "\(path)/\(item.id)", headers: known).status == 304)
                    }
                }
            }
        }
    }

    @Test("T133: a caller that may no longer read learns no more of the library's identifiers from a session of before")
    func loweredGrant() async throws {
        try await RunningServer.run { server in
            let photo = try TestPhoto.random(byteCount: 500)
            let caller = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await caller.call(server) { try await $0.save(photo) }
            var request = PickerRequest(purpose: "Pictures for the wall.")
            request.isContinuous = true
            request.strip = []
            let wish = request
            let session = try await caller.call(server) { client in
                try await client.send("POST", "/v1/picker/sessions", json: wish).json(PickerSession.self)
            }
            let (path, device) = ("/v1/picker/sessions/\(session.id)", "/v1/admin/devices/\(caller.id)")
            let (pick, secret) = ("/v1/picks/\(session.id)/selection", try session.secret)
            let choice = Array(try JSONEncoder().encode(PickChoice(assets: [photo.manifest.id])))
            try await server.withOperator { admin in
                let fields = [("Content-Type", "application/json"), (PickerRoutes.secretField, secret)]
                let status = try await admin.send("PUT", pick, headers: fields, body: choice).status
                #expect(status == 200)
            }
            func item() async throws -> String {
                try await caller.call(server) { client in
                    let page = try await client.send("GET", "\(path)/items").json(PickedItemPage.self)
                    return try #require(page.items.first).id.description
                }
            }
            let known = try await item()
            #expect(known == photo.manifest.id.description)
            try await server.withOperator { admin in
                let decision = DecisionRequest(answer: "add-only", levels: ["addOnly", "readWrite"])
                let status = try await admin.send("POST", "\(device)/decision", json: decision).status
                #expect(status == 200)
            }
            let own = try await item()
            #expect(own != known)
            let edit = PickerEdit(deselected: [try #require(AssetID(own))])
            try await caller.call(server) { client in
                #expect(try await client.send("GET", "\(path)/items/\(known)").status == 404)
                #expect(try await client.send("GET", "\(path)/items/\(own)").body == photo.bytes)
                let left = try await client.send("PATCH", path, json: edit)
                #expect(try left.json(PickerSession.self).count == 0, "\(left.text)")
            }
        }
    }

    @Test(
        "004.60: a caller that says nothing of places gets files without them; it gets them whole where it asks for that",
        arguments: [nil, []] as [[MetadataPart]?]
    )
    func stripping(strip: [MetadataPart]?) async throws {
        var exif = ExifMetadata()
        exif.gps = ExifPosition(try #require(Location(latitude: 52.37, longitude: 4.89)))
        exif.make = "Maker"
        let photo = try TestPhoto(bytes: try SampleStill.jpeg(exif: try exif.bytes(order: .bigEndian)))
        try await RunningServer.run { server in
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await owner.call(server) { try await $0.save(photo) }
            let caller = try await TestDevice.enroll(at: server)
            var request = PickerRequest(purpose: "A picture for the badge.")
            request.strip = strip
            let path = try await pick(photo.manifest.id, request, caller, server)
            let fetched = try await caller.call(server) { client in
                let item = try #require(try await client.send("GET", path).json(PickedItemPage.self).items.first)
                return try await client.send("GET", "\(path)/\(item.id)").body
            }
            #expect((fetched == photo.bytes) == (strip != nil))
            let kept = try fetched.withBytes { span throws(MediaFormatError) in try StillMetadata(span).metadata }
            #expect((kept.location == nil) == (strip == nil))
            #expect(kept.exif?.make == "Maker", "nothing else is gone")
        }
    }
}
