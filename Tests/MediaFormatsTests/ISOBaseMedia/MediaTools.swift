import Foundation
import MediaFormats
import TestSupport
import Testing

/// Makes media with other people's programs, and asks them about ours.
enum MediaTools {
    /// What a made movie has beside its picture.
    struct MovieOptions {
        var hasSound = true
        var framesPerSecond = 30
        var seconds = 3
        var fileExtension = "mov"
        var more: [String] = []
    }

    /// A test pattern, H.264 and, where wanted, a tone in AAC, as libavformat writes it: `moov` last.
    static func movie(_ options: MovieOptions = MovieOptions()) throws -> [UInt8] {
        try withTemporaryDirectory { folder in
            let file = folder.appending(path: "made.\(options.fileExtension)")
            let sound = ["-f", "lavfi", "-i", "sine=d=\(options.seconds)"]
            try run(
                "ffmpeg",
                ["-v", "error", "-f", "lavfi", "-i"]
                    + ["testsrc2=s=320x240:r=\(options.framesPerSecond):d=\(options.seconds)"]
                    + (options.hasSound ? sound : [])
                    + ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"]
                    + ["-movie_timescale", "600", "-metadata", "creation_time=2026-01-02T03:04:05Z"]
                    + options.more + [file.path()]
            )
            return [UInt8](try Data(contentsOf: file))
        }
    }

    /// A test picture that heif-enc made: `heic` or `avif`.
    static func picture(_ fileExtension: String, width: Int = 320) throws -> [UInt8] {
        try withTemporaryDirectory { folder in
            let (source, file) = (folder.appending(path: "a.png"), folder.appending(path: "a.\(fileExtension)"))
            let pattern = "testsrc2=s=\(width)x240"
            try run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", pattern, "-frames:v", "1", source.path()])
            let codec = fileExtension == "avif" ? ["-A"] : []
            try run("heif-enc", codec + [source.path(), "-o", file.path()])
            return [UInt8](try Data(contentsOf: file))
        }
    }

    /// The same file after exiftool wrote tags into it.
    static func tagged(_ bytes: [UInt8], _ fileExtension: String, _ tags: [String]) throws -> [UInt8] {
        try withTemporaryDirectory { folder in
            let file = folder.appending(path: "a.\(fileExtension)")
            try Data(bytes).write(to: file)
            try run("exiftool", ["-q", "-overwrite_original"] + tags + [file.path()])
            return [UInt8](try Data(contentsOf: file))
        }
    }

    /// What ffprobe says of the file and its streams.
    static func probe(_ bytes: [UInt8], _ fileExtension: String) throws -> Probe {
        try withFile(bytes, fileExtension) { path in
            let arguments = ["-v", "error", "-show_format", "-show_streams", "-of", "json", path]
            let outcome = try ChildProcess.run("ffprobe", arguments)
            return try JSONDecoder().decode(Probe.self, from: outcome.output)
        }
    }

    /// The digests of all decoded pictures and sound; the test fails when the decoder complains.
    static func decoded(_ bytes: [UInt8], _ fileExtension: String) throws -> String {
        try withFile(bytes, fileExtension) { path in
            let maps = ["-map", "0:v?", "-map", "0:a?", "-f", "framemd5", "-"]
            let outcome = try ChildProcess.run("ffmpeg", ["-v", "error", "-i", path] + maps)
            #expect(outcome.errors.isEmpty)
            #expect(outcome.status == 0)
            return outcome.text
        }
    }

    /// The picture as heif-convert decodes it, as PNG bytes.
    static func decodedPicture(_ bytes: [UInt8], _ fileExtension: String) throws -> [UInt8] {
        try withTemporaryDirectory { folder in
            let (source, target) = (folder.appending(path: "a.\(fileExtension)"), folder.appending(path: "a.png"))
            try Data(bytes).write(to: source)
            try run("heif-convert", [source.path(), target.path()])
            let exported = [UInt8](try Data(contentsOf: target))
            // Without the metadata that heif-convert copies into the PNG.
            let png = try exported.withBytes { try PNGFile($0) }
            return png.chunks.filter { $0.type == "IDAT" }.flatMap { exported[$0.data.bounds] }
        }
    }

    /// Writes bytes to a file for the time of a piece of work.
    static func withFile<Value>(
        _ bytes: [UInt8],
        _ fileExtension: String,
        _ work: (String) throws -> Value
    ) throws -> Value {
        try withTemporaryDirectory { folder in
            let file = folder.appending(path: "a.\(fileExtension)")
            try Data(bytes).write(to: file)
            return try work(file.path())
        }
    }

    private static func run(_ name: String, _ arguments: [String]) throws {
        let outcome = try ChildProcess.run(name, arguments)
        try #require(outcome.status == 0, "\(name): \(outcome.errors)")
    }
}

/// The parts of ffprobe's answer that are compared.
struct Probe: Decodable {
    struct Stream: Decodable {
        let codec_type: String
        let codec_tag_string: String
        let width: Int?
        let height: Int?
        let start_time: String?
        let nb_frames: String?
        let avg_frame_rate: String
    }

    struct Format: Decodable {
        let duration: String?
        let tags: [String: String]?
    }

    let streams: [Stream]
    let format: Format
}
