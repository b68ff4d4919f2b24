package import MediaFormats

/// Small pictures of every container, made with the writers under test; real images that any viewer shows.
package enum SampleStill {
    /// A grey JPEG of 8 by 8 pixels, or of as many bytes as asked for.
    ///
    /// - Parameters:
    ///   - exif: an EXIF block.
    ///   - xmp: an XMP packet.
    ///   - imageBytes: bytes of entropy-coded data; beyond the first they are filling.
    ///   - hasTables: false for what a USB camera sends.
    /// - Returns: the file.
    /// - Throws: what the writers throw.
    package static func jpeg(
        exif: [UInt8]? = nil,
        xmp: [UInt8]? = nil,
        imageBytes: Int = 1,
        hasTables: Bool = true
    ) throws(MediaFormatError) -> [UInt8] {
        var writer = ByteWriter(capacity: imageBytes + 1024)
        writer.append(UInt16(0xFFD8))
        writer.append([0xFF, 0xDB, 0, 67, 0] + Array(repeating: 1, count: 64))
        writer.append([0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0] as [UInt8])
        writer.append([0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] as [UInt8])
        // One block: no change of DC (00), end of block (1010), filled up with ones.
        writer.append(UInt8(0b0010_1011))
        writer.append(repeating: 0x55, count: imageBytes - 1)
        writer.append(UInt16(0xFFD9))
        let bare = writer.bytes
        guard hasTables || exif != nil || xmp != nil else { return bare }
        return try bare.withBytes { bytes throws(MediaFormatError) in
            try MotionJPEGFrame(bytes).jpegFile(bytes, exif: exif, xmp: xmp).copyBytes(from: bytes)
        }
    }

    /// A black PNG of one pixel.
    package static func png(exif: [UInt8]? = nil, xmp: [UInt8]? = nil) throws(MediaFormatError) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += try PNGFile.chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
        if let exif { file += try PNGFile.chunk("eXIf", exif) }
        if let xmp { file += try PNGFile.xmpChunk(xmp) }
        // One stored block: filter 0, sample 0, and its Adler-32.
        file += try PNGFile.chunk("IDAT", [0x78, 0x01, 0x01, 2, 0, 0xFD, 0xFF, 0, 0, 0, 2, 0, 1])
        return try file + PNGFile.chunk("IEND", [])
    }

    /// A lossless WebP of one pixel, which repeats its frames for ever if it has any.
    package static func webp(
        exif: [UInt8]? = nil,
        xmp: [UInt8]? = nil,
        frames: Int = 0
    ) throws(MediaFormatError) -> [UInt8] {
        let flags: UInt8 = 0x10 | (exif == nil ? 0 : 0x08) | (xmp == nil ? 0 : 0x04) | (frames == 0 ? 0 : 0x02)
        var body = try WebPFile.chunk("VP8X", [flags, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let pixel: [UInt8] = [0x2F, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xFE, 0x07]
        let picture = try WebPFile.chunk("VP8L", pixel)
        if frames > 0 { body += try WebPFile.chunk("ANIM", [0, 0, 0, 0, 0, 0]) }
        // A frame of one pixel at 0, 0, shown for 100 ms.
        let frame: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0]
        for _ in 0..<frames { body += try WebPFile.chunk("ANMF", frame + picture) }
        if frames == 0 { body += picture }
        if let exif { body += try WebPFile.chunk("EXIF", exif) }
        if let xmp { body += try WebPFile.chunk("XMP ", xmp) }
        var writer = ByteWriter(order: .littleEndian)
        writer.append("RIFF")
        writer.append(UInt32(body.count + 4))
        writer.append("WEBP")
        writer.append(body)
        return writer.bytes
    }

    /// A GIF whose two black frames of one pixel repeat for ever.
    ///
    /// - Parameters:
    ///   - xmp: an XMP packet.
    ///   - extensions: further blocks before the frames.
    /// - Returns: the file.
    /// - Throws: what the writer throws.
    package static func gif(xmp: [UInt8]? = nil, extensions: [UInt8] = []) throws(MediaFormatError) -> [UInt8] {
        var file = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF]
        file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        if let xmp { file += try GIFLayout.xmpBlock(xmp) }
        file += extensions
        for _ in 0..<2 {
            // A tenth of a second; then codes of three bits: clear, the first colour, end.
            file += [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
            file += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]
        }
        return file + [0x3B]
    }

    /// A black JPEG XL of 8 by 8 pixels, which cjxl compressed, in a container.
    package static func jpegXL(exif: [UInt8]? = nil, xmp: [UInt8]? = nil) -> [UInt8] {
        var writer = ByteWriter()
        writer.appendBox("JXL ") { $0.append([0x0D, 0x0A, 0x87, 0x0A] as [UInt8]) }
        writer.appendBox("ftyp") { $0.append("jxl \0\0\0\0jxl ") }
        if let exif {
            writer.appendBox("Exif") { box in
                box.append(UInt32(0))
                box.append(exif)
            }
        }
        if let xmp { writer.appendBox("xml ") { $0.append(xmp) } }
        let codestream: [UInt8] = [
            0xFF, 0x0A, 0x41, 0x40, 0x50, 0x5C, 0x08, 0x08, 0x02, 0x01, 0, 0x18, 0, 0x4B, 0x18, 0x8B, 0x15, 0x82, 0x01,
        ]
        writer.appendBox("jxlc") { $0.append(codestream) }
        return writer.bytes
    }

    /// A grey TIFF of 4 by 2 pixels with the metadata in its own directories.
    package static func tiff(
        _ metadata: ExifMetadata,
        xmp: [UInt8]? = nil,
        makerNote: [UInt8]? = nil,
        order: ByteOrder = .littleEndian
    ) throws(MediaFormatError) -> [UInt8] {
        func number(_ value: UInt16) -> TIFFBuilder.Value {
            .data(.short, count: 1, order == .bigEndian ? [0, UInt8(value)] : [UInt8(value), 0])
        }
        var (image, exif, gps) = try metadata.directories(order: order)
        image[0x0100] = number(4)
        image[0x0101] = number(2)
        image[0x0102] = number(8)
        image[0x0103] = number(1)
        image[0x0106] = number(1)
        image[0x0111] = .block([0, 40, 80, 120, 160, 200, 240, 255])
        image[0x0115] = number(1)
        image[0x0116] = number(2)
        image[0x0117] = number(8)
        image[0x0213] = nil
        if let xmp { image[0x02BC] = .data(.byte, count: xmp.count, xmp) }
        if let makerNote { exif[0x927C] = .data(.undefined, count: makerNote.count, makerNote) }
        image[0x8769] = .directory(exif)
        if !gps.isEmpty { image[0x8825] = .directory(gps) }
        return try TIFFBuilder.bytes(of: [image], order: order)
    }
}
