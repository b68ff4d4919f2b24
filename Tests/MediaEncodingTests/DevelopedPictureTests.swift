import Capture
import CaptureTestSupport
import Foundation
import MediaFormats
import PhotoModel
import SystemPackage
import Testing

@testable import MediaEncoding

/// Pictures of a sensor's raw samples.
struct DevelopedPictureTests {
    private static let size = PixelSize(width: 64, height: 48)

    /// A sensor's samples of fields of one colour each, in the order of the layout; green sees twice the others' light.
    private static func samples(_ layout: BayerLayout, _ colour: (_ column: Int, _ row: Int) -> [Double]) -> [UInt8] {
        let white = Double(1 << layout.bits - 1)
        let sensitivity = [0.5, 1, 0.5]
        var bytes: [UInt8] = []
        for row in 0..<size.height {
            for column in 0..<size.width {
                let filter = Int(layout.pattern[row % 2 * 2 + column % 2])
                let value = Int(colour(column, row)[filter] * sensitivity[filter] * white)
                bytes.append(UInt8(value & 0xFF))
                if layout.packing == .words { bytes.append(UInt8(value >> 8)) }
            }
        }
        return bytes
    }

    private static func picture(_ code: StaticString, _ colour: (Int, Int) -> [Double]) throws -> [UInt8] {
        let format = PixelFormat(code)
        let layout = try #require(BayerLayout(format))
        let picture = try samples(layout, colour).withBytes { bytes throws(MediaEncodingError) in
            try DevelopedPicture(of: bytes, FrameInfo.first(format, size), layout)
        }
        #expect(picture.info.pixelFormat == .rgb24 && picture.info.size == size)
        return picture.bytes
    }

    private static func pixel(_ picture: [UInt8], _ column: Int, _ row: Int) -> [Int] {
        (0..<3).map { Int(picture[(row * size.width + column) * 3 + $0]) }
    }

    @Test(
        "000.15: a sensor that sees more green than red and blue gives a grey picture of a grey scene, in any layout",
        arguments: ["BA81", "GBRG", "GRBG", "RGGB"] as [StaticString]
    )
    func grey(code: StaticString) throws {
        // A fifth of the light is the middle of sRGB's tones.
        let picture = try Self.picture(code) { _, _ in [0.2, 0.2, 0.2] }
        for (column, row) in [(0, 0), (1, 0), (20, 21), (63, 47)] {
            let pixel = Self.pixel(picture, column, row)
            #expect(pixel.allSatisfy { abs($0 - 124) <= 3 }, "\(pixel)")
        }
    }

    @Test(
        "000.15: colours stay where they were and what they were",
        arguments: ["BG10", "GB10", "RG12"] as [StaticString]
    )
    func colours(code: StaticString) throws {
        // Left red, right blue; with both halves the grey world is grey.
        let picture = try Self.picture(code) { column, _ in column < 32 ? [0.4, 0.2, 0.02] : [0.02, 0.2, 0.4] }
        let (left, right) = (Self.pixel(picture, 10, 20), Self.pixel(picture, 50, 21))
        #expect(left[0] > left[1] + 20 && left[1] > left[2] + 60, "\(left)")
        #expect(right[2] > right[1] + 20 && right[1] > right[0] + 60, "\(right)")
    }

    @Test(
        "The light of raw samples is measured, whatever their packing, so that a camera's exposure can settle",
        arguments: ["RGGB", "RG10", "RG16"]
    )
    func light(code: String) throws {
        let format = PixelFormat(rawValue: code.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        let layout = try #require(BayerLayout(format))
        let compressor = try TurboFrameCompressor()
        for share in [0.0, 0.25, 1.0] {
            let bytes = Self.samples(layout) { _, _ in [share, share / 2, share] }
            let light = bytes.withBytes { compressor.meanLuma(of: $0, FrameInfo.first(format, Self.size)) }
            #expect(try abs(#require(light) - share / 2) < 0.01, "\(share)")
            let part = Array(bytes.prefix(100))
            #expect(part.withBytes { compressor.meanLuma(of: $0, FrameInfo.first(format, Self.size)) } == nil)
        }
    }

    @Test("The compressor makes a JPEG of raw samples; too few of them are an error")
    func jpeg() throws {
        let format = PixelFormat("RGGB")
        let layout = try #require(BayerLayout(format))
        let bytes = Self.samples(layout) { column, _ in [0.2, 0.2, 0.2].map { $0 * (column < 32 ? 1 : 0.2) } }
        let compressor = try TurboFrameCompressor()
        let jpeg = try bytes.withBytes { try compressor.jpeg(of: $0, FrameInfo.first(format, Self.size)) }
        #expect(try jpeg.withBytes { try JPEGDecoder().header(of: $0) }.size == Self.size)
        #expect(throws: CaptureError.self) {
            try Array(bytes.prefix(100)).withBytes { try compressor.jpeg(of: $0, FrameInfo.first(format, Self.size)) }
        }
        // An odd row and column have no whole cell of the mosaic.
        var odd = FrameInfo.first(format, PixelSize(width: 63, height: 47))
        odd.bytesPerLine = 64
        let cut = try bytes.withBytes { try compressor.jpeg(of: $0, odd) }
        #expect(try cut.withBytes { try JPEGDecoder().header(of: $0) }.size == PixelSize(width: 62, height: 46))
    }

    @Test("000.15: one shot gives a developed JPEG and the raw samples of the same frame, each told once")
    func shot() async throws {
        try await Studio.open(format: PixelFormat("RGGB"), audio: nil, keepsSamples: true) { studio in
            await studio.clock.advance(by: .seconds(3))
            var settings = studio.settings(0x0A15, isLive: false)
            settings.includesRaw = true
            var photos: [String] = []
            let result = try await studio.session.capturePhoto(with: settings).result { event in
                if case .photo(let still) = event { photos.append(still.file.contentType) }
                if case .rawPhoto(let raw) = event { photos.append(raw.file.contentType) }
            }
            #expect(photos == ["image/jpeg", "image/x-adobe-dng"])
            #expect(result.resources.map(\.type) == [.photo, .alternatePhoto])
            let names = result.resources.compactMap { $0.originalFilename?.displayText }
            #expect(names.map { $0.suffix(4) } == [".JPG", ".DNG"] && Set(names.map { $0.dropLast(4) }).count == 1)
            let raw = try #require(result.raw)
            for path in [result.still.file.path, raw.file.path] {
                let tags = try Tool.tags(of: path.string)
                #expect(tags["ExifIFD:ImageUniqueID"] == "00000000000000000000000000000a15")
            }
            // The frame's number is drawn into the picture: both are of one frame, and no colour is made up.
            let number = try Self.frameNumber(result.still.file.path.string)
            #expect(try Self.frameNumber(ofRaw: raw.file.path.string) == number)
            settings = studio.settings(0x0A16, isLive: false)
            settings.format = .png
            let error = await #expect(throws: CaptureError.self) {
                _ = try await studio.session.capturePhoto(with: settings).result()
            }
            #expect(error?.code == .unsupported)
        }
    }

    private static func frameNumber(_ path: String) throws -> Int {
        let output = try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-"])
        return number(in: [UInt8](output.bytes))
    }

    /// The samples as LibRaw reads them.
    private static func frameNumber(ofRaw path: String) throws -> Int {
        #expect(try Tool.run("unprocessed_raw", ["-q", path]).status == 0)
        let picture = path + ".pgm"
        defer { try? FileManager.default.removeItem(atPath: picture) }
        let words = [UInt8](try Data(contentsOf: URL(fileURLWithPath: picture)))
            .suffix(Studio.size.width * Studio.size.height * 2)
        return number(in: stride(from: words.startIndex + 1, to: words.endIndex, by: 2).map { words[$0] })
    }

    private static func number(in luma: [UInt8]) -> Int {
        SyntheticPicture(size: Studio.size).frameNumber { luma[$1 * Studio.size.width + $0] }
    }
}
