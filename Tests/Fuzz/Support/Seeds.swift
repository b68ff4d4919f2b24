import Glibc
import MediaFormats
import MediaSamples

/// Writes the inputs that fuzzing starts from: `seeds FOLDER` makes one folder a kind of input.
///
/// The targets of a kind are those whose name contains the folder's name; a target without one starts from all.
@main
struct Seeds {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: seeds FOLDER")
            exit(64)
        }
        let root = CommandLine.arguments[1]
        for seed in UInt64(0)..<12 {
            var metadata = SampleMetadata(CountingGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15))
            let (exif, xmp) = (metadata.exif(), metadata.xmp())
            let order: ByteOrder = seed.isMultiple(of: 2) ? .bigEndian : .littleEndian
            let block = try exif.bytes(order: order, thumbnail: seed == 0 ? SampleStill.jpeg() : nil)
            let packet = xmp.packet()
            try write(block, to: root, "EXIF", seed)
            try write(packet, to: root, "XMP", seed)
            try write(SampleStill.jpeg(exif: block, xmp: packet), to: root, "JPEG", seed)
            try write(SampleStill.jpeg(hasTables: false), to: root, "JPEG", 100 + seed)
            try write(SampleStill.png(exif: block, xmp: packet), to: root, "PNG", seed)
            try write(SampleStill.webp(exif: block, xmp: packet), to: root, "WebP", seed)
            try write(SampleStill.gif(xmp: packet, extensions: [0x21, 0xFE, 1, 0x3B, 0]), to: root, "GIF", seed)
            try write(SampleStill.jpegXL(exif: block, xmp: packet), to: root, "JPEGXL", seed)
            try write(SampleStill.tiff(exif, xmp: packet, order: order), to: root, "TIFF", seed)
            for (number, format) in SampleRaw.Format.allCases.enumerated() {
                let raw = try SampleRaw.file(format, preview: SampleStill.jpeg(exif: block))
                try write(raw, to: root, "RawFile", seed * 10 + UInt64(number))
            }
            try writeBaseMedia(packet, to: root, seed)
        }
    }

    private static func writeBaseMedia(_ packet: [UInt8], to root: String, _ seed: UInt64) throws {
        var movie = SampleMovie()
        movie.userData = SampleMovie.userText("©xyz", "+10.0000+020.0000/")
        movie.meta = SampleMovie.metadataList([("com.apple.quicktime.location.name", "Home"), ("k", "v")])
        movie.moreTracks = SampleMovie.timedTrack(
            key: "com.apple.quicktime.location.ISO6709",
            sampleOffset: movie.mediaOffset,
            sampleCount: 2,
            samplesPerChunk: 2
        )
        var image = SampleImage()
        image.locationVersion = UInt8(seed % 3)
        image.items.append(.init(id: 3, type: "mime", contentType: "application/rdf+xml", bytes: packet))
        try write(movie.bytes + SampleMovie.xmpBox(packet), to: root, "QuickTime", seed)
        try write(image.bytes, to: root, "HEIC", seed)
        for still in [image.bytes, try SampleStill.jpeg(xmp: packet)] {
            let beginning = try MotionPhoto.beginning(
                still: still,
                movieByteCount: movie.bytes.count,
                movieType: .quickTimeMovie,
                stillTime: .seconds(1)
            )
            let head = try still.withBytes { bytes throws(MediaFormatError) in try beginning.copyBytes(from: bytes) }
            try write(head + movie.bytes, to: root, "MotionPhoto", seed * 2 + UInt64(still.first == 0xFF ? 1 : 0))
        }
    }

    private static func write(_ bytes: [UInt8], to root: String, _ kind: String, _ number: UInt64) throws {
        mkdir("\(root)/\(kind)", 0o755)
        guard let file = fopen("\(root)/\(kind)/\(number)", "w") else {
            perror("\(root)/\(kind)/\(number)")
            exit(73)
        }
        bytes.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
    }
}

/// SplitMix64: the same seeds on every machine.
private struct CountingGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
