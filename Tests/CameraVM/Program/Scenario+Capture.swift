import Capture
import CaptureLinux
import MediaEncoding
import MediaFormats
import MediaSamples
import PhotoModel
import SystemPackage

extension Scenario {
    /// Frames, stills and movies from a camera that works.
    static let capture = [
        Scenario("capture.yuyv") { report in
            let camera = try await Cameras.only()
            let wanted = try camera.format(.yuyv, Cameras.medium)
            let streaming = try await camera.stream(25, wanted)
            await report.check("the format wanted is granted", streaming.format == wanted, streaming.format)
            await report.checkFrames(streaming)
            let rate = Double(streaming.intervals.count) / streaming.intervals.reduce(.zero, +).inSeconds
            await report.note("\((rate * 100).rounded() / 100) frames a second, \(streaming.missingCount) missing")
            guard let frame = streaming.frames.last else { return }
            await report.checkBars(frame, luma: { frame.bytes[$0.y * frame.info.bytesPerLine + $0.x * 2] })
            let again = try await camera.stream(2, wanted)
            await report.check("the camera can be opened again", again.frames.count == 2)
        },

        Scenario("capture.nv12") { report in
            try await captureNV12(report)
        },

        Scenario("capture.multiplanar-nv12", .vivid(isMultiplanar: true)) { report in
            try await captureNV12(report)
        },

        Scenario("capture.multiplanar-nm12", .vivid(isMultiplanar: true)) { report in
            let camera = try await Cameras.only()
            let streaming = try await camera.stream(10, try camera.format(.nv12Planes, Cameras.medium))
            await report.checkFrames(streaming)
            guard let frame = streaming.frames.last else { return }
            await report.checkNV12(frame)
        },

        Scenario("capture.converted") { report in
            let camera = try await Cameras.only()
            let yuyv = try camera.format(.yuyv, Cameras.small)
            // The driver knows this old name of 32 bits a pixel, and here only libv4lconvert does.
            let wanted = CaptureFormat(
                pixelFormat: PixelFormat("BGR4"),
                size: Cameras.small,
                frameInterval: yuyv.frameInterval
            )
            let streaming = try await camera.stream(5, wanted)
            await report.checkFrames(streaming)
            guard let frame = streaming.frames.last else { return }
            let size = Cameras.small.width * Cameras.small.height * 3 / 2
            await report.check(
                "it is a plain picture now",
                frame.info.pixelFormat == .i420 && frame.bytes.count == size
            )
            await report.checkBars(frame, luma: { frame.bytes[$0.y * frame.info.bytesPerLine + $0.x] })
        },

        Scenario("capture.sensor") { report in
            let camera = try await Cameras.only()
            let offered = camera.device.formats.map(\.pixelFormat)
            await report.check(
                "what a sensor sees is listed last",
                offered.first?.isBayer == false && offered.last?.isBayer == true,
                offered
            )
            let chosen = FormatChoice().format(among: camera.device.formats)
            await report.check("it is never chosen for a picture", chosen?.pixelFormat.isBayer == false)
            for code in ["BG10", "BYR2", "RGGB"] as [StaticString] {
                let format = PixelFormat(code)
                let streaming = try await camera.stream(3, try camera.format(format, Cameras.small))
                await report.checkFrames(streaming)
                guard let frame = streaming.frames.last, let layout = BayerLayout(format) else { continue }
                let line = max(frame.info.bytesPerLine, layout.byteCount(ofSamples: Cameras.small.width))
                await report.check(
                    "frames in \(format) have all their samples",
                    frame.bytes.count >= line * Cameras.small.height,
                    frame.bytes.count
                )
            }
        },

        Scenario("capture.still") { report in
            let camera = try await Cameras.only()
            try await Studio.open(camera, try camera.format(.yuyv, Cameras.medium)) { studio in
                let result = try await studio.shoot(1)
                let file = result.still.file
                let bytes = try Machine.read(file.path.string)
                await report.check("the file is as long as reported", Int64(bytes.count) == file.byteCount)
                let metadata = try bytes.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
                await report.check(
                    "it is a JPEG of the size wanted",
                    metadata.container == .jpeg
                        && metadata.pixelSize == Cameras.medium,
                    metadata.pixelSize
                )
                await report.check("EXIF names the camera", metadata.exif?.model == "vivid", metadata.exif?.model)
                await report.check(
                    "the picture decodes and is as bright as colour bars are",
                    0.3...0.7 ~= meanLuma(ofJPEG: bytes, Cameras.medium),
                    meanLuma(ofJPEG: bytes, Cameras.medium)
                )
                // One interval on a machine with time; the driver leaves frames out where there is none.
                await report.check(
                    "the frame is of the moment asked for",
                    abs(result.frame.lag.inSeconds) <= 0.5,
                    result.frame.lag
                )
                await report.note("the frame's lag is \(result.frame.lag)")
            }
        },

        Scenario("capture.live-photo", .vivid(hasSound: true)) { report in
            try await takeLivePhoto(2, .yuyv, report)
        },

        Scenario("capture.multiplanar-live-photo", .vivid(isMultiplanar: true, hasSound: true)) { report in
            try await takeLivePhoto(8, .nv12, report)
        },
    ]

    /// A Live Photo with sound, of small frames at 30 a second.
    private static func takeLivePhoto(_ number: UInt128, _ pixelFormat: PixelFormat, _ report: Report) async throws {
        let camera = try await Cameras.only()
        let microphone = LinuxMicrophones(clock: Cameras.clock).preferred(for: camera.device)
        let tone = try Tone()
        defer { tone.end() }
        let format = try camera.format(pixelFormat, Cameras.small, atMost: 30)
        try await Studio.open(camera, format, microphone: microphone) { studio in
            // The ring must reach back for the whole pre-roll.
            try await Task.sleep(for: .seconds(1))
            let result = try await studio.shoot(number, isLivePhoto: true)
            guard let recorded = result.movie else {
                return await report.check("there is a movie", false, result.movieError)
            }
            let still = try Machine.read(result.still.file.path.string)
            let metadata = try still.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
            let movie = try Movie(try Machine.read(recorded.file.path.string))
            let pairing = LivePhotoPairing(still: metadata.contentIdentifier, movie: movie)
            await report.check(
                "still and movie are a pair that every reader takes",
                pairing.isComplete,
                pairing.objections
            )
            await report.check(
                "the recording was not cut short and has sound",
                result.flags.subtracting([.audioGap]) == [],
                result.flags
            )
            let seconds = movie.tracks.first { $0.kind == .audio }?.mediaDuration?.duration.inSeconds
            await report.check(
                "the movie lasts as long as pre-roll and post-roll, to a few frames",
                0.7...1.3 ~= recorded.duration.inSeconds,
                recorded.duration
            )
            await report.check(
                "the still lies in its middle",
                0.3...0.7 ~= recorded.photoDisplayTime.inSeconds,
                recorded.photoDisplayTime
            )
            await report.check("it has sound for as long", seconds.map { 0.7...1.35 ~= $0 } == true, seconds)
        }
    }

    private static func captureNV12(_ report: Report) async throws {
        let camera = try await Cameras.only()
        let streaming = try await camera.stream(10, try camera.format(.nv12, Cameras.medium))
        await report.checkFrames(streaming)
        guard let frame = streaming.frames.last else { return }
        await report.checkNV12(frame)
    }

    private static func meanLuma(ofJPEG bytes: [UInt8], _ size: PixelSize) -> Double {
        let info = FrameInfo(
            sequence: 0,
            timestamp: MonotonicTime(nanoseconds: 0),
            pixelFormat: .jpeg,
            size: size,
            isFullRange: true,
            clock: Cameras.clock.reading()
        )
        return bytes.withBytes { bytes in (try? TurboFrameCompressor())?.meanLuma(of: bytes, info) } ?? 0
    }
}

extension Report {
    /// What holds for the frames of every camera that works.
    fileprivate func checkFrames(_ streaming: Streaming) {
        let infos = streaming.frames.map(\.info)
        check(
            "frames arrive and the stream ends when it is stopped",
            !infos.isEmpty && streaming.failure == nil,
            streaming.failure
        )
        check(
            "their numbers begin with 0 and rise",
            infos.first?.sequence == 0
                && zip(infos, infos.dropFirst()).allSatisfy { $0.sequence < $1.sequence },
            infos.map(\.sequence)
        )
        check("their times rise", streaming.intervals.allSatisfy { $0 > .zero }, streaming.intervals)
        // Each may be late when the machine is busy; a time that is wrong is wrong for all of them.
        let ages = infos.map { $0.clock.monotonic.duration(since: $0.timestamp) }
        check(
            "frames are timed before they are in our hands, the quickest by less than 200 ms",
            ages.allSatisfy { $0 >= .zero } && ages.min().map { $0 < .milliseconds(200) } == true,
            ages
        )
        check("none is damaged", infos.allSatisfy { !$0.isDamaged })
    }

    /// A frame of luma and of chroma in pairs, in one piece.
    fileprivate func checkNV12(_ frame: CollectedFrame) {
        let size = frame.info.bytesPerLine * frame.info.size.height * 3 / 2
        check("it is NV12", frame.info.pixelFormat == .nv12, frame.info.pixelFormat)
        check("a frame has luma and half as much chroma", frame.bytes.count == size, frame.bytes.count)
        checkBars(frame, luma: { frame.bytes[$0.y * frame.info.bytesPerLine + $0.x] })
    }

    /// The driver's picture is eight bars from white to black, each darker than the one before, below lines of text.
    fileprivate func checkBars(_ frame: CollectedFrame, luma: ((x: Int, y: Int)) -> UInt8) {
        let (width, height) = (frame.info.size.width, frame.info.size.height)
        let bars = (0..<8).map { luma((x: (2 * $0 + 1) * width / 32 * 2, y: height * 7 / 8)) }
        check("the picture shows the eight bars", zip(bars, bars.dropFirst()).allSatisfy { $0 > $1 }, bars)
    }
}
