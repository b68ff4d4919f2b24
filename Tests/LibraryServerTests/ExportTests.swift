import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryStore
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

@testable import LibraryServer

/// What is made of an asset's files when they are read: archives, Motion Photos, files without places.
struct ExportTests {
    private static func livePhoto(edit: (inout AssetManifest) -> Void = { _ in }) throws -> TestAsset {
        let parts = [
            TestAsset.Part(
                type: .photo,
                contentType: "image/jpeg",
                name: "IMG 7.JPG",
                bytes: try SampleStill.jpeg(imageBytes: 5000)
            ),
            TestAsset.Part(
                type: .pairedVideo,
                contentType: "video/quicktime",
                name: "other.mov",
                bytes: SampleMovie().bytes
            ),
        ]
        return try TestAsset(parts, edit: edit)
    }

    @Test("live-photo.zip holds both files under one name, byte for byte, for any unzip; ranges of it are the same")
    func archive() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let asset = try Self.livePhoto { manifest in
                // 2023-11-14 22:13:20 in Greenwich is the next day there.
                manifest.captureTime = CaptureTime(
                    wall: WallTime(microsecondsSince1970: 1_700_000_000_000_000),
                    utcOffsetSeconds: 19_800,
                    source: .deviceClock,
                    isSynchronized: true
                )
            }
            let archive = try await device.call(server) { client in
                try await client.save(asset)
                let path = "/v1/assets/\(asset.manifest.id)/live-photo.zip"
                let whole = try await client.send("GET", path)
                #expect(whole.status == 200, "\(whole.text)")
                #expect(whole.headers["content-type"] == "application/zip")
                #expect(whole.headers["content-disposition"] == "attachment; filename*=UTF-8''IMG%207.zip")
                let etag = try #require(whole.headers["etag"])
                let part = try await client.send("GET", path, headers: [("Range", "bytes=2000-5999")])
                #expect(part.body == Array(whole.body[2000..<6000]))
                let same = try await client.send("GET", path, headers: [("If-None-Match", etag)])
                #expect(same.status == 304)
                return whole.body
            }
            let folder = try TemporaryFolder()
            try Data(archive).write(to: URL(filePath: "\(folder.path)/pair.zip"))
            let unzipped = try await offTheSharedThreads {
                try ChildProcess.run("unzip", ["-q", "\(folder.path)/pair.zip", "-d", folder.path])
            }
            let listed = try await offTheSharedThreads {
                try ChildProcess.run("zipinfo", ["-T", "\(folder.path)/pair.zip"]).text
            }
            let count = listed.matches(of: /20231115\.034320/).count
            #expect(count == 2, "both files have the local time of the capture: \(listed)")
            #expect(unzipped.status == 0, "\(unzipped.errors)")
            for (name, part) in zip(["IMG 7.JPG", "IMG 7.MOV"], asset.parts) {
                let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))
                #expect(Array(bytes) == part.bytes, "\(name)")
            }
        }
    }

    @Test("A Live Photo comes as one Motion Photo; what is no Live Photo has neither form")
    func motionPhoto() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let asset = try Self.livePhoto()
            let plain = try TestPhoto.random(byteCount: 100)
            try await device.call(server) { client in
                try await client.save(asset)
                _ = try await client.save(plain)
                let answer = try await client.send("GET", "/v1/assets/\(asset.manifest.id)/motion-photo")
                #expect(answer.status == 200, "\(answer.text)")
                let found = try #require(try MotionPhoto(answer.body))
                #expect(Array(answer.body[found.movie.bounds]) == asset.parts[1].bytes)
                #expect(answer.headers["content-disposition"]?.hasSuffix("IMG%207.MP.jpg") == true)
                for form in ["motion-photo", "live-photo.zip"] {
                    #expect(try await client.send("GET", "/v1/assets/\(plain.manifest.id)/\(form)").status == 404)
                }
            }
        }
    }

    @Test("D20: what turns the direction of text is left out of saved files' names, and out of an archive's")
    func turnedNames() async throws {
        let turned = "IMG\u{202E}\u{2066}gpj\u{2069}\u{200F}\u{61C}.JPG"
        let asset = try TestAsset([
            .init(type: .photo, contentType: "image/jpeg", name: turned, bytes: try SampleStill.jpeg(imageBytes: 900)),
            .init(type: .pairedVideo, contentType: "video/quicktime", name: turned, bytes: SampleMovie().bytes),
        ])
        #expect(Call.disposition("\u{202A}\u{202D}\u{2069}\u{200E}") == "attachment")
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                try await client.save(asset)
                let path = "/v1/assets/\(asset.manifest.id)"
                let still = try await client.send("GET", "\(path)/resources/\(asset.manifest.resources[0].id)")
                #expect(still.headers["content-disposition"] == "attachment; filename*=UTF-8''IMGgpj.JPG")
                let archive = try await client.send("GET", "\(path)/live-photo.zip")
                #expect(archive.headers["content-disposition"] == "attachment; filename*=UTF-8''IMGgpj.zip")
                #expect(Set(try await ArchiveTests.files(in: archive.body).keys) == ["IMGgpj.JPG", "IMGgpj.MOV"])
            }
        }
    }

    /// Metadata of a still, and a movie, that say where they were taken.
    private static func placed() throws -> (ExifMetadata, SampleMovie) {
        var exif = ExifMetadata()
        exif.gps = ExifPosition(try #require(Location(latitude: 52.37, longitude: 4.89)))
        var movie = SampleMovie()
        movie.userData = SampleMovie.userText("©xyz", "+52.3700+004.8900/")
        return (exif, movie)
    }

    @Test("A Live Photo without its place: as one Motion Photo and in an archive, which say so in their names")
    func livePhotoWithoutPlace() async throws {
        let (exif, movie) = try Self.placed()
        let still = try SampleStill.jpeg(exif: try exif.bytes(order: .bigEndian))
        let asset = try TestAsset([
            .init(type: .photo, contentType: "image/jpeg", name: "IMG 7.JPG", bytes: still),
            .init(type: .pairedVideo, contentType: "video/quicktime", name: "other.mov", bytes: movie.bytes),
        ])
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                try await client.save(asset)
                let path = "/v1/assets/\(asset.manifest.id)"
                let whole = try await client.send("GET", "\(path)/motion-photo")
                let motion = try await client.send("GET", "\(path)/motion-photo?strip=location")
                #expect(motion.status == 200 && motion.headers["etag"] != whole.headers["etag"], "\(motion.text)")
                #expect(motion.headers["content-disposition"]?.hasSuffix("IMG%207%20without%20location.MP.jpg") == true)
                for (answer, isBare) in [(whole, false), (motion, true)] {
                    let found = try #require(try MotionPhoto(answer.body))
                    let parts = [answer.body, Array(answer.body[found.movie.bounds])]
                    for part in parts {
                        let named = try Self.place(in: part)
                        #expect((named == nil) == isBare)
                    }
                }
                let archive = try await client.send("GET", "\(path)/live-photo.zip?strip=location")
                let name = archive.headers["content-disposition"]
                #expect(name?.hasSuffix("IMG%207%20without%20location.zip") == true, "\(name ?? "")")
                for (bytes, isBare) in [
                    (try await client.send("GET", "\(path)/live-photo.zip").body, false), (archive.body, true),
                ] {
                    let files = try await ArchiveTests.files(in: bytes)
                    #expect(files.count == 2)
                    for (name, part) in files {
                        let named = try Self.place(in: part)
                        #expect((named == nil) == isBare, "\(name)")
                    }
                }
            }
        }
    }

    @Test("T32: places are taken out of every container on request, and what cannot be read for sure is refused")
    func stripping() async throws {
        let (exif, movie) = try Self.placed()
        let block = try exif.bytes(order: .bigEndian)
        var properties = XMPProperties()
        properties.latitude = 52.37
        properties.longitude = 4.89
        let files: [(String, [UInt8])] = [
            ("image/jpeg", try SampleStill.jpeg(exif: block)), ("image/png", try SampleStill.png(exif: block)),
            ("image/webp", try SampleStill.webp(exif: block)), ("video/quicktime", movie.bytes),
            ("image/gif", try SampleStill.gif(xmp: properties.packet())),
            ("image/jxl", SampleStill.jpegXL(exif: block, xmp: properties.packet())),
        ]
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                for (type, bytes) in files {
                    let answer = try await stripped(type, bytes, client)
                    #expect(answer.status == 200, "\(type): \(answer.text)")
                    #expect(try Self.place(in: answer.body) == nil, "\(type)")
                    #expect(try Self.place(in: bytes) != nil, "\(type) has a place before")
                }
                let unknown = try await stripped("application/octet-stream", Array("no picture".utf8), client)
                #expect(unknown.status == 422)
            }
        }
    }

    @Test("Captions are taken out of every still on request, alone and with places; the picture stays what it is")
    func captions() async throws {
        let secret = "the quick brown fox"
        let place = try #require(Location(latitude: 52.37, longitude: 4.89))
        var exif = ExifMetadata()
        exif.gps = ExifPosition(place)
        exif.imageDescription = secret
        let block = try exif.bytes(order: .bigEndian)
        let packet = Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description>\(secret)\
            </dc:description></rdf:Description></rdf:RDF></x:xmpmeta>
            """.utf8
        )
        let files: [(String, [UInt8])] = [
            ("image/jpeg", try SampleStill.jpeg(exif: block, xmp: packet)),
            ("image/png", try SampleStill.png(exif: block, xmp: packet)),
            ("image/webp", try SampleStill.webp(exif: block, xmp: packet)),
            ("image/jxl", SampleStill.jpegXL(exif: block, xmp: packet)),
            ("image/tiff", try SampleStill.tiff(exif, xmp: packet, order: .bigEndian)),
            ("video/quicktime", Self.movie(saying: secret, at: "+52.3700+004.8900/")),
        ]
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                for (type, bytes) in files {
                    #expect(Data(bytes).range(of: Data(secret.utf8)) != nil, "\(type)")
                    let alone = try await stripped(type, bytes, client, "captions")
                    #expect(alone.status == 200, "\(type): \(alone.text)")
                    #expect(Data(alone.body).range(of: Data(secret.utf8)) == nil, "\(type)")
                    #expect(try Self.place(in: alone.body) != nil, "\(type) keeps its place")
                    let both = try await stripped(type, bytes, client, "location,captions")
                    #expect(Data(both.body).range(of: Data(secret.utf8)) == nil, "\(type)")
                    #expect(try Self.place(in: both.body) == nil, "\(type)")
                }
                let gif = try await stripped("image/gif", SampleStill.gif(xmp: packet), client, "captions")
                let bare = try SampleStill.gif()
                #expect(gif.body == bare, "\(gif.text)")
                let sidecar = try await stripped("application/rdf+xml", packet, client, "captions")
                #expect(sidecar.status == 422, "what nobody can look through is not served without its captions")
            }
        }
    }

    /// A movie with a title, a description and a place.
    private static func movie(saying words: String, at place: String) -> [UInt8] {
        var sample = SampleMovie()
        sample.userData = SampleMovie.userText("©nam", words) + SampleMovie.userText("©xyz", place)
        sample.meta = SampleMovie.metadataList([
            ("com.apple.quicktime.description", words), ("com.apple.quicktime.location.ISO6709", place),
        ])
        return sample.bytes
    }

    private func stripped(
        _ type: String,
        _ bytes: [UInt8],
        _ client: TestClient,
        _ parts: String = "location"
    ) async throws -> TestClient.Answer {
        let asset = try TestAsset([.init(type: .photo, contentType: type, name: "x", bytes: bytes)])
        try await client.save(asset)
        let path = "/v1/assets/\(asset.manifest.id)/resources/\(asset.manifest.resources[0].id)"
        let whole = try await client.send("GET", path)
        #expect(whole.body == bytes, "originals are served as they are")
        let answer = try await client.send("GET", path + "?strip=\(parts)")
        #expect(answer.headers["etag"] != whole.headers["etag"])
        return answer
    }

    /// The place that a file names, by the readers of the formats.
    private static func place(in bytes: [UInt8]) throws -> Location? {
        let type = bytes.withBytes { ContentType(sniffing: $0) }
        if type.isMovie { return try Movie(bytes).metadata.location }
        if type == .jpegXL { return try PictureMetadata(of: bytes).location }
        if type == .gif {
            return try bytes.withBytes { span throws(MediaFormatError) -> Location? in
                for packet in try GIFLayout(span).xmpPackets(in: span) {
                    if let location = try XMPProperties(span, packet: packet).location { return location }
                }
                return nil
            }
        }
        return try bytes.withBytes { span throws(MediaFormatError) in try StillMetadata(span).metadata.location }
    }
}
