import MediaSamples
import PhotoModel
import Testing

@testable import MediaFormats

struct MovieTests {
    @Test("header, track, codec, size and date are read")
    func header() throws {
        let movie = try Movie(SampleMovie().bytes)
        #expect(movie.majorBrand == "qt  ")
        #expect(movie.duration?.duration == .seconds(3))
        #expect(movie.creationDate?.description == "2026-01-02T03:04:05Z")
        #expect(movie.videoTrack?.codec == "avc1")
        #expect(movie.videoTrack?.orientation == .up)
        #expect(movie.displaySize == PixelSize(width: 320, height: 240))
        #expect(movie.tracks.allSatisfy { $0.kind != .audio })
        #expect(movie.subtypes == [])
        #expect(movie.damage == nil)
    }

    static let matrices: [(matrix: (Int32, Int32, Int32, Int32), orientation: ImageOrientation?, width: Int)] = [
        ((1, 0, 0, 1), .up, 320), ((0, 1, -1, 0), .right, 240), ((-1, 0, 0, -1), .down, 320),
        ((0, -1, 1, 0), .left, 240), ((-1, 0, 0, 1), .upMirrored, 320), ((0, 1, 1, 0), .leftMirrored, 240),
        ((1, 1, 0, 1), nil, 320), ((0, 0, 0, 0), nil, 320),
    ]

    @Test("the matrix of a track is an orientation, or none", arguments: matrices)
    func orientation(
        matrix: (Int32, Int32, Int32, Int32),
        orientation: ImageOrientation?,
        width: Int
    ) throws {
        var sample = SampleMovie()
        sample.matrix = matrix
        let movie = try Movie(sample.bytes)
        #expect(movie.videoTrack?.orientation == orientation)
        #expect(movie.displaySize?.width == width)
    }

    @Test("004.26: a recorded rate of 120 frames a second and more is slow motion", arguments: [30, 60, 119, 120, 240])
    func slowMotion(rate: UInt32) throws {
        var sample = SampleMovie()
        sample.samplesPerSecond = rate
        let movie = try Movie(sample.bytes)
        #expect(movie.recordedFrameRate == Double(rate))
        #expect(movie.subtypes.contains(.videoHighFrameRate) == (rate >= 120))
    }

    @Test("004.25: the author that Apple's recorder writes is a screen recording's")
    func screenRecording() throws {
        for (author, subtypes) in [("ReplayKitRecording", MediaSubtypes.videoScreenRecording), ("Somebody", [])] {
            var sample = SampleMovie()
            sample.meta = SampleMovie.metadataList([("com.apple.quicktime.author", author)])
            #expect(try Movie(sample.bytes).subtypes == subtypes, "\(author)")
        }
    }

    @Test("004.27: a track of the cinematic mode's data is a cinematic movie's, and no other timed track is")
    func cinematic() throws {
        for (key, subtypes) in [
            ("com.apple.quicktime.cinematic-video.rendering", MediaSubtypes.videoCinematic),
            ("com.apple.quicktime.still-image-time", []),
        ] {
            var sample = SampleMovie()
            sample.moreTracks = SampleMovie.timedTrack(key: key, sampleOffset: 28, sampleCount: 1, samplesPerChunk: 1)
            #expect(try Movie(sample.bytes).subtypes == subtypes, "\(key)")
        }
    }

    @Test(
        "004.35: a movie that was recorded at half the rate it plays at, or less, is a time-lapse",
        arguments: [(Float(1), true), (15, true), (20, false), (30, false), (0, false)]
    )
    func timelapse(recorded: Float, isTimelapse: Bool) throws {
        var sample = SampleMovie()
        sample.meta = SampleMovie.metadataNumber("com.android.capture.fps", recorded)
        let movie = try Movie(sample.bytes)
        #expect(movie.metadata.recordedFrameRate == Double(recorded))
        #expect(movie.subtypes == (isTimelapse ? .videoTimelapse : []))
    }

    @Test("metadata is found in each of its places, Apple's own first")
    func metadata() throws {
        var sample = SampleMovie()
        sample.userData =
            SampleMovie.userText("©xyz", "+10.0000+020.0000/") + SampleMovie.userText("©mak", "Older")
            + SampleMovie.metadataList([("com.android.model", "Phone")], isFullBox: true) + [0, 0, 0, 0]
        #expect(try Movie(sample.bytes).metadata.location == Location(latitude: 10, longitude: 20))
        sample.meta = SampleMovie.metadataList([
            ("com.apple.quicktime.location.ISO6709", "+32.4720-084.9952+073.827/"),
            ("com.apple.quicktime.creationdate", "2026-01-02T03:04:05+0100"),
            ("com.apple.quicktime.content.identifier", "6E4C6E0F-9A3F-4B8E-8E3C-0123456789AB"),
        ])
        let metadata = try Movie(sample.bytes).metadata
        #expect(metadata.location == Location(latitude: 32.4720, longitude: -84.9952, altitude: 73.827))
        #expect(metadata.creationDate?.utcOffsetSeconds == 3600)
        #expect(metadata.contentIdentifier?.fileText == "6E4C6E0F-9A3F-4B8E-8E3C-0123456789AB")
        #expect(metadata.make == "Older")
        #expect(metadata.model == "Phone")
    }

    @Test("XMP's texts go before the movie's own, wherever it lies; one that cannot be read says nothing")
    func xmp() throws {
        var words = XMPProperties()
        (words.description, words.keywords, words.rating) = ("By the gate", ["one", "two"], 4)
        (words.latitude, words.longitude) = (10, 20)
        var sample = SampleMovie()
        sample.meta = SampleMovie.metadataList([
            ("com.apple.quicktime.title", "Gate"), ("com.apple.quicktime.description", "Older"),
            ("com.apple.quicktime.location.name", "Home"),
        ])
        let beside = try Movie(sample.bytes + SampleMovie.xmpBox(words.packet()))
        #expect(try Movie(sample.bytes + SampleMovie.xmpBox([0x3C, 0x78])).words.caption == "Older")
        var packet = ByteWriter()
        packet.appendBox("XMP_") { $0.append(words.packet()) }
        sample.userData = packet.bytes
        for movie in [beside, try Movie(sample.bytes)] {
            #expect(movie.words.title == "Gate" && movie.words.caption == "By the gate")
            #expect(movie.words.keywords == ["one", "two"] && movie.words.rating == 4)
            #expect(movie.words.placeName == "Home")
            let location = try #require(movie.location)
            #expect(abs(location.latitude - 10) < 1e-6 && abs(location.longitude - 20) < 1e-6)
        }
    }

    static let places: [(text: String, latitude: Double?, longitude: Double?)] = [
        ("+32.4720-084.9952+073.827/", 32.472, -84.9952), ("+32.5-084.5/", 32.5, -84.5),
        ("+3230-08430/", 32.5, -84.5), ("+323015-0843015.0/", 32 + 30.25 / 60, -(84 + 30.25 / 60)),
        ("+91-000/", nil, nil), ("32.5-084.5", nil, nil), ("", nil, nil), ("+", nil, nil), ("+.-.", nil, nil),
        ("+12345678-084/", nil, nil),
    ]

    @Test("ISO 6709 in degrees, minutes and seconds", arguments: places)
    func locations(text: String, latitude: Double?, longitude: Double?) {
        let location = ISO6709.location(text)
        #expect(location?.latitude == latitude)
        #expect(location?.longitude == longitude)
    }

    @Test("a place is written as iPhones write it and read back")
    func locationText() throws {
        let place = try #require(Location(latitude: 32.472, longitude: -84.9952, altitude: 73.827))
        #expect(ISO6709.text(place) == "+32.4720-084.9952+073.827/")
        #expect(ISO6709.location(ISO6709.text(place)) == place)
    }

    static let edits: [(entries: [(UInt64, Int64)], mediaTime: Int64, expected: Int64?)] = [
        ([], 30, 60), ([(880, -1), (1, 0)], 0, 880), ([(1, 0)], 0, 0), ([(100, 50)], 50, 0), ([(100, 50)], 0, nil),
        ([(10, 100), (20, -1), (50, 0)], 5, 40), ([(UInt64.max, -1), (1, 0)], 0, nil),
        ([(UInt64(Int64.max), -1), (10, 0)], 1, nil),
    ]

    @Test("an edit list says when a moment of the media is shown", arguments: edits)
    func editLists(entries: [(UInt64, Int64)], mediaTime: Int64, expected: Int64?) throws {
        let list = EditList(entries: entries.map { .init(duration: $0.0, mediaTime: $0.1) })
        let time = try #require(MediaTime(value: mediaTime, timescale: 300))
        #expect(list.presentationTime(of: time, movieTimescale: 600)?.value == expected)
    }

    @Test("times convert exactly or to the nearest unit, and never trap")
    func times() throws {
        #expect(MediaTime(value: 1, timescale: 0) == nil)
        #expect(MediaTime(nearest: .milliseconds(1500), timescale: 600)?.value == 900)
        #expect(MediaTime(nearest: .milliseconds(-1), timescale: 600)?.value == -1)
        #expect(MediaTime(nearest: .seconds(Int64.max), timescale: 600) == nil)
        let extreme = try #require(MediaTime(value: .min, timescale: 1))
        #expect(extreme.converted(to: 2) == nil)
        #expect(extreme.converted(to: 0) == nil)
        #expect(extreme.duration == .seconds(Int64.min))
        #expect(try #require(MediaTime(value: 2, timescale: 3)).converted(to: 1)?.value == 1)
    }

    @Test("a track whose chunks have no samples, or lie beyond the file, does no harm (libheif CVE-2026-32738)")
    func hostileSampleTables() throws {
        for (samplesPerChunk, offset) in [(0, 28), (1, 0xFFFF_FFF0), (UInt32.max, 28)] as [(UInt32, Int)] {
            var sample = SampleMovie()
            sample.moreTracks = SampleMovie.timedTrack(
                key: "com.apple.quicktime.location.ISO6709",
                sampleOffset: offset,
                sampleCount: 2,
                samplesPerChunk: samplesPerChunk
            )
            let bytes = sample.bytes
            if samplesPerChunk == 0 {
                #expect(throws: MediaFormatError.self) { try MovieStripping.stripped(bytes, of: .location) }
            } else {
                #expect(try MovieStripping.stripped(bytes, of: .location).byteCount == bytes.count)
            }
        }
    }
}
