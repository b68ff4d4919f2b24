package import MediaFormats
import PhotoModel

/// Cameras' raw photos in small, each with a preview: a picture of 6000 by 4000 pixels by its directories, taken on
/// 2 January 2026.
package enum SampleRaw {
    /// The makers' formats.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case cr2, cr3, nef, arw, dng, orf, raf, rw2

        /// Its media type, by the file's content.
        package var mediaType: String {
            switch self {
            case .cr2: "image/x-canon-cr2"
            case .cr3: "image/x-canon-cr3"
            case .arw: "image/x-sony-arw"
            case .nef: "image/x-dcraw"
            case .dng: "image/x-adobe-dng"
            case .orf: "image/x-olympus-orf"
            case .raf: "image/x-fuji-raf"
            case .rw2: "image/x-panasonic-rw2"
            }
        }
    }

    private typealias Value = TIFFBuilder.Value

    /// A DNG of four samples, without a preview.
    package static func sensor() throws -> [UInt8] {
        try DNGFile(
            samples: [UInt8](repeating: 9, count: 8),
            size: PixelSize(width: 2, height: 2),
            pattern: [0, 1, 1, 2],
            whiteLevel: 255,
            cameraModel: "x",
            exif: ExifMetadata(),
            xmp: []
        ).bytes()
    }

    /// A DNG as Android writes it: first an uncompressed picture of 256 by 170 pixels, then the sensor's 6000 by 4000.
    package static func android() throws(MediaFormatError) -> [UInt8] {
        let picture = [UInt8](repeating: 0x7F, count: 256 * 170 * 3)
        var image = directory(1)
        (image[0x00FE], image[0x0100], image[0x0101]) = (long(1), long(256), long(170))
        image[0x0102] = .data(.short, count: 3, [8, 0, 8, 0, 8, 0])
        (image[0x0103], image[0x0106], image[0x0115], image[0x0116]) = (short(1), short(2), short(3), long(170))
        (image[0x0111], image[0x0117]) = (.block(picture), long(UInt32(picture.count)))
        (image[0x014A], image[0x8769]) = (.directory(sensorImage), .directory(exif))
        image[0xC612] = .data(.byte, count: 4, [1, 4, 0, 0])
        return try TIFFBuilder.bytes(of: [image], order: .littleEndian)
    }

    /// Makes a file.
    ///
    /// - Parameters:
    ///   - format: whose.
    ///   - preview: a JPEG file; that of Fujifilm holds the metadata.
    ///   - orientation: how to turn the picture, 1 to 8.
    /// - Returns: the file.
    /// - Throws: what the writers throw.
    package static func file(
        _ format: Format,
        preview: [UInt8],
        orientation: UInt16 = 6
    ) throws(MediaFormatError) -> [UInt8] {
        switch format {
        case .raf: return fujifilm(preview)
        case .cr2: return try olderCanon(preview, orientation)
        case .cr3: return try canon(preview, orientation)
        default: break
        }
        var image = directory(orientation)
        image[0x00FE] = long(1)
        image[0x0103] = short(6)
        image[0x0111] = .block(preview)
        image[0x0117] = long(UInt32(preview.count))
        image[0x8769] = .directory(exif)
        image[0x014A] = .directory(sensorImage)
        if format == .dng { image[0xC612] = .data(.byte, count: 4, [1, 4, 0, 0]) }
        if format == .orf || format == .arw { (image[0x0111], image[0x0117]) = (nil, nil) }
        if format == .arw {
            image[0x010F] = text("SONY")
            (image[0x0201], image[0x0202]) = (.block(preview), long(UInt32(preview.count)))
        }
        if format == .rw2 { addPanasonic(preview, to: &image) }
        var bytes = try TIFFBuilder.bytes(of: [image], order: .littleEndian)
        switch format {
        case .orf:
            // Named in the maker's own notes only.
            bytes.replaceSubrange(2..<4, with: Array("RO".utf8))
            bytes += [0, 0] + preview
        case .rw2: bytes[2] = 0x55
        default: break
        }
        return bytes
    }

    private static func directory(_ orientation: UInt16) -> TIFFBuilder.Directory {
        [0x010F: text("Maker"), 0x0110: text("Box"), 0x0112: short(orientation), 0x0132: text("2026:01:03 00:00:00")]
    }

    private static let sensorImage: TIFFBuilder.Directory = [
        0x00FE: long(0), 0x0100: long(6000), 0x0101: long(4000), 0x0103: short(1), 0x0106: short(32_803),
    ]

    private static let exif: TIFFBuilder.Directory = [0x9003: text("2026:01:02 03:04:05")]

    private static func addPanasonic(_ preview: [UInt8], to image: inout TIFFBuilder.Directory) {
        (image[0x0111], image[0x0117], image[0x014A], image[0x00FE]) = (nil, nil, nil, nil)
        (image[0x0004], image[0x0005], image[0x0006], image[0x0007]) = (short(4), short(8), short(4004), short(6008))
        image[0x002E] = .data(.undefined, count: preview.count, preview)
    }

    private static func fujifilm(_ preview: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append("FUJIFILMCCD-RAW ")
        writer.append(repeating: 0, count: 68)
        writer.append(UInt32(120))
        writer.append(UInt32(preview.count))
        writer.append(UInt32(100))
        writer.append(UInt32(20))
        writer.append(UInt32(2))
        for (tag, height, width) in [(0x0100, 4100, 6100), (0x0111, 4000, 6000)] {
            for number in [tag, 4, height, width] { writer.append(UInt16(number)) }
        }
        return writer.bytes + preview
    }

    /// A CR2: a TIFF file whose header goes on with "CR", a version and the offset of the sensor's directory.
    ///
    /// The sensor's directory is the last and has no size. The first is the preview's, smaller than the picture.
    private static func olderCanon(
        _ preview: [UInt8],
        _ orientation: UInt16
    ) throws(MediaFormatError) -> [UInt8] {
        var size = exif
        (size[0xA002], size[0xA003]) = (long(6000), long(4000))
        var image = directory(orientation)
        (image[0x0100], image[0x0101], image[0x0103]) = (short(1600), short(1200), short(6))
        (image[0x0111], image[0x0117]) = (.block(preview), long(UInt32(preview.count)))
        image[0x8769] = .directory(size)
        // Sensor data is lossless JPEG (SOF3), which is no preview.
        let lossless: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC3, 0, 11, 14, 15, 160, 23, 112, 1, 1, 0x11, 0, 0xFF, 0xD9]
        let sensor: TIFFBuilder.Directory = [
            0x0103: short(6), 0x0111: .block(lossless), 0x0117: long(UInt32(lossless.count)),
        ]
        // The longer header lies in a directory that is then skipped.
        let room: TIFFBuilder.Directory = [1: short(0)]
        var bytes = try TIFFBuilder.bytes(of: [room, image, sensor], order: .littleEndian)
        bytes.replaceSubrange(4..<8, with: bytes[22..<26])
        bytes.replaceSubrange(8..<16, with: Array("CR\u{2}\0".utf8) + [0, 0, 0, 0])
        return bytes
    }

    private static func canon(_ preview: [UInt8], _ orientation: UInt16) throws(MediaFormatError) -> [UInt8] {
        var size = exif
        (size[0xA002], size[0xA003]) = (long(6000), long(4000))
        let first = try TIFFBuilder.bytes(of: [directory(orientation)], order: .littleEndian)
        let second = try TIFFBuilder.bytes(of: [size], order: .littleEndian)
        var writer = ByteWriter()
        writer.appendBox("ftyp") { $0.append("crx \0\0\0\u{1}crx isom") }
        // The track holds all of the sensor, with its borders.
        var movie = SampleMovie()
        movie.size = PixelSize(width: 6288, height: 4056)
        writer.appendBox("moov") { writer in
            movie.appendMovieHeader(to: &writer)
            movie.appendVideoTrack(to: &writer)
            writer.appendBox("uuid") { writer in
                writer.append(0x85C0_B687_820F_11E0 as UInt64)
                writer.append(0x8111_F4CE_462B_6A48 as UInt64)
                writer.appendBox("CMT1") { $0.append(first) }
                writer.appendBox("CMT2") { $0.append(second) }
            }
        }
        writer.appendBox("uuid") { writer in
            writer.append(0xEAF4_2B5E_1C98_4B88 as UInt64)
            writer.append(0xB9FB_B7DC_406E_4D16 as UInt64)
            writer.append(1 as UInt64)
            writer.appendBox("PRVW") { writer in
                writer.append([0, 0, 0, 0, 0, 1, 6, 84, 4, 56, 0, 1] as [UInt8])
                writer.append(UInt32(preview.count))
                writer.append(preview)
            }
        }
        return writer.bytes
    }

    private static func text(_ text: String) -> Value {
        let bytes = Array(text.utf8) + [0]
        return .data(.ascii, count: bytes.count, bytes)
    }

    private static func short(_ value: UInt16) -> Value {
        .data(.short, count: 1, [UInt8(value & 0xFF), UInt8(value >> 8)])
    }

    private static func long(_ value: UInt32) -> Value {
        .data(.long, count: 1, (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) })
    }
}
