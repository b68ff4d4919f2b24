import AgentStore
import Capture
import Foundation
import Host
import LibraryAPI
import MediaEncoding
import MediaFormats
import MediaSamples
import Persistence
import PhotoLibrary
import PhotoModel
import Settings
import TestSupport
import Testing

@testable import AgentCapture

/// Captures of several photos: raw and processed, and exposure brackets.
struct RawAndBracketTests {
    private static func profile(_ yaml: String) throws -> CaptureProfile {
        try CaptureProfile(name: "gate", yaml: yaml)
    }

    /// Takes a profile's shots; a busy machine may leave out the frames of a moment, and then another moment is taken.
    private static func shots(_ yaml: String, with bench: CaptureBench) async throws -> [CapturedShot] {
        while true {
            do {
                return try await bench.takeShots(profile(yaml))
            } catch let error as CaptureError where error.code == .noFrame {
                continue
            }
        }
    }

    @Test("000.15: a raw camera's shot is one entry: a JPEG as photo, its raw samples as alternate photo")
    func raw() async throws {
        let bench = try CaptureBench()
        let shot = try #require(try await Self.shots("shot:\n  raw: true", with: bench).first)
        let manifest = try #require(try bench.store.entry(shot.id)).manifest
        #expect(manifest.resources.map(\.type) == [.photo, .alternatePhoto])
        #expect(manifest.resources.map(\.contentType) == ["image/jpeg", "image/x-adobe-dng"])
        #expect(manifest.pixelSize == PixelSize(width: 320, height: 240) && manifest.burst == nil)
        for resource in manifest.resources {
            let path = bench.store.file(of: resource, in: shot.id)
            #expect(try ContentHasher.digest(path, in: PosixFileSystem()).digest == resource.digest)
        }
        #expect(try bench.store.entries().count == 1 && PosixFileSystem().list(bench.store.spool).isEmpty)
    }

    @Test("000.15: a bracket is one burst of stills, each darker or brighter by its exposure, which EXIF tells")
    func bracket() async throws {
        let bench = try CaptureBench()
        let shots = try await Self.shots("shot:\n  bracket: [-2, 0, 1]", with: bench)
        let manifests = try shots.map { try #require(try bench.store.entry($0.id)).manifest }
        #expect(shots.count == 3 && Set(manifests.compactMap(\.burst?.id)).count == 1)
        #expect(manifests.map { $0.burst?.representsBurst } == [false, true, false])
        var (biases, lights): ([Double], [Double]) = ([], [])
        for (shot, manifest) in zip(shots, manifests) {
            let path = bench.store.file(of: manifest.resources[0], in: shot.id)
            let bytes = try #require(try PosixFileSystem().readAll(path))
            let exif = try bytes.withBytes { try StillMetadata($0) }.metadata.exif
            #expect(exif?.exposureMode == 2, "auto bracket")
            let bias = try #require(exif?.exposureCompensation)
            biases.append(Double(bias.numerator) / Double(bias.denominator))
            let info = FrameInfo(
                sequence: 0,
                timestamp: MonotonicTime(nanoseconds: 0),
                pixelFormat: .motionJPEG,
                size: PixelSize(width: 320, height: 240),
                clock: bench.provider.clock.reading()
            )
            lights.append(try #require(bytes.withBytes { bench.devices.compressor.meanLuma(of: $0, info) }))
        }
        #expect(biases == [-2, 0, 1])
        #expect(lights[0] < lights[1] / 2 && lights[1] < lights[2] / 1.2, "\(lights)")
    }

    @Test("000.15: after a bracket, even one that failed, the camera has its exposure back; two are not taken at once")
    func released() async throws {
        let bench = try CaptureBench()
        try await bench.provider.withSession(CaptureProfile(name: "").request) { session, _ in
            let bracket = try await session.beginBracket()
            let error = await #expect(throws: CaptureError.self) { _ = try await session.beginBracket() }
            #expect(error?.code == .tooManyCaptures)
            _ = try await bracket.frame(bias: 2)
            await session.endBracket(bracket)
            let again = try await session.beginBracket()
            #expect(try await again.frame(bias: 0).bias == 0)
            await session.endBracket(again)
        }
    }

    @Test(
        "000.15: shots that a camera or a profile rules out are refused when the profile is read, with what to write",
        arguments: [
            ("shot:\n  raw: true\n  mode: live", "shot.mode: still"),
            ("shot:\n  raw: true\n  format: png", "shot.format: jpeg, heic or avif"),
            ("shot:\n  raw: true\n  format: dng", "shot.format: jpeg, heic or avif"),
            ("shot:\n  raw: true\ntrigger:\n  motion:\n    enabled: true", "leave out shot.raw"),
            ("shot:\n  raw: true\ncamera:\n  device: \"libcamera:/base/imx708\"", "watch.folder"),
            ("shot:\n  format: dng\ncamera:\n  device: \"command:x\"", "watch.folder"),
            ("shot:\n  bracket: [0]", "write [-2, 0, 2]"), ("shot:\n  bracket: [1, 1]", "2 to 9 different"),
            ("shot:\n  bracket: [0, 7]", "-6 to 6"), ("shot:\n  bracket: [0, nan]", "-6 to 6"),
            ("shot:\n  bracket: [0, x]", "-6 to 6"), ("shot:\n  bracket: [0, 1]\n  mode: live", "shot.mode: still"),
            ("shot:\n  bracket: [0, 1]\n  count: 3", "leave out shot.count"),
            ("shot:\n  bracket: [0, 1]\ncamera:\n  device: \"network:rtsp://x\"", "Video4Linux"),
        ]
    )
    func refused(yaml: String, advice: String) {
        let error = #expect(throws: SettingsError.self) { try Self.profile(yaml) }
        #expect(error?.description.contains("profile gate") == true)
        #expect(error?.description.contains(advice) == true, "\(error?.description ?? "")")
    }

    @Test("000.15: a camera without raw samples, or without an exposure to set, refuses before the shot")
    func unable() async throws {
        let bench = try CaptureBench()
        // The session was opened for pictures.
        let order = try CaptureOrder(json: Array(#"{"includesRaw": true}"#.utf8))
        let profile = try order.applied(to: CaptureProfile(name: "x"))
        #expect(profile.includesRaw)
        await #expect(throws: CaptureError.self) {
            try await bench.provider.withSession(CaptureProfile(name: "x").request) { session, camera in
                let taker = bench.taker(session, camera, profile)
                let now = bench.provider.clock.reading().monotonic
                _ = try await taker.take(TriggerEvent(.command, at: now))
            }
        }
        #expect(try bench.store.entries().isEmpty && PosixFileSystem().list(bench.store.spool).isEmpty)
    }

    @Test(
        "000.15: an order's bracket replaces a burst, and the other way round; a wrong one is refused",
        arguments: [
            (#"{"bracket": [-1, 1]}"#, true), (#"{"bracket": [-1]}"#, false), (#"{"bracket": [0, 1e9]}"#, false),
            (#"{"bracket": [0, 1], "count": 2}"#, false), (#"{"bracket": [0, 1], "mode": "live"}"#, false),
            (#"{"includesRaw": true, "mode": "live"}"#, false),
        ]
    )
    func orders(json: String, isGood: Bool) throws {
        var burst = CaptureProfile(name: "x")
        (burst.count, burst.stride) = (5, 2)
        guard isGood else {
            let error = #expect(throws: AgentError.self) { try CaptureOrder(json: Array(json.utf8)).applied(to: burst) }
            #expect(error?.exit == .usage)
            return
        }
        var profile = try CaptureOrder(json: Array(json.utf8)).applied(to: burst)
        #expect(profile.bracket == [-1, 1] && profile.count == 1)
        profile = try CaptureOrder(json: Array(#"{"count": 4}"#.utf8)).applied(to: profile)
        #expect(profile.bracket == nil && profile.count == 4)
    }

    @Test("000.15: raw samples that a crash left beside their still stay beside it, in a folder as in the queue")
    func recovered() async throws {
        let bench = try CaptureBench()
        let shot = try #require(try await Self.shots("shot:\n  raw: true", with: bench).first)
        let folder = try TemporaryFolder()
        let left = folder.path.appending(".tintype-gone").appending(shot.id.description)
        let spooled = folder.path.appending("queue").appending("spool").appending(shot.id.description)
        for target in [left, spooled] {
            try PosixFileSystem().createDirectories(target)
            for (file, ending) in zip(shot.files, ["jpg", "dng"]) {
                try FileManager.default.copyItem(atPath: file, toPath: "\(target)/\(shot.id).\(ending)")
            }
        }
        let taken = try FolderDestination(folder: folder.path).recover()
        #expect(taken.map { String($0.name.suffix(4)) } == [".JPG", ".DNG"], "\(taken)")
        #expect(Set(taken.map { $0.name.dropLast(4) }).count == 1)
        let store = try AgentStore(root: folder.path.appending("queue"), now: HostClock.now())
        let entry = try #require(try store.entry(shot.id))
        #expect(entry.manifest.resources.map(\.type) == [.photo, .alternatePhoto])
        #expect(entry.manifest.resources.map(\.contentType) == ["image/jpeg", "image/x-adobe-dng"])
    }

    @Test("000.15: JPEG and DNG that a program writes into a watched folder become one entry")
    func watched() throws {
        let card = try Card()
        try card.folder.write("a.jpg", [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9])
        try card.folder.write("a.dng", SampleRaw.sensor())
        #expect(try card.run().added == 1)
        #expect(try card.types() == [[.photo, .alternatePhoto]])
    }
}
