import Foundation
import MediaFormats
import PhotoModel
import TestSupport
import Testing

/// Our reader beside ffprobe and exiftool, on movies that libavformat wrote.
struct MovieToolTests {
    private static let place = "+32.4720-084.9952/"

    static let movies: [MediaTools.MovieOptions] = [
        .init(), .init(hasSound: false, framesPerSecond: 120, seconds: 1), .init(fileExtension: "mp4"),
        .init(seconds: 2, more: ["-c:a", "pcm_s16le"]), .init(fileExtension: "mp4", more: ["-movflags", "+faststart"]),
        .init(seconds: 1, fileExtension: "mp4", more: ["-movflags", "use_metadata_tags", "-metadata", "a=b"]),
        .init(seconds: 2, more: ["-video_track_timescale", "600"]),
    ]

    @Test("duration, size, codecs, rate and dates are those ffprobe and exiftool see", arguments: movies)
    func header(options: MediaTools.MovieOptions) throws {
        let bytes = try MediaTools.movie(options)
        let movie = try Movie(bytes)
        let probe = try MediaTools.probe(bytes, options.fileExtension)
        let answer = try #require(try ExifTool.read(["a.\(options.fileExtension)": bytes]).values.first)
        #expect(ExifTool.complaints(answer).isEmpty)
        let duration = try #require(movie.duration?.duration)
        #expect(abs(duration / .seconds(1) - (probe.format.duration.flatMap(Double.init) ?? 0)) < 0.001)
        #expect(movie.tracks.compactMap(\.codec?.description) == probe.streams.map(\.codec_tag_string))
        let video = try #require(probe.streams.first { $0.codec_type == "video" })
        #expect(movie.displaySize == PixelSize(width: video.width ?? 0, height: video.height ?? 0))
        #expect(movie.videoTrack.map { String($0.sampleCount) } == video.nb_frames)
        #expect(movie.recordedFrameRate.map { "\(Int($0.rounded()))/1" } == video.avg_frame_rate)
        #expect(movie.headerDate?.description == "2026-01-02T03:04:05Z")
        #expect(answer["QuickTime:CreateDate"] as? String == "2026:01:02 03:04:05")
        #expect((movie.subtypes.contains(.videoHighFrameRate)) == (options.framesPerSecond >= 120))
        let type = bytes.prefix(ContentType.sniffedByteCount)
        #expect(Array(type).withBytes { ContentType(sniffing: $0) }.fileExtension == options.fileExtension)
        #expect(
            answer["File:MIMEType"] as? String == (options.fileExtension == "mov" ? "video/quicktime" : "video/mp4")
        )
    }

    @Test("a movie turned by its matrix is turned as exiftool says", arguments: [0, 90, 180, 270])
    func rotation(degrees: Int) throws {
        let bytes = try MediaTools.tagged(try MediaTools.movie(.init(seconds: 1)), "mov", ["-Rotation=\(degrees)"])
        let movie = try Movie(bytes)
        #expect(movie.videoTrack?.orientation?.clockwiseDegrees == degrees)
        #expect(movie.displaySize?.width == (degrees % 180 == 0 ? 320 : 240))
    }

    @Test("XMP that exiftool wrote into a movie is read, and its place is stripped", arguments: ["mp4", "mov"])
    func xmp(fileExtension: String) throws {
        let plain = try MediaTools.movie(.init(seconds: 1, fileExtension: fileExtension))
        let tags = [
            "-XMP-dc:Description=By the gate", "-XMP-dc:Subject=one", "-XMP:Rating=4", "-XMP:GPSLatitude=32.472",
            "-XMP:GPSLongitude=-84.9952",
        ]
        let bytes = try MediaTools.tagged(plain, fileExtension, tags)
        let movie = try Movie(bytes)
        #expect(movie.words.caption == "By the gate" && movie.words.keywords == ["one"] && movie.words.rating == 4)
        let location = try #require(movie.location)
        #expect(abs(location.latitude - 32.472) < 1e-4 && abs(location.longitude + 84.9952) < 1e-4)
        let file = try MovieStripping.stripped(bytes, of: .location)
        let stripped = try bytes.withBytes { try file.copyBytes(from: $0) }
        #expect(try Movie(stripped).location == nil)
    }

    static let places: [MediaTools.MovieOptions] = [
        .init(seconds: 1, more: ["-metadata", "location=\(place)"]),
        .init(seconds: 1, fileExtension: "mp4", more: ["-metadata", "location=\(place)"]),
        .init(
            seconds: 1,
            fileExtension: "mp4",
            more: ["-movflags", "use_metadata_tags", "-metadata", "com.apple.quicktime.location.ISO6709=\(place)"]
        ),
        .init(
            seconds: 1,
            fileExtension: "mp4",
            more: ["-metadata", "location=\(place)", "-movflags", "+faststart"]
        ),
    ]

    @Test("004.60, T32: exiftool finds the place before and none after, and all decodes the same", arguments: places)
    func stripped(options: MediaTools.MovieOptions) throws {
        var bytes = try MediaTools.movie(options)
        let location = try #require(try Movie(bytes).metadata.location)
        // 3GPP's box has 16 bits of fraction.
        #expect(abs(location.latitude - 32.472) < 1e-4)
        #expect(abs(location.longitude + 84.9952) < 1e-4)
        bytes = try MediaTools.tagged(
            bytes,
            options.fileExtension,
            ["-XMP:GPSLatitude=32.472", "-XMP-photoshop:City=Columbus", "-XMP-dc:Title=Kept"]
                + ["-Keys:GPSCoordinates=32.472 -84.9952 73", "-UserData:LocationName=Home"]
        )
        #expect(try !Self.placeTags(bytes, options.fileExtension).isEmpty)
        let file = try MovieStripping.stripped(bytes, of: .location)
        let new = try bytes.withBytes { try file.copyBytes(from: $0) }
        #expect(new.count == bytes.count)
        #expect(try Self.placeTags(new, options.fileExtension) == [])
        #expect(try Movie(new).metadata.location == nil)
        let answer = try #require(try ExifTool.read(["a.\(options.fileExtension)": new]).values.first)
        #expect(ExifTool.complaints(answer).isEmpty)
        #expect(answer["XMP-dc:Title"] as? String == "Kept")
        #expect(try MediaTools.decoded(new, options.fileExtension) == MediaTools.decoded(bytes, options.fileExtension))
    }

    /// The tags that tell a place, by exiftool.
    static func placeTags(_ bytes: [UInt8], _ fileExtension: String) throws -> [String] {
        let answer = try #require(try ExifTool.read(["a.\(fileExtension)": bytes], options: ["-ee"]).values.first)
        let words = ["GPS", "Location", "City", "Country", "Latitude", "Longitude"]
        return answer.keys.filter { key in words.contains { key.contains($0) } }.sorted()
    }
}
