import Foundation
import MediaWorker
import TestSupport
import Testing

/// Movies for programs that play H.264 only, judged by outside programs.
struct ConversionTests {
    /// A turned movie of HEVC with 10 bits and sound, 45 pictures in 1.5 seconds.
    private static func movie(_ ending: String) async throws -> Data {
        try await offTheSharedThreads {
            try withTemporaryDirectory { folder in
                let (plain, turned) = (folder.appending(path: "a.\(ending)"), folder.appending(path: "b.\(ending)"))
                let inputs = [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30", "-f", "lavfi", "-i", "sine",
                ]
                let video = [
                    "-t", "1.5", "-c:v", "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1", "-pix_fmt",
                    "yuv420p10le",
                ]
                let rest = ["-c:a", "aac", "-movflags", "use_metadata_tags", "-metadata", "make=Bench", plain.path]
                let made = try ChildProcess.run("ffmpeg", inputs + video + rest)
                try #require(made.status == 0, "\(made.errors)")
                _ = try ChildProcess.run("exiftool", ["-quiet", "-Rotation=90", "-o", turned.path, plain.path])
                return try Data(contentsOf: turned)
            }
        }
    }

    /// What ffprobe counts and calls the tracks, and the digest of the sound's packets.
    private static func facts(of movie: Data) async throws -> (tracks: [String], sound: String, turned: String) {
        try await offTheSharedThreads {
            try withTemporaryDirectory { folder in
                let file = folder.appending(path: "movie.mov")
                try movie.write(to: file)
                let entries = "stream=codec_name,pix_fmt,width,height,nb_read_packets"
                let probe = ["-v", "error", "-count_packets", "-show_entries", entries, "-of", "csv=p=0", file.path]
                let tracks = try ChildProcess.run("ffprobe", probe).text.split(separator: "\n").map(String.init)
                let digest = ["-v", "error", "-i", file.path, "-map", "0:a", "-c", "copy", "-f", "md5", "-"]
                let turned = try ChildProcess.run("exiftool", ["-s3", "-Rotation", "-Make", file.path]).text
                return (tracks, try ChildProcess.run("ffmpeg", digest).text, turned)
            }
        }
    }

    /// How like one another two movies look, in decibels.
    private static func likeness(_ one: Data, _ other: Data) async throws -> Double {
        try await offTheSharedThreads {
            try withTemporaryDirectory { folder in
                let files = [folder.appending(path: "one.mov"), folder.appending(path: "other.mov")]
                for (file, movie) in zip(files, [one, other]) { try movie.write(to: file) }
                let compare = ["-i", files[0].path, "-i", files[1].path, "-lavfi", "psnr", "-f", "null", "-"]
                let said = try ChildProcess.run("ffmpeg", compare).errors
                let average = try #require(said.firstMatch(of: /average:([0-9.]+)/)?.output.1, "\(said)")
                return try #require(Double(average))
            }
        }
    }

    @Test(
        "004.62: HEVC becomes H.264 with every picture, the same sound, upright as before, and its words",
        arguments: ["mov", "mp4"]
    )
    func hevc(ending: String) async throws {
        let original = try await Self.movie(ending)
        let output = try await Workshop().perform(original, .h264, of: .movie)
        let made = Data(try #require(output.pictures.first).bytes)
        let (before, after) = (try await Self.facts(of: original), try await Self.facts(of: made))
        #expect(before.tracks.first?.hasPrefix("hevc,320,240,yuv420p10le,45") == true, "\(before.tracks)")
        #expect(after.tracks.first?.hasPrefix("h264,320,240,yuv420p,45") == true, "\(after.tracks)")
        #expect(after.tracks.dropFirst() == before.tracks.dropFirst() && after.tracks.count == 2)
        #expect(after.sound == before.sound && after.sound.hasPrefix("MD5="))
        #expect(after.turned.hasPrefix("90") && after.turned == before.turned)
        #expect(try await Self.likeness(made, original) > 35)
    }

    @Test("A still, a torn movie and one that would become too large are refused, and the worker goes on")
    func refused() async throws {
        let original = try await Self.movie("mov")
        let workshop = Workshop { $0.outputByteCount = 20_000 }
        for bytes in [original, original.prefix(100), try await Samples.still("png")] {
            #expect(await workshop.failure(Data(bytes), .h264, of: .movie)?.code == .refused)
        }
        #expect(await workshop.failure(original, .h264, of: .still)?.code == .refused)
        #expect(workshop.pool.counts.died == 0 && workshop.pool.counts.started == 1)
    }
}
