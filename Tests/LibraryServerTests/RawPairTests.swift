import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// Photos that have a raw form beside the one to look at.
struct RawPairTests {
    /// The raw form comes first, so that whoever takes the first one is found out.
    private static func pair() throws -> TestAsset {
        try TestAsset([
            .init(type: .alternatePhoto, contentType: "image/x-adobe-dng", name: "IMG.DNG", bytes: SampleRaw.sensor()),
            .init(
                type: .photo,
                contentType: "image/jpeg",
                name: "IMG.JPG",
                bytes: try SampleStill.jpeg(imageBytes: 3000)
            ),
        ])
    }

    @Test("000.15: a picker gives the photo of a RAW+JPEG, in whatever form; archives have both files, or the JPEG")
    func given() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let saved = try Self.pair()
            let asset = try await device.call(server) { client in
                try await client.save(saved)
                return try await client.send("GET", "/v1/assets/\(saved.manifest.id)").json(Asset.self)
            }
            #expect(Set(asset.resources.map(\.type)) == [.photo, .alternatePhoto])
            for encoding in PickerEncoding.allCases {
                let picked = asset.pickedResource(encoding: encoding, isMovie: false)
                #expect(picked?.type == .photo, "\(encoding)")
            }
            for (form, names) in [(ArchiveForm.original, ["IMG.JPG", "IMG.dng"]), (.jpeg, ["IMG.JPG"])] {
                var request = ArchiveRequest(assets: [asset.id])
                request.form = form
                let document = ArchiveDocument(request: request, created: asset.captureDate, expires: asset.captureDate)
                let planned = ArchivePlan([asset], document).files.map(\.name)
                #expect(planned.map { $0.lowercased() } == names.map { $0.lowercased() }, "\(planned)")
            }
            let raw = try #require(asset.resources.first { $0.type == .alternatePhoto })
            let answer = try await device.call(server) { client in
                try await client.send("GET", "/v1/assets/\(asset.id)/resources/\(raw.id)")
            }
            #expect(answer.status == 200 && answer.body == saved.parts[0].bytes, "whoever asks for it gets it")
        }
    }
}
