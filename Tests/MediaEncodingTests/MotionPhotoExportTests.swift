import Capture
import CaptureTestSupport
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage
import Testing

/// A captured pair as one file of Google's Motion Photo format, and apart again.
struct MotionPhotoExportTests {
    @Test(
        "A pair becomes a Motion Photo that exiftool reads, and comes apart unharmed",
        arguments: [StillFormat.jpeg, .heic]
    )
    func export(format: StillFormat) async throws {
        try await Studio.open { studio in
            await studio.clock.advance(by: .seconds(2))
            var settings = studio.settings(1)
            settings.format = format
            let shot = try await studio.session.capturePhoto(with: settings)
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            let movie = try #require(result.movie)
            let stillBytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: result.still.file.path.string)))
            let movieBytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: movie.file.path.string)))
            let beginning = try MotionPhoto.beginning(
                still: stillBytes,
                movieByteCount: movieBytes.count,
                movieType: .quickTimeMovie,
                stillTime: movie.photoDisplayTime
            )
            let joined = try stillBytes.withBytes { try beginning.copyBytes(from: $0) } + movieBytes
            let type: ContentType = format == .jpeg ? .jpeg : .heic
            let name = try #require(MotionPhotoFileName.name(baseName: "IMG_1", type: type))
            let path = studio.folder.appending(name).string
            try Data(joined).write(to: URL(fileURLWithPath: path))
            try Self.checkTags(path, format, movieBytes.count, movie.photoDisplayTime)
            try Self.checkDecoding(path, format)
            let split = try #require(try MotionPhoto(joined))
            #expect(Array(joined[split.movie.bounds]) == movieBytes)
            let apart = abs((split.stillTime ?? .zero).inSeconds - movie.photoDisplayTime.inSeconds)
            #expect(apart < 0.000_002)
        }
    }

    private static func checkTags(_ path: String, _ format: StillFormat, _ length: Int, _ time: Duration) throws {
        let tags = try Tool.tags(of: path)
        #expect(tags["XMP-GCamera:MotionPhoto"] == "1")
        #expect(tags["XMP-GCamera:MotionPhotoVersion"] == "1")
        let stamp = tags["XMP-GCamera:MotionPhotoPresentationTimestampUs"].flatMap(Int.init)
        #expect(abs((stamp ?? 0) - Int(time.inSeconds * 1_000_000)) <= 1)
        // exiftool 13 reads trailers of MP4 alone, and says so of ours.
        let warning = tags["ExifTool:Warning"]
        #expect(warning == nil || warning == "Google trailer MotionPhoto video/quicktime not handled")
        // Lists come one line an item; the last wins in our dictionary, which is the movie.
        #expect(tags["XMP-GContainer:DirectoryItemLength"].map { $0.hasSuffix("\(length)") } == true)
        #expect(tags["XMP-GContainer:DirectoryItemMime"].map { $0.hasSuffix("video/quicktime") } == true)
        #expect(tags["IFD0:Make"] == "Tintype")
        if format == .jpeg { #expect(tags["XMP-GCamera:MicroVideoOffset"] == "\(length)") }
    }

    /// The still still decodes as a still.
    private static func checkDecoding(_ path: String, _ format: StillFormat) throws {
        let output = try Tool.run("vips", ["avg", path])
        #expect(output.status == 0 && output.errorText == "")
    }
}
