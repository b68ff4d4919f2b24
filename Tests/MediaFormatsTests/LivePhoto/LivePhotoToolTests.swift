import Foundation
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

/// Live Photo movies made of what libavformat writes, judged by exiftool, ffprobe and ffmpeg.
struct LivePhotoToolTests {
    static let cases: [(milliseconds: Int, hasSound: Bool)] = [
        (0, true), (1500, true), (1467, false), (3000, true), (2999, false),
    ]

    @Test("003.1, 003.20: other programs read the identifiers and the still's time, and decode all", arguments: cases)
    func finished(milliseconds: Int, hasSound: Bool) throws {
        let plain = try MediaTools.movie(.init(hasSound: hasSound))
        var metadata = try LivePhotoMovieTests.metadata()
        metadata.isAutomatic = true
        let live = try LivePhotoMovieTests.finished(plain, stillTime: .milliseconds(milliseconds), metadata)

        let mark = try #require(try MediaTools.probe(live, "mov").streams.first { $0.codec_tag_string == "mebx" })
        let start = try #require(mark.start_time.flatMap(Double.init))
        #expect(abs(start - Double(milliseconds) / 1000) <= 1.0 / 600)
        #expect(try MediaTools.decoded(live, "mov") == MediaTools.decoded(plain, "mov"))

        let answer = try #require(try ExifTool.read(["a.mov": live], options: ["-ee"])["a.mov"])
        #expect(ExifTool.complaints(answer).isEmpty)
        #expect(answer["Keys:ContentIdentifier"] as? String == LivePhotoMovieTests.identifier)
        #expect(answer["Keys:CreationDate"] as? String == "2026:01:02 03:04:05+01:00")
        #expect(answer["Keys:Make"] as? String == "Tintype")
        #expect(answer.contains { $0.key.hasSuffix(":StillImageTime") && ($0.value as? Int) == -1 })
        #expect(answer["Keys:GPSCoordinates"] as? String == "32.472 -84.9952 73.827")
        #expect(answer.contains { $0.key.hasSuffix(":LivePhotoAuto") && ($0.value as? Int) == 1 })

        let movie = try Movie(live)
        let time = try #require(movie.stillImageTime?.duration)
        #expect(abs(time / .milliseconds(1) - Double(milliseconds)) <= 1000.0 / 600)
        #expect(LivePhotoPairing(still: metadata.contentIdentifier, movie: movie).isComplete)
    }

    @Test("other timescales and a 64-bit media size are kept")
    func timescales() throws {
        for timescale in ["1000", "44100", "30000"] {
            let plain = try MediaTools.movie(.init(more: ["-movie_timescale", timescale]))
            let live = try LivePhotoMovieTests.finished(
                plain,
                stillTime: .milliseconds(1234),
                LivePhotoMovieTests.metadata()
            )
            let mark = try MediaTools.probe(live, "mov").streams.first { $0.codec_tag_string == "mebx" }
            let start = try #require(mark?.start_time.flatMap(Double.init))
            #expect(abs(start - 1.234) <= 1.0 / 600)
        }
    }
}
