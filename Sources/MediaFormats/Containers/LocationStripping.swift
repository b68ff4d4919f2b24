/// Removes every location from a still's file, leaving its image data unchanged, byte for byte.
///
/// Unreadable metadata is removed entirely: a location hidden in broken metadata is still a location. So are unknown
/// kinds of segments, chunks and boxes, and anything after the image, such as a movie with its own location.
package enum LocationStripping {
    /// Returns a whole JPEG, PNG, WebP, GIF, JPEG XL, TIFF or DNG file without locations; all its image data are ranges
    /// of the old one.
    ///
    /// - Throws: `unrecognizedFormat` for other containers, errors of reading the container, and `malformed` for a TIFF
    ///   file whose metadata overlaps its image.
    package static func stripped(
        _ bytes: RawSpan,
        limits: ParseLimits = .standard
    ) throws(MediaFormatError) -> RewrittenFile {
        switch StillMetadata.container(of: bytes) {
        case .jpeg: try strippedJPEG(bytes, limits: limits)
        case .png: try strippedPNG(bytes, limits: limits)
        case .webp: try strippedWebP(bytes, limits: limits)
        case .tiff: try strippedTIFF(bytes, limits: limits)
        case nil where GIFFile.isBeginning(bytes): try strippedGIF(bytes, limits: limits)
        case nil where JPEGXLFile.isBeginning(bytes): try strippedJPEGXL(bytes, limits: limits)
        case nil: throw MediaFormatError(.unrecognizedFormat, "not a JPEG, PNG, WebP, GIF, JPEG XL or TIFF file", at: 0)
        }
    }
}

// MARK: JPEG
extension LocationStripping {
    private static func strippedJPEG(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        try rewrittenJPEG(bytes, limits: limits) { segment, file throws(MediaFormatError) in
            try appendMetadata(segment, to: &file, in: bytes, limits: limits)
        }
    }

    /// A JPEG file with replaced metadata; segments needed to show the picture stay, anything after it is removed.
    static func rewrittenJPEG(
        _ bytes: RawSpan,
        limits: ParseLimits,
        metadata: (JPEGSegment, inout RewrittenFile) throws(MediaFormatError) -> Void
    ) throws(MediaFormatError) -> RewrittenFile {
        let layout = try JPEGLayout(bytes, limits: limits)
        var file = RewrittenFile()
        for (index, segment) in layout.segments.enumerated() {
            if !segment.marker.isMetadata || isNeededToShow(segment, in: bytes) {
                file.append(segment.range)
            } else {
                try metadata(segment, &file)
            }
            if segment.marker == .startOfScan {
                let isLast = index + 1 == layout.segments.count
                let next = isLast ? layout.endOfImage : layout.segments[index + 1].range.offset
                file.append(FileRange(segment.range.end..<max(segment.range.end, next)))
            }
        }
        return file
    }

    /// Whether a segment affects how the picture is shown: JFIF, the colour profile, Photoshop's hints for decoders.
    private static func isNeededToShow(_ segment: JPEGSegment, in bytes: RawSpan) -> Bool {
        func has(_ prefix: StaticString) -> Bool { bytes.hasPrefix(prefix, at: segment.payload.offset) }
        return switch segment.marker.rawValue {
        case 0xE0: has(JPEGPrefix.jfif) || has(JPEGPrefix.jfifExtension)
        case 0xE2: has(JPEGPrefix.colorProfile)
        case 0xEC: has(JPEGPrefix.ducky)
        case 0xEE: has(JPEGPrefix.adobe)
        default: false
        }
    }

    private static func appendMetadata(
        _ segment: JPEGSegment,
        to file: inout RewrittenFile,
        in bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) {
        func has(_ prefix: StaticString) -> Bool { bytes.hasPrefix(prefix, at: segment.payload.offset) }
        func body(_ prefix: StaticString) -> FileRange { segment.payload.dropping(prefix.utf8CodeUnitCount) }
        switch segment.marker.rawValue {
        case JPEGMarker.comment.rawValue:
            file.append(segment.range)
        case 0xE1 where has(JPEGPrefix.exif):
            if let block = TIFFLocation.stripped(body(JPEGPrefix.exif), in: bytes, limits: limits) {
                file.append(try JPEGMetadataEdit.segment(JPEGPrefix.exif, block))
            }
        case 0xE1 where has(JPEGPrefix.xmp):
            let packet = body(JPEGPrefix.xmp)
            if let new = XMPLocation.stripped(packet, in: bytes, isTrailerRemoved: true, limits: limits) {
                file.append(try JPEGMetadataEdit.segment(JPEGPrefix.xmp, new))
            }
        case 0xED where has(JPEGPrefix.photoshop):
            if let blocks = PhotoshopResources.strippingLocation(body(JPEGPrefix.photoshop), in: bytes) {
                file.append(try JPEGMetadataEdit.segment(.application(13), JPEGPrefix.photoshop, blocks))
            }
        default:
            break
        }
    }
}

// MARK: PNG and WebP
extension LocationStripping {
    static let keptPNGChunks: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "acTL", "fcTL", "fdAT", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP",
        "mDCV", "cLLI", "bKGD", "hIST", "pHYs", "sPLT", "tIME",
    ]

    /// The keywords that the PNG specification defines; none of them carries a location.
    private static let keptPNGTexts: Set<String> = [
        "Title", "Author", "Description", "Copyright", "Creation Time", "Software", "Disclaimer", "Warning", "Source",
        "Comment",
    ]

    private static func strippedPNG(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let png = try PNGFile(bytes, limits: limits)
        var file = RewrittenFile()
        file.append(FileRange(0..<8))
        for chunk in png.chunks {
            if keptPNGChunks.contains(chunk.type) {
                file.append(chunk.range)
            } else if chunk.type == "eXIf" {
                if let block = TIFFLocation.stripped(chunk.data, in: bytes, limits: limits) {
                    file.append(try PNGFile.chunk(chunk.type, block))
                }
            } else if let packet = png.xmpPacket(of: chunk, in: bytes) {
                if let new = XMPLocation.stripped(packet, in: bytes, isTrailerRemoved: true, limits: limits) {
                    file.append(try PNGFile.xmpChunk(new))
                }
            } else if let keyword = png.keyword(of: chunk, in: bytes), keptPNGTexts.contains(keyword) {
                file.append(chunk.range)
            }
        }
        return file
    }

    private static let keptWebPChunks: Set<String> = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]

    private static func strippedWebP(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        try rewrittenWebP(bytes, limits: limits) { chunk in
            guard chunk.type == "EXIF" else {
                return XMPLocation.stripped(chunk.data, in: bytes, isTrailerRemoved: true, limits: limits) ?? []
            }
            return TIFFLocation.stripped(chunk.exifBlock(in: bytes), in: bytes, limits: limits) ?? []
        }
    }

    /// A WebP file with replaced EXIF and XMP; removed ones leave an empty chunk, so that the VP8X flags stay true.
    static func rewrittenWebP(
        _ bytes: RawSpan,
        limits: ParseLimits,
        metadata: (WebPFile.Chunk) -> [UInt8]
    ) throws(MediaFormatError) -> RewrittenFile {
        let webp = try WebPFile(bytes, limits: limits)
        var body = RewrittenFile()
        for chunk in webp.chunks {
            if chunk.type == "EXIF" || chunk.type == "XMP " {
                body.append(try WebPFile.chunk(chunk.type, metadata(chunk)))
            } else if keptWebPChunks.contains(chunk.type) {
                body.append(chunk.range)
                if (chunk.range.length & 1) == 1 { body.append([0]) }
            }
        }
        guard let size = UInt32(exactly: body.byteCount + 4) else {
            throw MediaFormatError(.unrepresentable, "a RIFF file cannot be larger than 4 GiB")
        }
        var head = ByteWriter(order: .littleEndian)
        head.append("RIFF")
        head.append(size)
        head.append("WEBP")
        var file = RewrittenFile()
        file.append(head.bytes)
        for piece in body.pieces { file.append(piece) }
        return file
    }
}

// MARK: GIF
extension LocationStripping {
    private static func strippedGIF(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        try rewrittenGIF(bytes, limits: limits) { block, file in
            if block.kind != .xmp {
                file.append(block.range)
            } else if let packet = GIFLayout.xmpPacket(of: block, in: bytes),
                let new = XMPLocation.stripped(packet, in: bytes, isTrailerRemoved: true, limits: limits),
                let xmp = try? GIFLayout.xmpBlock(new)
            {
                file.append(xmp)
            }
        }
    }

    /// A GIF with replaced texts and XMP; what shows the frames stays, unknown extensions and a trailer are removed.
    static func rewrittenGIF(
        _ bytes: RawSpan,
        limits: ParseLimits,
        metadata: (GIFLayout.Block, inout RewrittenFile) -> Void
    ) throws(MediaFormatError) -> RewrittenFile {
        let gif = try GIFLayout(bytes, limits: limits)
        var file = RewrittenFile()
        file.append(gif.header)
        for block in gif.blocks {
            switch block.kind {
            case .frame, .control, .repetition, .colorProfile, .end: file.append(block.range)
            case .plainText, .comment, .xmp: metadata(block, &file)
            case .unknown: break
            }
        }
        return file
    }
}

// MARK: JPEG XL
extension LocationStripping {
    private static func strippedJPEGXL(
        _ bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> RewrittenFile {
        try rewrittenJPEGXL(bytes, limits: limits) { block in
            TIFFLocation.stripped(block, in: bytes, limits: limits)
        } xmp: { packet in
            XMPLocation.stripped(packet, in: bytes, isTrailerRemoved: true, limits: limits)
        }
    }

    /// A JPEG XL file with replaced EXIF and XMP, by a closure for each old one's range, nil to remove it; the
    /// codestream, which has no metadata, stays.
    ///
    /// Compressed metadata (`brob`) is removed unread. So is what restores the JPEG from which the picture was made
    /// (`jbrd`): it holds all of that JPEG's segments.
    static func rewrittenJPEGXL(
        _ bytes: RawSpan,
        limits: ParseLimits,
        exif: (FileRange) -> [UInt8]?,
        xmp: (FileRange) -> [UInt8]?
    ) throws(MediaFormatError) -> RewrittenFile {
        let boxes = try JPEGXLFile.boxes(bytes, limits: limits)
        var file = RewrittenFile()
        if boxes.isEmpty { file.append(bytes.fullRange) }
        for box in boxes {
            switch box.type {
            case "JXL ", "ftyp", "jxll", "jxli", "jxlc", "jxlp":
                file.append(box.range)
            case "Exif":
                guard let old = bytes.tiffBlock(ofExif: box.payload), let new = exif(old) else { continue }
                file.append(Self.box("Exif", [0, 0, 0, 0] + new))
            case "xml ":
                guard let new = xmp(box.payload) else { continue }
                file.append(Self.box("xml ", new))
            default:
                break
            }
        }
        return file
    }

    private static func box(_ type: FourCharacterCode, _ payload: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: payload.count + Box.shortestHeader)
        writer.appendBox(type) { $0.append(payload) }
        return writer.bytes
    }
}

// MARK: TIFF
extension LocationStripping {
    private static func strippedTIFF(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let tiff = try TIFFFile(bytes, limits: limits)
        let places = TIFFLocation(tiff.structure, in: bytes, limits: limits)
        return try tiff.applying(places.patches, to: bytes, limits: limits)
    }
}
