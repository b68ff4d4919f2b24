package import PhotoModel

/// Writes a sensor's raw samples as a DNG file (Digital Negative 1.4), uncompressed in one strip, with a JPEG preview.
///
/// Nothing unknown about the sensor is made up, except the colour matrix, which readers insist on: it claims that the
/// sensor's primaries are sRGB's.
package struct DNGFile: Sendable {
    /// The samples, row by row, 16 bits each in little-endian order.
    package var samples: [UInt8]
    /// Width and height.
    package var size: PixelSize
    /// The colours of the first two rows' first two samples: 0 red, 1 green, 2 blue.
    package var pattern: [UInt8]
    /// The largest value of a sample.
    package var whiteLevel: Int
    /// The camera's name, by which programs choose its colour profile.
    package var cameraModel: String
    /// The metadata.
    package var exif: ExifMetadata
    /// An XMP packet.
    package var xmp: [UInt8]
    /// A JPEG file in colour, for programs that do not develop the samples; none if it is empty or anything else.
    package var preview: [UInt8]

    package init(
        samples: [UInt8],
        size: PixelSize,
        pattern: [UInt8],
        whiteLevel: Int,
        cameraModel: String,
        exif: ExifMetadata,
        xmp: [UInt8],
        preview: [UInt8] = []
    ) {
        self.samples = samples
        self.size = size
        self.pattern = pattern
        self.whiteLevel = whiteLevel
        self.cameraModel = cameraModel
        self.exif = exif
        self.xmp = xmp
        self.preview = preview
    }

    /// XYZ (D65) to linear sRGB, in ten-thousandths (IEC 61966-2-1).
    private static let colorMatrix = [32_405, -15_371, -4985, -9693, 18_760, 416, 556, -2040, 10_572]

    /// The file's bytes.
    ///
    /// - Throws: `unrepresentable` for metadata that does not fit its field.
    package func bytes() throws(MediaFormatError) -> [UInt8] {
        let values = ExifValueWriter(order: .littleEndian)
        var (image, exif, gps) = try exif.directories(order: .littleEndian)
        typealias Value = TIFFBuilder.Value
        func short(_ number: Int) throws(MediaFormatError) -> Value { try values.number(number, as: .short) }
        func long(_ number: Int) throws(MediaFormatError) -> Value { try values.number(number, as: .long) }
        // TIFF 6.0 and TIFF/EP: one uncompressed strip of a colour filter array.
        image[0x00FE] = try long(0)
        image[0x0100] = try long(size.width)
        image[0x0101] = try long(size.height)
        image[0x0102] = try short(16)
        image[0x0103] = try short(1)
        image[0x0106] = try short(32_803)
        image[0x0111] = .block(samples)
        image[0x0115] = try short(1)
        image[0x0116] = try long(size.height)
        image[0x0117] = try long(samples.count)
        image[0x011C] = try short(1)
        image[0x828D] = .data(.short, count: 2, [2, 0, 2, 0])
        image[0x828E] = .data(.byte, count: 4, pattern)
        image[0x02BC] = .data(.byte, count: xmp.count, xmp)
        // DNG's own.
        image[0xC612] = .data(.byte, count: 4, [1, 4, 0, 0])
        image[0xC613] = .data(.byte, count: 4, [1, 1, 0, 0])
        image[0xC614] = try values.text(cameraModel)
        image[0xC616] = .data(.byte, count: 3, [0, 1, 2])
        image[0xC617] = try short(1)
        image[0xC61A] = try short(0)
        image[0xC61D] = try long(whiteLevel)
        image[0xC621] = try values.fractions(
            Self.colorMatrix.map { ExifRational(Int64($0), 10_000) },
            as: .signedRational
        )
        image[0xC65A] = try short(21)
        if let preview = try previewDirectory(values) { image[0x014A] = .directory(preview) }
        image[0x8769] = .directory(exif)
        if !gps.isEmpty { image[0x8825] = .directory(gps) }
        return try TIFFBuilder.bytes(of: [image], order: .littleEndian)
    }

    /// The directory of the preview: a reduced image, in one strip that is a whole JPEG file.
    private func previewDirectory(_ values: ExifValueWriter) throws(MediaFormatError) -> TIFFBuilder.Directory? {
        let frame = try? preview.withBytes { bytes throws(MediaFormatError) -> (size: PixelSize, sampling: UInt8)? in
            let header = try JPEGHeader(bytes)
            guard let size = header.pixelSize, let start = header.segments.first(where: { $0.marker.isFrameHeader }),
                try bytes.byte(at: start.payload.offset + 5) == 3
            else { return nil }
            return (size, try bytes.byte(at: start.payload.offset + 7))
        }
        guard let frame else { return nil }
        return [
            0x00FE: try values.number(1, as: .long),
            0x0100: try values.number(frame.size.width, as: .long),
            0x0101: try values.number(frame.size.height, as: .long),
            0x0102: .data(.short, count: 3, [8, 0, 8, 0, 8, 0]),
            0x0103: try values.number(7, as: .short),
            0x0106: try values.number(6, as: .short),
            0x0111: .block(preview),
            0x0115: try values.number(3, as: .short),
            0x0116: try values.number(frame.size.height, as: .long),
            0x0117: try values.number(preview.count, as: .long),
            0x0212: .data(.short, count: 2, [frame.sampling >> 4, 0, frame.sampling & 15, 0]),
            0x0213: try values.number(1, as: .short),
        ]
    }
}
