import Crypto
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel
import TestSupport
import Testing

@testable import LibraryServer

struct MediaTests {
    private static let flags = ["media.workers=1"]

    @Test("004.90: uploaded stills of every kind and a Live Photo are listed with a placeholder and show thumbnails")
    func thumbnails() async throws {
        try await RunningServer.run(flags: Self.flags) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                for sample in try await MediaSample.all() {
                    let manifest = try await client.save(sample)
                    let asset = try await client.waitForPlaceholder(of: manifest.id)
                    #expect(asset.pixelSize == sample.shown, "\(sample.name)")
                    for (size, side) in [("", 256), ("?size=256", 256), ("?size=257", 1024), ("?size=4000", 1024)] {
                        let answer = try await client.send("GET", "/v1/assets/\(manifest.id)/thumbnail\(size)")
                        #expect(answer.status == 200, "\(sample.name): \(answer.text)")
                        #expect(answer.headers["content-type"] == "image/jpeg")
                        #expect(answer.headers["x-content-type-options"] == "nosniff")
                        #expect(answer.headers["cache-control"] == "private, max-age=3600")
                        let picture = try await MediaSample.measure(answer.body)
                        #expect(max(picture.size.width, picture.size.height) == side, "\(sample.name)")
                        #expect((picture.size.width < picture.size.height) == sample.isPortrait)
                        #expect(picture.corner == "r", "\(sample.name) lies the wrong way")
                        let known = [("If-None-Match", try #require(answer.headers["etag"]))]
                        let path = "/v1/assets/\(manifest.id)/thumbnail\(size)"
                        #expect(try await client.send("GET", path, headers: known).status == 304)
                    }
                }
                let page = try await client.send("GET", "/v1/assets").json(AssetPage.self)
                #expect(page.assets.allSatisfy { $0.thumbHash != nil })
                for asset in page.assets { try await Self.checkWebP(of: asset.id, client) }
            }
        }
    }

    /// Browsers get the small thumbnail as WebP, everybody else a JPEG, and no cache mixes them up.
    private static func checkWebP(of id: AssetID, _ client: TestClient) async throws {
        let path = "/v1/assets/\(id)/thumbnail"
        let jpeg = try await client.send("GET", path, headers: [("Accept", "image/*,*/*;q=0.8")])
        let accept = ("Accept", "image/avif,image/webp,image/*,*/*;q=0.8")
        let webP = try await client.send("GET", path, headers: [accept])
        #expect(jpeg.headers["content-type"] == "image/jpeg" && webP.headers["content-type"] == "image/webp")
        #expect(jpeg.headers["vary"] == "Accept" && webP.headers["vary"] == "Accept")
        #expect(try await MediaSample.measure(webP.body).size == MediaSample.measure(jpeg.body).size)
        let tag = try #require(webP.headers["etag"])
        #expect(tag != jpeg.headers["etag"])
        #expect(try await client.send("GET", path, headers: [accept, ("If-None-Match", tag)]).status == 304)
        #expect(try await client.send("GET", path, headers: [("If-None-Match", tag)]).status == 200)
        let large = try await client.send("GET", path + "?size=1024", headers: [accept])
        #expect(large.headers["content-type"] == "image/jpeg", "at that size a WebP is no smaller")
        let refused = try await client.send("GET", path, headers: [("Accept", "image/webp;q=0,*/*")])
        #expect(refused.headers["content-type"] == "image/jpeg")
    }

    @Test("A thumbnail that is not there yet says when to ask again; one that cannot be says so; both are typed")
    func pending() async throws {
        try await RunningServer.run(flags: Self.flags) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await server.withOperator { try await $0.send("POST", "/v1/admin/jobs/pause") }
            try await device.call(server) { client in
                let broken = try MediaSample(name: "broken", bytes: [1, 2, 3, 4], contentType: "image/jpeg")
                let whole = try #require(try await MediaSample.all().first)
                let (first, second) = (try await client.save(broken), try await client.save(whole))
                let early = try await client.send("GET", "/v1/assets/\(second.id)/thumbnail")
                #expect(early.status == 404)
                #expect(early.headers["retry-after"] == "2")
                #expect(try early.json(ProblemDetails.self).code == .derivativePending)
                let held = try await server.withOperator {
                    try await $0.send("GET", "/v1/admin/jobs").json(JobPage.self)
                }
                #expect(held.isPaused)
                #expect(held.jobs.map(\.priority) == [0, 1], "what somebody waits for goes first")
                _ = try await server.withOperator { try await $0.send("POST", "/v1/admin/jobs/resume") }
                _ = try await client.waitForPlaceholder(of: second.id)
                // One worker and one queue: a third is done after the first was tried.
                let third = try await client.save(try #require(try await MediaSample.all().dropFirst().first))
                _ = try await client.waitForPlaceholder(of: third.id)
                let never = try await client.send("GET", "/v1/assets/\(first.id)/thumbnail")
                #expect(never.status == 404)
                #expect(try never.json(ProblemDetails.self).code == .derivativeUnavailable)
            }
            try await server.withOperator { client in
                let dead = try await client.send("GET", "/v1/admin/jobs?state=dead").json(JobPage.self)
                #expect(dead.counts == ["dead": 1])
                #expect(try #require(dead.jobs.first?.reason).contains("unsupported format"))
                let one = try await client.send("POST", "/v1/admin/jobs/retry")
                #expect(try one.json(JobCount.self).count == 1)
                #expect(try await client.send("POST", "/v1/admin/jobs/999/retry").status == 404)
                #expect(try await client.send("GET", "/v1/admin/jobs?state=lost").status == 400)
                // A thumbnail is shown before its job is counted.
                try await eventually {
                    let metrics = try await client.send("GET", "/metrics").text
                    return metrics.contains("tintype_media_jobs_total{result=\"done\"} 2")
                }
            }
        }
    }

    @Test("The folder of derivatives can be deleted: what is asked for is made again")
    func rebuilt() async throws {
        try await RunningServer.run(flags: Self.flags) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let manifest = try await client.save(try #require(try await MediaSample.all().first))
                _ = try await client.waitForPlaceholder(of: manifest.id)
                let library = URL(filePath: server.socketPath).deletingLastPathComponent()
                let folder = library.appending(path: "derivatives")
                for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                    try FileManager.default.removeItem(at: folder.appending(path: name))
                }
                let path = "/v1/assets/\(manifest.id)/thumbnail"
                let since = try await client.changes(since: nil)
                #expect(try await client.send("GET", path).status == 404)
                while try await client.send("GET", path).status != 200 {
                    _ = try await client.changes(since: since.token, wait: 1)
                }
            }
        }
    }

    @Test("A resource is converted to JPEG on request; another format, and what cannot be converted, are refused")
    func conversion() async throws {
        try await RunningServer.run(flags: Self.flags) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                for sample in try await MediaSample.all() {
                    let isNamed = sample.contentType == "image/heic"
                    let manifest = try await client.save(sample, named: isNamed ? FileName("ridge.heic") : nil)
                    let name = isNamed ? "''ridge" : "''IMG"
                    let path = "/v1/assets/\(manifest.id)/resources/\(manifest.resources[0].id)"
                    let answer = try await client.send("GET", "\(path)?as=jpeg")
                    #expect(answer.status == 200, "\(sample.name): \(answer.text)")
                    #expect(answer.headers["content-disposition"]?.hasSuffix("\(name).jpg") == true)
                    let picture = try await MediaSample.measure(answer.body)
                    #expect(picture.size == sample.shown)
                    #expect(picture.corner == "r")
                    #expect(try await client.send("GET", "\(path)?as=bmp").status == 400)
                    let bare = try await client.send("GET", "\(path)?as=jpeg&strip=location,captions")
                    #expect(bare.status == 200 && bare.headers["etag"] != answer.headers["etag"], "\(bare.text)")
                    #expect(bare.headers["content-disposition"]?.hasSuffix("\(name)%20without%20location.jpg") == true)
                    #expect(try await MediaSample.measure(bare.body).size == sample.shown)
                    #expect(try await client.send("GET", path).body == sample.bytes, "the original stays what it is")
                }
                let broken = try MediaSample(name: "broken", bytes: [1, 2, 3, 4], contentType: "image/heic")
                let manifest = try await client.save(broken)
                let path = "/v1/assets/\(manifest.id)/resources/\(manifest.resources[0].id)?as=jpeg"
                let refused = try await client.send("GET", path)
                #expect(try refused.json(ProblemDetails.self).code == .derivativeUnavailable)
            }
        }
    }
}

extension MediaTests {
    @Test("004.62, 004.63: what few programs read comes as JPEG where that was asked for, by the session or by Accept")
    func pickedForms() async throws {
        try await RunningServer.run(flags: Self.flags) { server in
            let samples = try await MediaSample.all().filter { ["a.heic", "upright.png"].contains($0.name) }
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            for sample in samples {
                let isHEIC = sample.contentType == "image/heic"
                let manifest = try await device.call(server) { try await $0.save(sample) }
                // The form that is asked for, what the caller takes, and whether a JPEG comes of a HEIC.
                let cases: [(PickerEncoding, String, Bool)] = [
                    (.compatible, "*/*", true), (.current, "image/jpeg", false), (.original, "image/jpeg", false),
                    (.automatic, "image/*", false), (.automatic, "image/jpeg", true),
                    (.automatic, "image/heic, image/jpeg", false), (.automatic, "image/heic;q=0, image/*", true),
                    (.automatic, "text/html", false),
                ]
                for (encoding, accept, converts) in cases {
                    var request = PickerRequest(purpose: "A picture for the badge.")
                    request.encoding = encoding
                    request.strip = []
                    request.preselected = [manifest.id]
                    let path = try await device.call(server) { client in
                        let session = try await client.send("POST", "/v1/picker/sessions", json: request)
                            .json(PickerSession.self)
                        let secret = try session.secret
                        let fields = [(PickerRoutes.secretField, secret)]
                        let done = try await server.withOperator { admin in
                            try await admin.send("POST", "/v1/picks/\(session.id)/done", headers: fields)
                        }
                        #expect(done.status == 200, "\(done.text)")
                        return "/v1/picker/sessions/\(session.id)/items"
                    }
                    let (item, answer) = try await device.call(server) { client in
                        let item = try #require(
                            try await client.send("GET", path).json(PickedItemPage.self).items.first
                        )
                        return (item, try await client.send("GET", "\(path)/\(item.id)", headers: [("Accept", accept)]))
                    }
                    _ = try await device.call(server) { client in
                        try await client.send("DELETE", String(path.dropLast("/items".count)))
                    }
                    // A PNG is read by every program, and becomes a JPEG only where nothing else is taken.
                    let isJPEG = isHEIC ? converts : encoding == .automatic && accept.hasSuffix("image/jpeg")
                    let isWhole = answer.body == sample.bytes
                    #expect(answer.status == 200 && isWhole == !isJPEG, "\(sample.name) \(encoding) \(accept)")
                    #expect(answer.headers["content-type"] == (isJPEG ? "image/jpeg" : sample.contentType))
                    if encoding == .compatible, isHEIC {
                        #expect(item.contentType == "image/jpeg" && item.byteCount == nil)
                    } else {
                        #expect(item.contentType == sample.contentType)
                    }
                }
            }
        }
    }
}

/// A still whose first corner is red, as it is meant to be shown, and what it is saved with.
struct MediaSample: Sendable {
    let name: String
    let bytes: [UInt8]
    let contentType: String
    var shown: PixelSize?
    var isPortrait = false
    var movie: [UInt8]?

    init(name: String, bytes: [UInt8], contentType: String) throws {
        self.name = name
        self.bytes = bytes
        self.contentType = contentType
    }

    /// A JPEG that lies on its side, HEIC, PNG, WebP, and a Live Photo.
    static func all() async throws -> [MediaSample] { try await offTheSharedThreads { try makeAll() } }

    private static func makeAll() throws -> [MediaSample] {
        try withTemporaryDirectory { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            func run(_ name: String, _ arguments: [String]) throws {
                let outcome = try ChildProcess.run(name, arguments)
                #expect(outcome.status == 0, "\(name): \(outcome.errors)")
            }
            let halves = "color=red:s=600x900:r=25,pad=1200:900:0:0:blue"
            try run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", halves, "-frames:v", "1", path("upright.png")])
            try run(
                "ffmpeg",
                ["-v", "error", "-f", "lavfi", "-i", halves, "-t", "1", "-pix_fmt", "yuv420p", path("m.mov")]
            )
            try run("vips", ["copy", path("upright.png"), path("turned.jpg")])
            try run("exiftool", ["-q", "-n", "-overwrite_original", "-Orientation=6", path("turned.jpg")])
            try run("vips", ["copy", path("upright.png"), path("a.webp")])
            try run("vips", ["copy", path("upright.png"), path("live.jpg")])
            try run("heif-enc", ["-q", "60", "-o", path("a.heic"), path("upright.png")])
            let kinds = [
                ("turned.jpg", "image/jpeg"), ("a.heic", "image/heic"), ("upright.png", "image/png"),
                ("a.webp", "image/webp"), ("live.jpg", "image/jpeg"),
            ]
            return try kinds.map { name, type in
                let bytes = try Array(Data(contentsOf: folder.appending(path: name)))
                var sample = try MediaSample(name: name, bytes: bytes, contentType: type)
                sample.isPortrait = name == "turned.jpg"
                sample.shown = PixelSize(width: sample.isPortrait ? 900 : 1200, height: sample.isPortrait ? 1200 : 900)
                if name == "live.jpg" { sample.movie = try Array(Data(contentsOf: folder.appending(path: "m.mov"))) }
                return sample
            }
        }
    }

    /// Size and first corner of a JPEG, by an outside decoder.
    static func measure(_ jpeg: [UInt8]) async throws -> (size: PixelSize, corner: Character) {
        try await offTheSharedThreads { try measureNow(jpeg) }
    }

    private static func measureNow(_ jpeg: [UInt8]) throws -> (size: PixelSize, corner: Character) {
        try withTemporaryDirectory { folder in
            let (file, raw) = (folder.appending(path: "a.jpg"), folder.appending(path: "raw"))
            try Data(jpeg).write(to: file)
            let text = try ChildProcess.run("exiftool", ["-s3", "-ImageWidth", "-ImageHeight", file.path]).text
            let sides = text.split(separator: "\n").compactMap { Int($0) }
            let conversion = ["-v", "error", "-i", file.path, "-f", "rawvideo", "-pix_fmt", "rgb24", raw.path]
            _ = try ChildProcess.run("ffmpeg", conversion)
            let pixels = try Data(contentsOf: raw)
            try #require(sides.count == 2 && pixels.count == sides[0] * sides[1] * 3)
            let offset = (sides[1] / 10 * sides[0] + sides[0] / 10) * 3
            let isRed = pixels[offset] > 180 && pixels[offset + 2] < 90
            return (PixelSize(width: sides[0], height: sides[1]), isRed ? "r" : "b")
        }
    }
}

extension TestClient {
    /// Saves a sample the long way; gives its manifest.
    func save(_ sample: MediaSample, named name: FileName? = nil) async throws -> AssetManifest {
        var generator = SystemRandomNumberGenerator()
        var files: [(AssetResourceType, [UInt8], String)] = [(.photo, sample.bytes, sample.contentType)]
        if let movie = sample.movie { files.append((.pairedVideo, movie, "video/quicktime")) }
        let resources = try files.map { type, bytes, contentType in
            AssetResource(
                id: .version7(unixMilliseconds: 0, using: &generator),
                type: type,
                digest: try #require(ContentDigest(bytes: Array(SHA256.hash(data: bytes)))),
                byteCount: Int64(bytes.count),
                contentType: contentType,
                originalFilename: type == .photo ? name : nil
            )
        }
        let manifest = AssetManifest(
            id: .version7(unixMilliseconds: WallTime.now().millisecondsSince1970, using: &generator),
            mediaType: .image,
            captureTime: CaptureTime(wall: .now(), source: .deviceClock, isSynchronized: true),
            resources: resources
        )
        let created = try await send("POST", "/v1/assets", json: manifest).json(AssetCreationResponse.self)
        for (upload, file) in zip(created.uploads, files) where !upload.isComplete {
            let sent = try await append(file.1, to: upload.id, at: 0, isComplete: true)
            #expect(sent.status == 204, "\(sent.text)")
        }
        let committed = try await send("POST", "/v1/assets/\(manifest.id)/commit")
        #expect(committed.status == 200, "\(committed.text)")
        return manifest
    }

    /// One answer of the change feed.
    fileprivate func changes(since: String?, wait: Int = 0) async throws -> (token: String, answer: Answer) {
        let answer = try await send("GET", "/v1/changes?wait=\(wait)" + (since.map { "&since=\($0)" } ?? ""))
        let last = try #require(answer.text.split(separator: "\n").last)
        guard case .end(let end) = try JSONDecoder().decode(ChangeLine.self, from: Data(last.utf8)) else {
            throw CocoaError(.coderReadCorrupt)
        }
        return (end.token.text, answer)
    }

    /// Waits by the change feed until an asset has its placeholder.
    func waitForPlaceholder(of id: AssetID) async throws -> Asset {
        var token: String?
        for _ in 0..<40 {
            token = try await changes(since: token, wait: 10).token
            let asset = try await send("GET", "/v1/assets/\(id)").json(Asset.self)
            if asset.thumbHash != nil { return asset }
        }
        Issue.record("no thumbnail was made")
        throw CancellationError()
    }
}
