import Authorization
import DeviceIdentity
import Foundation
import LibraryStore
import MediaFormats
import MediaSamples
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// Archives of many assets.
struct ArchiveTests {
    private static func livePhoto(_ name: String, seed: UInt8) throws -> TestAsset {
        try TestAsset([
            .init(
                type: .photo,
                contentType: "image/jpeg",
                name: "\(name).JPG",
                bytes: try SampleStill.jpeg(imageBytes: 3000 + Int(seed))
            ),
            .init(
                type: .pairedVideo,
                contentType: "video/quicktime",
                name: "\(name).MOV",
                bytes: SampleMovie().bytes + [0, 0, 0, 9] + Array("free".utf8) + [seed]
            ),
        ])
    }

    /// What `unzip` makes of an archive: the names with the bytes.
    static func files(in archive: [UInt8]) async throws -> [String: [UInt8]] {
        let folder = try TemporaryFolder()
        try Data(archive).write(to: URL(filePath: "\(folder.path)/all.zip"))
        let unzipped = try await offTheSharedThreads {
            try ChildProcess.run("unzip", ["-q", "\(folder.path)/all.zip", "-d", "\(folder.path)/out"])
        }
        #expect(unzipped.status == 0, "\(unzipped.errors)")
        // Each entry has the day of its capture, which is today; D12.
        let listed = try await offTheSharedThreads {
            try ChildProcess.run("zipinfo", ["-T", "\(folder.path)/all.zip"]).text
        }
        #expect(!listed.contains(" 1980"), "\(listed)")
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out") {
            files[name] = Array(try Data(contentsOf: URL(filePath: "\(folder.path)/out/\(name)")))
        }
        return files
    }

    private static func path(_ archive: ArchiveResponse) -> String { "/v1/archives/\(archive.id)/content.zip" }

    @Test("T63: five thousand files of one name are planned in linear time, each with a name of its own")
    func equalNames() throws {
        var generator = SeededGenerator(seed: 5)
        var asset = AssetGenerator.asset(&generator)
        asset.resources = Array(try Self.livePhoto("IMG", seed: 1).manifest.resources.prefix(1))
        let request = ArchiveRequest(assets: [asset.id])
        let document = ArchiveDocument(request: request, created: asset.captureDate, expires: asset.captureDate)
        func plan(_ count: Int) -> ArchivePlan { ArchivePlan(Array(repeating: asset, count: count), document) }
        let numbered = (2...APILimits.archiveAssetCount).map { "IMG (\($0)).JPG" }
        #expect(plan(APILimits.archiveAssetCount).files.map(\.name) == ["IMG.JPG"] + numbered)
        func time(_ count: Int) -> Duration {
            (0..<3).map { _ in
                let start = threadTime()
                #expect(plan(count).files.count == count)
                return threadTime() - start
            }.min() ?? .zero
        }
        // Ten times as many files would take a hundred times as long if each tried all numbers.
        let (few, many) = (time(250), time(2500))
        #expect(many < few * 40)
    }

    @Test("T136: an archive is planned from a hundred assets at a time, however many and long they are")
    func partsOfPlan() async throws {
        var generator = SeededGenerator(seed: 6)
        var asset = AssetGenerator.asset(&generator)
        asset.resources = Array(try Self.livePhoto("IMG", seed: 1).manifest.resources.prefix(1))
        let request = ArchiveRequest(assets: (UInt128(1)...250).map { AssetID(rawValue: $0) })
        let document = ArchiveDocument(request: request, created: asset.captureDate, expires: asset.captureDate)
        let counts = Mutex<[Int]>([])
        let plan = try await ArchivePlan(document) { [asset] ids in
            counts.withLock { $0.append(ids.count) }
            return ids.map { _ in asset }
        }
        #expect(counts.withLock(\.self) == [100, 100, 50])
        #expect(plan.files.count == 250)
    }

    @Test("Originals of many assets: any unzip reads them, pairs keep one name, and every range is the same bytes")
    func originals() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let assets = try (0..<3).map { try Self.livePhoto("IMG 7", seed: UInt8($0)) }
            try await device.call(server) { client in
                for asset in assets { try await client.save(asset) }
                let request = ArchiveRequest(assets: assets.map(\.manifest.id))
                let archive = try await client.send("POST", "/v1/archives", json: request).json(ArchiveResponse.self)
                let sizes = assets.flatMap(\.parts).map { Int64($0.bytes.count) }
                #expect(archive.fileCount == 6 && archive.preparedCount == 6 && archive.leftOut.isEmpty)
                #expect(archive.byteCount == sizes.reduce(0, +))
                let whole = try await client.send("GET", Self.path(archive))
                #expect(whole.status == 200 && whole.headers["content-type"] == "application/zip", "\(whole.text)")
                #expect(whole.headers["content-length"] == "\(whole.body.count)")

                let files = try await Self.files(in: whole.body)
                var expected: [String: [UInt8]] = [:]
                for (base, asset) in zip(["IMG 7", "IMG 7 (2)", "IMG 7 (3)"], assets) {
                    expected["\(base).JPG"] = asset.parts[0].bytes
                    expected["\(base).MOV"] = asset.parts[1].bytes
                }
                #expect(Set(files.keys) == Set(expected.keys))
                for (name, bytes) in expected { #expect(files[name] == bytes, "\(name)") }

                // A second archive has read nothing yet: its ranges find the checksums by themselves.
                let again = try await client.send("POST", "/v1/archives", json: request).json(ArchiveResponse.self)
                let tag = try #require(whole.headers["etag"])
                for start in [0, 1, 40, 2000, 5000, whole.body.count - 300, whole.body.count - 1] {
                    let part = try await client.send(
                        "GET",
                        Self.path(again),
                        headers: [("Range", "bytes=\(start)-"), ("If-Range", tag)]
                    )
                    #expect(part.status == 206 && part.headers["etag"] == tag)
                    #expect(part.body == Array(whole.body[start...]), "from \(start)")
                }
            }
        }
    }

    @Test("An archive that has changed is sent anew, not mended; what is gone is counted")
    func changed() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let assets = try (0..<2).map { try Self.livePhoto("IMG \($0)", seed: UInt8($0)) }
            let (archive, tag, length) = try await device.call(server) { client in
                for asset in assets { try await client.save(asset) }
                let request = ArchiveRequest(assets: assets.map(\.manifest.id))
                let archive = try await client.send("POST", "/v1/archives", json: request).json(ArchiveResponse.self)
                let whole = try await client.send("GET", Self.path(archive))
                return (archive, try #require(whole.headers["etag"]), whole.body.count)
            }
            try await server.withOperator { admin in
                let id = assets[0].manifest.id
                for folder in ["assets", "trash"] {
                    let answer = try await admin.send("DELETE", "/v1/\(folder)/\(id)")
                    #expect(answer.status == 204)
                }
            }
            try await device.call(server) { client in
                let rest = [("Range", "bytes=5000-"), ("If-Range", tag)]
                let answer = try await client.send("GET", Self.path(archive), headers: rest)
                #expect(answer.status == 200 && answer.headers["etag"] != tag && answer.body.count < length)
                let state = try await client.send("GET", "/v1/archives/\(archive.id)").json(ArchiveResponse.self)
                #expect(state.missingCount == 1 && state.fileCount == 2)
            }
        }
    }

    @Test("T58: an archive holds what its caller may see, is nobody else's, and is judged again when it is fetched")
    func rights() async throws {
        try await RunningServer.run { server in
            let full = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let limited = try await TestDevice.enroll(at: server, maximum: "limited")
            let foreign = try Self.livePhoto("FOREIGN", seed: 1)
            let own = try Self.livePhoto("OWN", seed: 2)
            let secret = try await full.call(server) { client in
                try await client.save(foreign)
                let request = ArchiveRequest(assets: [foreign.manifest.id])
                return try await client.send("POST", "/v1/archives", json: request).json(ArchiveResponse.self)
            }
            let archive = try await limited.call(server) { client in
                try await client.save(own)
                for method in ["GET", "POST"] {
                    let path = method == "GET" ? Self.path(secret) : "/v1/archives/\(secret.id)/preparation"
                    #expect(try await client.send(method, path).status == 404)
                }
                let request = ArchiveRequest(assets: [foreign.manifest.id, own.manifest.id])
                let archive = try await client.send("POST", "/v1/archives", json: request).json(ArchiveResponse.self)
                #expect(archive.missingCount == 1)
                let files = try await Self.files(in: try await client.send("GET", Self.path(archive)).body)
                #expect(Set(files.keys) == ["OWN.JPG", "OWN.MOV"])
                return archive
            }
            _ = try await server.environment.store.metadata.decide(
                limited.id,
                .answer(.none, for: [.addOnly, .readWrite]),
                by: .administrator("test"),
                reason: "",
                audit: AuditContext()
            )
            try await limited.call(server) { client in
                let answer = try await client.send("GET", Self.path(archive))
                #expect(answer.status == 403)
            }
        }
    }

    @Test("Without location: nothing in the archive names a place; what cannot be looked through is left out and named")
    func withoutLocation() async throws {
        var exif = ExifMetadata()
        exif.gps = ExifPosition(try #require(Location(latitude: 52.37, longitude: 4.89)))
        let still = try SampleStill.jpeg(exif: try exif.bytes(order: .bigEndian))
        let placed = try TestAsset([.init(type: .photo, contentType: "image/jpeg", name: "a.jpg", bytes: still)])
        let opaque = try TestAsset([
            .init(type: .photo, contentType: "application/octet-stream", name: "b.xyz", bytes: Array("no picture".utf8))
        ])
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                for asset in [placed, opaque] { try await client.save(asset) }
                let request = ArchiveRequest(assets: [placed, opaque].map(\.manifest.id), strip: [.location])
                var archive = try await client.send("POST", "/v1/archives", json: request).json(ArchiveResponse.self)
                #expect(archive.preparedCount == 0 && archive.byteCount == nil)
                archive = try await client.send("POST", "/v1/archives/\(archive.id)/preparation").json()
                #expect(archive.preparedCount == 2 && archive.leftOut.map(\.asset) == [opaque.manifest.id])
                let answer = try await client.send("GET", Self.path(archive))
                #expect(answer.headers["content-disposition"]?.hasSuffix("without%20location.zip") == true)
                let files = try await Self.files(in: answer.body)
                #expect(Set(files.keys) == ["a without location.jpg", "Left out.txt"])
                let bare = try #require(files["a without location.jpg"])
                let metadata = try bare.withBytes { span throws(MediaFormatError) in try StillMetadata(span).metadata }
                #expect(metadata.location == nil)
                let remark = String(decoding: files["Left out.txt"] ?? [], as: UTF8.self)
                #expect(remark == "b without location.xyz: its location cannot be removed reliably\n")
                #expect(archive.leftOut.map(\.reason) == ["its location cannot be removed reliably"])
            }
        }
    }

    @Test("As JPEG: pictures in other formats are converted, others are as they are shown")
    func jpeg() async throws {
        try await RunningServer.run(flags: ["media.workers=1"]) { server in
            let sample = try #require(try await MediaSample.all().first { $0.name == "upright.png" })
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let manifest = try await client.save(sample)
                let request = ArchiveRequest(assets: [manifest.id], form: .jpeg)
                let archive = try await client.send("POST", "/v1/archives", json: request).json(ArchiveResponse.self)
                #expect(archive.preparedCount == 0)
                let files = try await Self.files(in: try await client.send("GET", Self.path(archive)).body)
                let bytes = try #require(files.values.first)
                #expect(files.count == 1 && files.keys.allSatisfy { $0.hasSuffix(".JPG") })
                #expect(bytes.withBytes { ContentType(sniffing: $0) } == .jpeg)
            }
        }
    }

    @Test("T64: a list of parts to strip that is longer than there are parts is refused, and nothing of it is kept")
    func strippedParts() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let parts = [MetadataPart](repeating: .location, count: 10_000)
                var picker = PickerRequest(purpose: "A picture for the badge.")
                picker.strip = parts
                let refused = try await client.send("POST", "/v1/picker/sessions", json: picker)
                #expect(refused.status == 400, "\(refused.text)")
                let archive = ArchiveRequest(assets: [AssetID(rawValue: 1)], strip: parts)
                #expect(try await client.send("POST", "/v1/archives", json: archive).status == 413)
                picker.strip = MetadataPart.allCases
                #expect(try await client.send("POST", "/v1/picker/sessions", json: picker).status == 201)
            }
        }
    }

    @Test("An asset that is named twice is in the archive once, and the archive's name counts it once")
    func namedTwice() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let assets = try (0..<2).map { try Self.livePhoto("IMG \($0)", seed: UInt8($0)) }
            try await device.call(server) { client in
                for asset in assets { try await client.save(asset) }
                let ids = assets.map(\.manifest.id)
                let request = ArchiveRequest(assets: [ids[1], ids[0], ids[1]])
                let archive = try await client.send("POST", "/v1/archives", json: request).json(ArchiveResponse.self)
                #expect(archive.fileCount == 4 && archive.missingCount == 0)
                let answer = try await client.send("GET", Self.path(archive))
                #expect(answer.headers["content-disposition"]?.contains("''2%20photos%2020") == true)
                let files = try await Self.files(in: answer.body)
                #expect(files.count == 4)
            }
        }
    }

    @Test("No assets, and too many, are refused; a caller's oldest archives go first")
    func caps() async throws {
        try await RunningServer.run { server in
            try await server.withOperator { admin in
                let ids = (0...APILimits.archiveAssetCount).map { AssetID(rawValue: UInt128($0)) }
                let refused: [(assets: [AssetID], status: Int)] = [([], 400), (ids, 413)]
                for (assets, status) in refused {
                    let answer = try await admin.send("POST", "/v1/archives", json: ArchiveRequest(assets: assets))
                    #expect(answer.status == status, "\(assets.count)")
                }
                var made: [ArchiveResponse] = []
                for _ in 0...APILimits.archivesPerCaller {
                    let answer = try await admin.send("POST", "/v1/archives", json: ArchiveRequest(assets: [ids[0]]))
                    made.append(try answer.json())
                }
                #expect(try await admin.send("GET", "/v1/archives/\(made[0].id)").status == 404)
                #expect(try await admin.send("GET", "/v1/archives/\(made[1].id)").status == 200)
            }
        }
    }

    @Test("Files and archives beyond 4 GiB, and more files than 65,535, are as other programs read them")
    func large() async throws {
        let time = CivilTime(WallTime(microsecondsSince1970: 1_700_000_000_000_000), utcOffsetSeconds: 0)
        let huge: Int64 = 5 << 30
        for sizes in [[huge, 7], [Int64](repeating: 0, count: 65_600)] {
            let archive = StoredArchive(
                sizes.enumerated().map { .init(name: "\($0.offset)", byteCount: $0.element, time: time) }
            )
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/large.zip"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            let file = try #require(FileHandle(forWritingAtPath: path))
            // The bytes between are holes.
            var offset: UInt64 = 0
            var last: UInt64 = 0
            for (index, size) in sizes.enumerated() {
                last = offset
                try file.seek(toOffset: offset)
                let header = archive.header(index)
                try file.write(contentsOf: header)
                offset += UInt64(header.count) + UInt64(size)
                try file.seek(toOffset: offset)
                let descriptor = archive.descriptor(index, checksum: 0)
                #expect(descriptor.count == archive.entries[index].descriptorByteCount)
                try file.write(contentsOf: descriptor)
                offset += UInt64(descriptor.count)
            }
            #expect(Int64(offset) == archive.directoryOffset)
            let directory = archive.directory { _ in 0 }
            #expect(directory.count == archive.directoryByteCount)
            try file.write(contentsOf: directory)
            try file.close()
            let program = """
                import sys, zipfile
                found = zipfile.ZipFile(sys.argv[1]).infolist()
                print(len(found), sum(one.file_size for one in found), found[-1].header_offset)
                """
            let read = try await offTheSharedThreads { try ChildProcess.run("python3", ["-c", program, path]) }
            #expect(read.text == "\(sizes.count) \(sizes.reduce(0, +)) \(last)\n", "\(read.errors)")
        }
    }
}
