import Foundation
import LibraryAPI
import LibraryStore
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

@testable import LibraryServer

/// Movies of picker sessions with the encoding `compatible`.
struct MovieConversionTests {
    private static let identifier = "5A6F9A4E-0D3C-4B3E-9D53-0C7E9B1F2A11"

    /// A Live Photo whose movie is HEVC and says where it was taken, a movie of H.264, and one of HEVC.
    private static func samples() async throws -> (live: TestAsset, plain: TestAsset, film: TestAsset) {
        let (hevc, h264) = try await offTheSharedThreads { (try movie("libx265"), try movie("libx264")) }
        var metadata = LivePhotoMovieMetadata(contentIdentifier: try #require(ContentIdentifier(identifier)))
        metadata.make = "Bench"
        metadata.location = Location(latitude: 48.25, longitude: 16.5)
        let ending = try LivePhotoMovie.finishing(hevc, stillTime: .milliseconds(500), metadata: metadata)
        let still = TestAsset.Part(
            type: .photo,
            contentType: "image/jpeg",
            name: "IMG 7.JPG",
            bytes: try SampleStill.jpeg(imageBytes: 5000)
        )
        func part(_ type: AssetResourceType, _ bytes: [UInt8]) -> TestAsset.Part {
            TestAsset.Part(type: type, contentType: "video/quicktime", name: "IMG 7.MOV", bytes: bytes)
        }
        let live = try TestAsset([still, part(.pairedVideo, hevc[..<ending.offset] + ending.bytes)])
        func film(_ bytes: [UInt8]) throws -> TestAsset {
            try TestAsset([part(.video, bytes)]) { $0.mediaType = .video }
        }
        return (live, try film(h264), try film(hevc))
    }

    private static func movie(_ encoder: String) throws -> [UInt8] {
        try withTemporaryDirectory { folder in
            let file = folder.appending(path: "a.mov")
            let inputs = ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30", "-f", "lavfi", "-i", "sine", "-t", "1"]
            let codecs = ["-c:v", encoder, "-tag:v", encoder == "libx265" ? "hvc1" : "avc1", "-c:a", "aac"]
            let made = try ChildProcess.run("ffmpeg", ["-v", "error"] + inputs + codecs + [file.path])
            try #require(made.status == 0, "\(made.errors)")
            return try Array(Data(contentsOf: file))
        }
    }

    /// Asks for assets in a form, has somebody hand them over, and gives the address of the items.
    private func pick(
        _ assets: [AssetID],
        as encoding: PickerEncoding,
        stripping parts: Set<MetadataPart>,
        _ device: TestDevice,
        _ server: RunningServer
    ) async throws -> String {
        var request = PickerRequest(purpose: "A film for the hall.")
        request.encoding = encoding
        request.strip = Array(parts)
        request.selectionLimit = assets.count
        request.preselected = assets
        let opened = try await device.call(server) { try await $0.send("POST", "/v1/picker/sessions", json: request) }
        let session = try opened.json(PickerSession.self)
        let fields = [(PickerRoutes.secretField, try session.secret)]
        let done = try await server.withOperator { admin in
            try await admin.send("POST", "/v1/picks/\(session.id)/done", headers: fields)
        }
        #expect(done.status == 200, "\(done.text)")
        return "/v1/picker/sessions/\(session.id)/items"
    }

    @Test(
        "T73, 004.62, 004.64: compatible is H.264 of an HEVC movie, still a Live Photo's; the original goes on as it was"
    )
    func compatible() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(in: folder.path, flags: ["media.workers=1"]) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let (live, plain, film) = try await Self.samples()
            try await device.call(server) { client in
                try await client.save(live)
                for asset in [plain, film] {
                    try await client.save(asset)
                    _ = try await client.waitForPlaceholder(of: asset.manifest.id)
                }
            }
            let ids = [live, plain, film].map(\.manifest.id)
            for (encoding, parts) in [(.compatible, []), (.compatible, [.location]), (.current, [])]
                as [(PickerEncoding, Set<MetadataPart>)]
            {
                let path = try await pick(ids, as: encoding, stripping: parts, device, server)
                try await device.call(server) { client in
                    let page = try await client.send("GET", path).json(PickedItemPage.self)
                    let items = try ids.map { id in try #require(page.items.first { $0.id == id }) }
                    let half = try await client.send("GET", "\(path)/\(items[0].id)?part=movie")
                    #expect(half.status == 200 && half.headers["content-type"] == "video/quicktime", "\(half.text)")
                    let movie = try Movie(half.body)
                    #expect(movie.damage == nil && movie.tracks.contains { $0.kind == .audio })
                    #expect(movie.videoTrack?.codec == (encoding == .compatible ? "avc1" : "hvc1"))
                    #expect(movie.metadata.contentIdentifier == ContentIdentifier(Self.identifier))
                    #expect(movie.stillImageTime?.duration == .milliseconds(500))
                    #expect(movie.metadata.make == "Bench" && (movie.metadata.location == nil) == !parts.isEmpty)
                    let isWhole = half.body == live.parts[1].bytes
                    #expect(isWhole == (encoding == .current))
                    let tag = try #require(half.headers["etag"])
                    let digest = try live.parts[1].resource().digest
                    #expect(!tag.contains(digest.description), "the tag is the session's own")
                    let known = [("If-None-Match", tag)]
                    let again = try await client.send("GET", "\(path)/\(items[0].id)?part=movie", headers: known)
                    #expect(again.status == 304)
                    let range = [("Range", "bytes=4-7")]
                    let part = try await client.send("GET", "\(path)/\(items[0].id)?part=movie", headers: range)
                    #expect(part.status == 206 && part.body == Array("ftyp".utf8))
                    // A movie that every program plays is the file itself.
                    let other = try await client.send("GET", "\(path)/\(items[1].id)")
                    let isSame = other.body == plain.parts[0].bytes
                    #expect(isSame && items[1].byteCount == (parts.isEmpty ? Int64(other.body.count) : nil))
                    for _ in 1...2 {
                        let shown = try await client.send("GET", "\(path)/\(items[2].id)")
                        let isOriginal = shown.body == film.parts[0].bytes
                        #expect(shown.status == 200 && isOriginal == (encoding == .current), "\(shown.text)")
                    }
                    #expect((items[2].byteCount == nil) == (encoding == .compatible))
                }
            }
            let digest = try film.parts[0].resource().digest.description
            let kept = "\(folder.path)/library/derivatives/\(digest.prefix(2))/\(digest.dropFirst(2).prefix(2))"
            #expect(FileManager.default.fileExists(atPath: "\(kept)/\(digest).h264.mov"), "made once")
        }
    }

    @Test("Where nothing is converted, that is said, and how to get the movie all the same")
    func noWorkers() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let live = try await Self.samples().live
            _ = try await device.call(server) { try await $0.save(live) }
            let path = try await pick([live.manifest.id], as: .compatible, stripping: [], device, server)
            try await device.call(server) { client in
                let item = try #require(try await client.send("GET", path).json(PickedItemPage.self).items.first)
                let answer = try await client.send("GET", "\(path)/\(item.id)?part=movie")
                #expect(try answer.json(ProblemDetails.self).code == .derivativeUnavailable, "\(answer.text)")
            }
        }
    }
}
