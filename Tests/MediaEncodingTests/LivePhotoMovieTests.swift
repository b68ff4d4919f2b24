import Capture
import CaptureTestSupport
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage
import Testing

/// What is in the movies: the frames that were taken, sound that fits them, the still's moment.
struct LivePhotoMovieTests {
    /// The frames of a movie as they are shown, decoded by ffmpeg.
    private struct Shown {
        let numbers: [Int]
        let claps: [Double]
        let times: [Double]

        init(_ path: String, size: PixelSize = Studio.size) throws {
            let frames = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-vsync", "0", "-"]
            )
            let probe = try Tool.run(
                "ffprobe",
                ["-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pts_time", "-of", "csv=p=0", path]
            )
            times = probe.lines.compactMap { Double($0.split(separator: ",")[0]) }
            let picture = SyntheticPicture(size: size)
            let area = size.width * size.height
            let bytes = [UInt8](frames.bytes)
            var numbers: [Int] = []
            var claps: [Double] = []
            for index in 0..<bytes.count / area {
                let luma = { (x: Int, y: Int) in bytes[index * area + y * size.width + x] }
                numbers.append(picture.frameNumber(luma: luma))
                if picture.isClap(luma: luma), index < times.count { claps.append(times[index]) }
            }
            self.numbers = numbers
            self.claps = claps
        }
    }

    /// The times at which clicks begin, and all samples.
    private static func clicks(_ path: String) throws -> (times: [Double], samples: [Int16]) {
        let sound = try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-ac", "1", "-ar", "48000", "-"])
        let bytes = [UInt8](sound.bytes)
        let samples = (0..<bytes.count / 2).map {
            Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8)
        }
        var times: [Double] = []
        for (index, sample) in samples.enumerated() where abs(Int(sample)) > 8000 {
            let time = Double(index) / 48_000
            if times.last.map({ time - $0 > 0.5 }) ?? true { times.append(time) }
        }
        return (times, samples)
    }

    @Test(
        "003.1: picture and sound of the clap are at most one frame apart, and no frame is missing",
        arguments: [1, 2]
    )
    func clap(channels: Int) async throws {
        try await Studio.open(audio: AudioFormat(sampleRate: 48_000, channelCount: channels)) { studio in
            await studio.clock.advance(by: .milliseconds(2345))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            let movie = try #require(result.movie)
            let shown = try Shown(movie.file.path.string)
            let clicks = try Self.clicks(movie.file.path.string).times
            #expect(shown.claps.count == 3)
            #expect(clicks.count == shown.claps.count)
            for (clap, click) in zip(shown.claps, clicks) { #expect(abs(clap - click) < 1.0 / 30) }
            #expect(shown.numbers == Array(shown.numbers[0]..<shown.numbers[0] + shown.numbers.count))
            // The frame shown at the still's time is the still.
            let still = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-i", result.still.file.path.string, "-f", "rawvideo", "-pix_fmt", "gray", "-"]
            )
            let bytes = [UInt8](still.bytes)
            let number = SyntheticPicture(size: Studio.size).frameNumber { bytes[$1 * Studio.size.width + $0] }
            let index = try #require(shown.times.lastIndex { $0 <= movie.photoDisplayTime.inSeconds + 0.001 })
            #expect(shown.numbers[index] == number)
        }
    }

    @Test("003.34: five overlapping Live Photos are five whole pairs")
    func overlapping() async throws {
        try await Studio.open { studio in
            await studio.clock.advance(by: .seconds(2))
            var shots: [PhotoCapture] = []
            for index in 1...5 {
                shots.append(try await studio.session.capturePhoto(with: studio.settings(UInt128(index))))
                await studio.clock.advance(by: .milliseconds(250))
            }
            await studio.clock.advance(by: .seconds(2))
            for shot in shots {
                let movie = try #require(try await shot.result().movie)
                let shown = try Shown(movie.file.path.string)
                #expect(shown.numbers.count >= 90)
                #expect(shown.numbers == Array(shown.numbers[0]..<shown.numbers[0] + shown.numbers.count))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: studio.folder.string).count == 10)
        }
    }

    @Test("003.4: without a microphone the movie is silent and marked so")
    func noMicrophone() async throws {
        try await Studio.open(audio: nil) { studio in
            await studio.clock.advance(by: .seconds(2))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            #expect(result.flags == [.audioAbsent])
            let movie = try #require(result.movie)
            let streams = try Tool.run(
                "ffprobe",
                ["-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", movie.file.path.string]
            )
            #expect(streams.lines.map(String.init) == ["video", "data"])
        }
    }

    @Test("A microphone that stops in the middle leaves exact silence, and the movie its length")
    func microphoneStops() async throws {
        try await Studio.open { studio in
            await studio.clock.advance(by: .seconds(2))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .milliseconds(500))
            let microphone = ConsentSubject(
                capability: .microphone,
                deviceID: CaptureDevice.ID(rawValue: "synthetic-microphone")
            )
            studio.clock.setParticipants(1)
            try await studio.desk.setStatus(.denied, for: microphone)
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            #expect(result.flags == [.audioGap])
            let movie = try #require(result.movie)
            #expect(abs(movie.duration.inSeconds - 3.03) < 0.04)
            let silence = try #require(movie.silence)
            #expect(abs(silence.inSeconds - 1.03) < 0.06)
            let samples = try Self.clicks(movie.file.path.string).samples
            let tail = samples.suffix(40_000)
            #expect(tail.allSatisfy { abs(Int($0)) < 40 })
            #expect(abs(Double(samples.count) / 48_000 - movie.duration.inSeconds) < 0.05)
        }
    }

    @Test("003.33: stopping cuts the post-roll; the pair is whole and shorter")
    func stopCuts() async throws {
        try await Studio.open { studio in
            await studio.clock.advance(by: .seconds(2))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .milliseconds(400))
            await studio.session.stop()
            let result = try await shot.result()
            #expect(result.flags.isSuperset(of: [.movieCutShort]))
            let movie = try #require(result.movie)
            #expect(abs(movie.duration.inSeconds - 1.93) < 0.07)
            let decoded = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-xerror", "-i", movie.file.path.string, "-f", "null", "-"]
            )
            #expect(decoded.errorText == "")
        }
    }

    @Test("A pre-roll of zero shows the still at the very beginning", arguments: [PixelFormat.motionJPEG, .i420])
    func stillFirst(format: PixelFormat) async throws {
        try await Studio.open(format: format) {
            $0.preRoll = .zero
        } body: { studio in
            await studio.clock.advance(by: .seconds(1))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .seconds(2))
            let movie = try #require(try await shot.result().movie)
            #expect(movie.photoDisplayTime == .zero)
            let tags = try Tool.tags(of: movie.file.path.string, ["-ee"])
            #expect(tags["ExifTool:Warning"] == nil)
        }
    }

    @Test("A post-roll of zero shows the still at the very end")
    func stillLast() async throws {
        try await Studio.open {
            $0.postRoll = .zero
        } body: { studio in
            await studio.clock.advance(by: .seconds(2))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .seconds(2))
            let movie = try #require(try await shot.result().movie)
            #expect(movie.duration - movie.photoDisplayTime < .milliseconds(100))
            let decoded = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-xerror", "-i", movie.file.path.string, "-f", "null", "-"]
            )
            #expect(decoded.errorText == "")
            #expect(try Tool.tags(of: movie.file.path.string, ["-ee"])["ExifTool:Warning"] == nil)
        }
    }

    @Test("HEVC is written under the name that QuickTime plays, and holds the same frames")
    func hevc() async throws {
        try await Studio.open { studio in
            await studio.clock.advance(by: .seconds(2))
            var settings = studio.settings(1)
            settings.livePhotoVideoCodec = .hevc
            let shot = try await studio.session.capturePhoto(with: settings)
            await studio.clock.advance(by: .seconds(2))
            let movie = try #require(try await shot.result().movie)
            let path = movie.file.path.string
            let probe = try Tool.run(
                "ffprobe",
                [
                    "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=codec_name,codec_tag_string",
                    "-of", "csv=p=0", path,
                ]
            )
            #expect(probe.lines.first == "hevc,hvc1")
            let shown = try Shown(path)
            #expect(shown.numbers.count >= 90)
            #expect(shown.numbers == Array(shown.numbers[0]..<shown.numbers[0] + shown.numbers.count))
            #expect(try Tool.tags(of: path, ["-ee"])["ExifTool:Warning"] == nil)
        }
    }

    @Test("003.21: a movie that cannot be made leaves its still, which says that it is not all")
    func movieFails() async throws {
        try await Studio.open { studio in
            await studio.clock.advance(by: .seconds(2))
            let settings = studio.settings(1)
            // Something that is no file has the name under which the movie would be written.
            let movie = studio.folder.appending(".\(settings.uniqueID).mov.part").string
            try FileManager.default.createDirectory(atPath: movie, withIntermediateDirectories: false)
            let shot = try await studio.session.capturePhoto(with: settings)
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            #expect(result.movie == nil)
            #expect(result.movieError?.code == .storageFailed)
            #expect(result.flags.contains(.liveIncomplete))
            #expect(result.contentIdentifier == nil)
            #expect(FileManager.default.fileExists(atPath: result.still.file.path.string))
            #expect(try FileManager.default.contentsOfDirectory(atPath: studio.folder.string).count == 2)
        }
    }

    @Test("003.8: changing the camera's format waits for the shots under way, and loses none")
    func modeSwitch() async throws {
        try await Studio.open(audio: nil) { studio in
            await studio.clock.advance(by: .seconds(2))
            let first = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .milliseconds(300))
            let second = try await studio.session.capturePhoto(with: studio.settings(2))
            let other = try await studio.otherFormat(.i420)
            let isChanged = Flag()
            async let changing: Void = {
                defer { isChanged.raise() }
                try await studio.session.configure { $0.camera = other }
            }()
            // The shots end by the camera's time and are written in ours: it goes on until both are done.
            while !isChanged.isRaised { await studio.clock.advance(by: .milliseconds(100)) }
            try await changing
            for shot in [first, second] {
                let result = try await shot.result()
                #expect(result.flags == [.audioAbsent])
                #expect(try Shown(try #require(result.movie).file.path.string).numbers.count >= 90)
            }
            await studio.clock.advance(by: .seconds(2))
            let third = try await studio.session.capturePhoto(with: studio.settings(3))
            await studio.clock.advance(by: .seconds(2))
            #expect(try await third.result().flags == [.audioAbsent])
        }
    }

    @Test("A permission that is taken back in the middle ends the movie there; the pair is whole and shorter")
    func consentWithdrawn() async throws {
        try await Studio.open(audio: nil) { studio in
            await studio.clock.advance(by: .seconds(2))
            let shot = try await studio.session.capturePhoto(with: studio.settings(1))
            await studio.clock.advance(by: .milliseconds(500))
            studio.clock.setParticipants(0)
            let subject = ConsentSubject(capability: .camera, deviceID: studio.cameraID)
            try await studio.desk.setStatus(.denied, for: subject)
            let result = try await shot.result()
            #expect(result.recordingEnd == .consentWithdrawn)
            #expect(result.flags == [.audioAbsent, .movieCutShort])
            let movie = try #require(result.movie)
            #expect(abs(movie.duration.inSeconds - 2.03) < 0.07)
        }
    }

    @Test("003.21: a folder that is not there fails the shot with a storage error, and leaves the session working")
    func noFolder() async throws {
        try await Studio.open { studio in
            var settings = studio.settings(1)
            settings.folder = "/nonexistent-folder-of-this-test"
            let shot = try await studio.session.capturePhoto(with: settings)
            let error = await #expect(throws: CaptureError.self) { _ = try await shot.result() }
            #expect(error?.code == .storageFailed)
            await studio.clock.advance(by: .seconds(2))
            let next = try await studio.session.capturePhoto(with: studio.settings(2, isLive: false))
            #expect(try await next.result().flags == [])
            #expect(await studio.session.activity.inFlightCount == 0)
        }
    }

    @Test("A movie that is given up, since its still cannot be written, leaves nothing behind")
    func givenUp() async throws {
        try await Studio.open { studio in
            await studio.clock.advance(by: .seconds(1))
            let settings = studio.settings(1)
            // Something that is no file has the name under which the still would be written.
            let still = ".\(settings.uniqueID).jpg.part"
            try FileManager.default.createDirectory(
                atPath: studio.folder.appending(still).string,
                withIntermediateDirectories: false
            )
            let shot = try await studio.session.capturePhoto(with: settings)
            let error = await #expect(throws: CaptureError.self) { _ = try await shot.result() }
            #expect(error?.code == .storageFailed)
            #expect(try FileManager.default.contentsOfDirectory(atPath: studio.folder.string) == [still])
        }
    }

    @Test("Still and movie are shown with the same orientation", arguments: ImageOrientation.allCases)
    func orientation(orientation: ImageOrientation) async throws {
        try await Studio.open(audio: nil) { studio in
            await studio.clock.advance(by: .seconds(1))
            var settings = studio.settings(1)
            settings.orientation = orientation
            let shot = try await studio.session.capturePhoto(with: settings)
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            let movie = try #require(result.movie)
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: movie.file.path.string)))
            #expect(try Movie(bytes).videoTrack?.orientation == orientation)
            let tags = try Tool.tags(of: result.still.file.path.string)
            #expect(tags["IFD0:Orientation"] == String(orientation.rawValue))
            #expect(tags["XMP-dc:Source"] == "command")
            let turns: [ImageOrientation: String] = [.up: "0", .right: "90", .down: "180", .left: "270"]
            if let degrees = turns[orientation] {
                #expect(try Tool.tags(of: movie.file.path.string)["Composite:Rotation"] == degrees)
            }
        }
    }
}
