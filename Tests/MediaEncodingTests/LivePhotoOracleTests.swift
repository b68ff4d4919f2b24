import Capture
import CaptureTestSupport
import Crypto
import Foundation
import MediaEncoding
import PhotoModel
import SystemPackage
import Testing

/// What programs that we did not write say of our Live Photos.
struct LivePhotoOracleTests {
    @Test("003.1, 003.16: a Live Photo is a still and a movie with one identifier, as exiftool reads them")
    func pair() async throws {
        try await Studio.open { studio in
            await studio.clock.advance(by: .seconds(2))
            let shot = try await studio.session.capturePhoto(with: studio.settings(0xABC))
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            #expect(result.flags == [])
            let movie = try #require(result.movie)
            let tags = try Tool.tags(of: result.still.file.path.string)
            let identifier = try #require(result.contentIdentifier).fileText
            #expect(tags["Apple:ContentIdentifier"] == identifier)
            #expect(tags["ExifTool:Warning"] == nil)
            #expect(tags["IFD0:Make"] == "Tintype")
            #expect(tags["IFD0:Model"] == "Synthetic Camera")
            #expect(tags["IFD0:Software"] == "Tintype Tests 1")
            #expect(tags["IFD0:Orientation"] == "1")
            #expect(tags["ExifIFD:ImageUniqueID"] == "00000000000000000000000000000abc")
            #expect(tags["ExifIFD:OffsetTimeOriginal"] == "+01:00")
            #expect(tags["ExifIFD:ExifImageWidth"] == "640")
            #expect(tags["Composite:GPSLatitude"] == "48.25")
            let movieTags = try Tool.tags(of: movie.file.path.string, ["-ee"])
            #expect(movieTags["Keys:ContentIdentifier"] == identifier)
            #expect(movieTags["ExifTool:Warning"] == nil)
            #expect(movieTags["Keys:Make"] == "Tintype" && movieTags["Keys:Model"] == "Synthetic Camera")
            #expect(movieTags["Keys:Software"] == "Tintype Tests 1")
            #expect(movieTags["Keys:GPSCoordinates"] == "48.25 11.5 519")
            // One moment in both files: the movie tells it to the second.
            #expect(movieTags["Keys:CreationDate"] == tags["ExifIFD:DateTimeOriginal"].map { "\($0)+01:00" })
            #expect(movieTags.first { $0.key.hasSuffix(":StillImageTime") }?.value == "-1")
            try Self.checkPlayback(result, movie)
            for file in [result.still.file, movie.file] {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path.string))
                #expect(Int64(bytes.count) == file.byteCount)
                #expect(Array(SHA256.hash(data: bytes)) == file.digest.bytes)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: studio.folder.string)
            #expect(names.count == 2)
        }
    }

    private static func checkPlayback(_ result: CaptureResult, _ movie: RecordedMovie) throws {
        let path = movie.file.path.string
        let decoded = try Tool.run("ffmpeg", ["-v", "error", "-xerror", "-i", path, "-f", "null", "-"])
        #expect(decoded.status == 0)
        #expect(decoded.errorText == "")
        let probe = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=codec_name,codec_tag_string,start_time,duration",
                "-of", "csv=p=0", path,
            ]
        )
        let streams = probe.lines.map { $0.split(separator: ",").map(String.init) }
        try #require(streams.count == 3 && streams.allSatisfy { $0.count == 4 })
        #expect(streams[0][0...1] == ["h264", "avc1"])
        #expect(streams[1][0...1] == ["aac", "mp4a"])
        #expect(streams[2][1] == "mebx")
        let starts = streams.map { Double($0[2]) ?? -1 }
        #expect(starts[0] == 0 && starts[1] == 0)
        #expect(abs(starts[2] - movie.photoDisplayTime.inSeconds) < 1.0 / 600 + 0.000_001)
        #expect(abs(movie.photoDisplayTime.inSeconds - 1.5) < 1.0 / 30)
        #expect(abs(movie.duration.inSeconds - 3.03) < 0.04)
        for stream in streams.prefix(2) { #expect(abs((Double(stream[3]) ?? 0) - movie.duration.inSeconds) < 0.03) }
        // A closed group of pictures from the first frame on.
        let first = try Tool.run(
            "ffprobe",
            ["-v", "error", "-select_streams", "v:0", "-show_entries", "packet=flags", "-of", "csv=p=0", path]
        )
        #expect(first.lines.first?.hasPrefix("K") == true)
    }
}
