import Foundation
import LibraryAPI
import MediaFormats
import MediaSamples
import PhotoModel
import Testing

@testable import LibraryServer

/// Places in what a picker's caller fetches.
struct PickedPlaceTests {
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
            let session = try await caller.call(server) { [request] client in
                try await client.send("POST", "/v1/picker/sessions", json: request).json(PickerSession.self)
            }
            try await server.withOperator { admin in
                let secret = (PickerRoutes.secretField, try session.secret)
                let choice = Array(try JSONEncoder().encode(PickChoice(assets: [photo.manifest.id])))
                let fields = [("Content-Type", "application/json"), secret]
                let pick = "/v1/picks/\(session.id)"
                let chosen = try await admin.send("PUT", "\(pick)/selection", headers: fields, body: choice)
                #expect(chosen.status == 200, "\(chosen.text)")
                #expect(try await admin.send("POST", "\(pick)/done", headers: [secret]).status == 200)
            }
            let fetched = try await caller.call(server) { client in
                let path = "/v1/picker/sessions/\(session.id)/items"
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
