import Foundation
import Glibc
import MediaWorker
import Persistence
import PhotoModel
import TestSupport
import Testing

/// The real worker, and files that outside programs make for it.
struct Workshop {
    let pool: MediaWorkerPool

    init(_ change: (inout MediaLimits) -> Void = { _ in }) {
        var limits = MediaLimits()
        // A worker that gave way to a thousand other tests would wait long for a processor.
        limits.niceness = 0
        limits.wallSeconds = 300
        change(&limits)
        let threads = BlockingPool(width: 2)
        let start = ContinuousClock.now
        pool = MediaWorkerPool(
            program: Bundle.main.bundleURL.appending(path: "tintype-media").path,
            limits: limits,
            blocking: { try await threads.run($0) },
            now: { ContinuousClock.now - start }
        )
    }

    func perform(
        _ bytes: Data,
        _ task: MediaRequest.Task = .thumbnails,
        of source: MediaRequest.Source = .still,
        thumbnails: [MediaRequest.Thumbnail] = [.init(side: 1024), .init(side: 256)]
    ) async throws -> MediaOutput {
        let request = MediaRequest(task, of: source, thumbnails: task == .thumbnails ? thumbnails : [])
        return try await pool.perform(request) {
            let file = try OwnedDescriptor.inMemory("sample")
            let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(file.number, $0.baseAddress, $0.count, 0) }
            guard written == bytes.count else { throw CocoaError(.fileWriteUnknown) }
            return file
        }
    }

    /// What a file is refused with; nil when it gives pictures.
    func failure(
        _ bytes: Data,
        _ task: MediaRequest.Task = .thumbnails,
        of source: MediaRequest.Source = .still
    ) async -> MediaWorkerError? {
        do {
            _ = try await perform(bytes, task, of: source)
            return nil
        } catch {
            return error as? MediaWorkerError
        }
    }
}

/// Samples: the left half red, the right half blue.
enum Samples {
    /// A still of 1600x1200 in a format that its file's ending names.
    static func still(_ ending: String, orientation: Int? = nil) async throws -> Data {
        try await offTheSharedThreads { try makeStill(ending, orientation: orientation) }
    }

    private static func makeStill(_ ending: String, orientation: Int?) throws -> Data {
        try withTemporaryDirectory { folder in
            let source = folder.appending(path: "source.png").path
            try run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", halves(1600, 1200), "-frames:v", "1", source])
            let target = folder.appending(path: "sample.\(ending)").path
            if ["heic", "avif"].contains(ending) {
                try run("heif-enc", (ending == "avif" ? ["-A"] : []) + ["-q", "60", "-o", target, source])
            } else if ending == "jxl" {
                try run("cjxl", [source, target, "--quiet", "-e", "1"])
            } else {
                try run("vips", ["copy", source, target])
            }
            if let orientation {
                try run("exiftool", ["-q", "-n", "-overwrite_original", "-Orientation=\(orientation)", target])
            }
            return try Data(contentsOf: URL(filePath: target))
        }
    }

    /// A still whose JPEG is large, since every pixel is noise.
    static func noise(_ size: PixelSize) async throws -> Data {
        try await offTheSharedThreads {
            try withTemporaryDirectory { folder in
                let target = folder.appending(path: "noise.png")
                let source = "nullsrc=s=\(size.width)x\(size.height),geq=lum='random(1)*255':cb=128:cr=128"
                try run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source, "-frames:v", "1", target.path])
                return try Data(contentsOf: target)
            }
        }
    }

    /// A movie of 640x480 and 2 seconds, turned by the matrix of its track.
    static func movie(_ ending: String = "mov", clockwise degrees: Int = 0) async throws -> Data {
        try await offTheSharedThreads { try makeMovie(ending, clockwise: degrees) }
    }

    private static func makeMovie(_ ending: String, clockwise degrees: Int) throws -> Data {
        try withTemporaryDirectory { folder in
            let plain = folder.appending(path: "plain.\(ending)").path
            let target = folder.appending(path: "sample.\(ending)").path
            let input = ["-v", "error", "-f", "lavfi", "-i", halves(640, 480) + ",loop=60:1", "-t", "2", "-r", "30"]
            try run("ffmpeg", input + ["-c:v", "libx264", "-pix_fmt", "yuv420p", plain])
            if degrees == 0 { return try Data(contentsOf: URL(filePath: plain)) }
            // exiftool writes the matrix the same way in each release; FFmpeg changed its options in 6 and 7.
            try run("exiftool", ["-quiet", "-Rotation=\(degrees)", "-o", target, plain])
            return try Data(contentsOf: URL(filePath: target))
        }
    }

    private static func halves(_ width: Int, _ height: Int) -> String {
        "color=red:s=\(width / 2)x\(height):r=30,pad=\(width):\(height):0:0:blue"
    }

    /// Colours of some pixels of a JPEG, given as parts of its width and height, by an outside decoder.
    static func colors(
        of jpeg: [UInt8],
        _ size: PixelSize,
        at points: [(Double, Double)]
    ) async throws -> String {
        try await offTheSharedThreads { try colorsNow(of: jpeg, size, at: points) }
    }

    private static func colorsNow(
        of jpeg: [UInt8],
        _ size: PixelSize,
        at points: [(Double, Double)]
    ) throws -> String {
        try withTemporaryDirectory { folder in
            let file = folder.appending(path: "thumbnail.jpg")
            let raw = folder.appending(path: "pixels").path
            try Data(jpeg).write(to: file)
            try run("ffmpeg", ["-v", "error", "-i", file.path, "-f", "rawvideo", "-pix_fmt", "rgb24", raw])
            let pixels = try Data(contentsOf: URL(filePath: raw))
            #expect(pixels.count == size.width * size.height * 3, "the picture has another size than it says")
            let colors = points.map { x, y -> Character in
                let column = Int(Double(size.width - 1) * x)
                let offset = (Int(Double(size.height - 1) * y) * size.width + column) * 3
                let (red, green, blue) = (pixels[offset], pixels[offset + 1], pixels[offset + 2])
                return red > 180 && blue < 90 ? "r" : blue > 180 && red < 90 ? "b" : green > 180 ? "w" : "?"
            }
            return String(colors)
        }
    }

    private static func run(_ name: String, _ arguments: [String]) throws {
        let outcome = try ChildProcess.run(name, arguments)
        guard outcome.status == 0 else { throw SampleFailure(description: "\(name): \(outcome.errors)") }
    }
}

struct SampleFailure: Error, CustomStringConvertible {
    let description: String
}
