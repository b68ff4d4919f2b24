// Stills, whose image data is left unchanged, byte for byte.

extension MetadataRemoval {
    /// Returns a whole JPEG, PNG, WebP, GIF, JPEG XL, TIFF or DNG file without the part; all its image data are ranges
    /// of the old one.
    ///
    /// Unreadable metadata is removed entirely: a location hidden in broken metadata is still a location. So are unknown
    /// kinds of segments, chunks and boxes, and anything after the image, such as a movie with its own location.
    /// Without captions, EXIF and TIFF directories stay, with their texts emptied; XMP, IPTC, comments and text chunks
    /// are removed entirely.
    ///
    /// - Throws: `unrecognizedFormat` or, for captions, `unsupported` for other containers, errors of reading the
    ///   container, and `malformed` for a TIFF file whose metadata overlaps its image.
    package func stripped(
        _ bytes: RawSpan,
        limits: ParseLimits = .standard
    ) throws(MediaFormatError) -> RewrittenFile {
        switch StillMetadata.container(of: bytes) {
        case .jpeg: return try strippedJPEG(bytes, limits: limits)
        case .png: return try strippedPNG(bytes, limits: limits)
        case .webp: return try strippedWebP(bytes, limits: limits)
        case .tiff: return try strippedTIFF(bytes, limits: limits)
        case nil where GIFFile.isBeginning(bytes): return try strippedGIF(bytes, limits: limits)
        case nil where JPEGXLFile.isBeginning(bytes): return try strippedJPEGXL(bytes, limits: limits)
        case nil: break
        }
        guard self == .location else {
            throw MediaFormatError(.unsupported, "captions cannot be found in this container")
        }
        throw MediaFormatError(.unrecognizedFormat, "not a JPEG, PNG, WebP, GIF, JPEG XL or TIFF file", at: 0)
    }

    /// A copy of a TIFF block without the part; nil if it cannot be read and must be removed entirely.
    func exif(_ block: FileRange, in bytes: RawSpan, limits: ParseLimits) -> [UInt8]? {
        TIFFPatch.patched(block, in: bytes, limits: limits) { patches(of: $0, in: bytes, limits: limits) }
    }

    /// What to change in a TIFF structure.
    private func patches(of structure: TIFFStructure, in bytes: RawSpan, limits: ParseLimits) -> TIFFPatches {
        switch self {
        case .location: TIFFLocation(structure, in: bytes, limits: limits).patches
        case .captions: TIFFCaptions.patches(structure, in: bytes)
        }
    }

    /// A copy of an XMP packet without the part; nil to remove it entirely.
    private func xmp(_ packet: FileRange, in bytes: RawSpan, limits: ParseLimits) -> [UInt8]? {
        switch self {
        case .location: XMPLocation.stripped(packet, in: bytes, isTrailerRemoved: true, limits: limits)
        case .captions: nil
        }
    }
}

// MARK: JPEG
extension MetadataRemoval {
    /// Segments needed to show the picture stay, anything after it is removed.
    private func strippedJPEG(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let layout = try JPEGLayout(bytes, limits: limits)
        var file = RewrittenFile()
        for (index, segment) in layout.segments.enumerated() {
            if !segment.marker.isMetadata || Self.isNeededToShow(segment, in: bytes) {
                file.append(segment.range)
            } else {
                try appendMetadata(segment, to: &file, in: bytes, limits: limits)
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

    private func appendMetadata(
        _ segment: JPEGSegment,
        to file: inout RewrittenFile,
        in bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) {
        func has(_ prefix: StaticString) -> Bool { bytes.hasPrefix(prefix, at: segment.payload.offset) }
        func body(_ prefix: StaticString) -> FileRange { segment.payload.dropping(prefix.utf8CodeUnitCount) }
        switch segment.marker.rawValue {
        case JPEGMarker.comment.rawValue where self == .location:
            file.append(segment.range)
        case 0xE1 where has(JPEGPrefix.exif):
            if let block = exif(body(JPEGPrefix.exif), in: bytes, limits: limits) {
                file.append(try JPEGMetadataEdit.segment(JPEGPrefix.exif, block))
            }
        case 0xE1 where has(JPEGPrefix.xmp):
            if let new = xmp(body(JPEGPrefix.xmp), in: bytes, limits: limits) {
                file.append(try JPEGMetadataEdit.segment(JPEGPrefix.xmp, new))
            }
        case 0xED where self == .location && has(JPEGPrefix.photoshop):
            if let blocks = PhotoshopResources.strippingLocation(body(JPEGPrefix.photoshop), in: bytes) {
                file.append(try JPEGMetadataEdit.segment(.application(13), JPEGPrefix.photoshop, blocks))
            }
        default:
            break
        }
    }
}

// MARK: PNG and WebP
extension MetadataRemoval {
    private static let keptPNGChunks: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "acTL", "fcTL", "fdAT", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP",
        "mDCV", "cLLI", "bKGD", "hIST", "pHYs", "sPLT", "tIME",
    ]

    /// The keywords that the PNG specification defines; none of them carries a location.
    private static let keptPNGTexts: Set<String> = [
        "Title", "Author", "Description", "Copyright", "Creation Time", "Software", "Disclaimer", "Warning", "Source",
        "Comment",
    ]

    private func strippedPNG(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let png = try PNGFile(bytes, limits: limits)
        var file = RewrittenFile()
        file.append(FileRange(0..<8))
        for chunk in png.chunks {
            if Self.keptPNGChunks.contains(chunk.type) {
                file.append(chunk.range)
            } else if chunk.type == "eXIf" {
                if let block = exif(chunk.data, in: bytes, limits: limits) {
                    file.append(try PNGFile.chunk(chunk.type, block))
                }
            } else if let packet = png.xmpPacket(of: chunk, in: bytes) {
                if let new = xmp(packet, in: bytes, limits: limits) { file.append(try PNGFile.xmpChunk(new)) }
            } else if self == .location, let keyword = png.keyword(of: chunk, in: bytes),
                Self.keptPNGTexts.contains(keyword)
            {
                file.append(chunk.range)
            }
        }
        return file
    }

    private static let keptWebPChunks: Set<String> = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]

    /// Removed EXIF and XMP leave an empty chunk, so that the VP8X flags stay true.
    private func strippedWebP(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let webp = try WebPFile(bytes, limits: limits)
        var body = RewrittenFile()
        for chunk in webp.chunks {
            switch chunk.type {
            case "EXIF":
                let block = exif(chunk.exifBlock(in: bytes), in: bytes, limits: limits)
                body.append(try WebPFile.chunk(chunk.type, block ?? []))
            case "XMP ":
                body.append(try WebPFile.chunk(chunk.type, xmp(chunk.data, in: bytes, limits: limits) ?? []))
            case _ where Self.keptWebPChunks.contains(chunk.type):
                body.append(chunk.range)
                if (chunk.range.length & 1) == 1 { body.append([0]) }
            default:
                break
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
extension MetadataRemoval {
    /// What shows the frames stays, unknown extensions and a trailer are removed.
    private func strippedGIF(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let gif = try GIFLayout(bytes, limits: limits)
        var file = RewrittenFile()
        file.append(gif.header)
        for block in gif.blocks {
            switch block.kind {
            case .frame, .control, .repetition, .colorProfile, .end: file.append(block.range)
            case .plainText, .comment: if self == .location { file.append(block.range) }
            case .xmp:
                if let packet = GIFLayout.xmpPacket(of: block, in: bytes),
                    let new = xmp(packet, in: bytes, limits: limits), let replaced = try? GIFLayout.xmpBlock(new)
                {
                    file.append(replaced)
                }
            case .unknown: break
            }
        }
        return file
    }
}

// MARK: JPEG XL
extension MetadataRemoval {
    /// The codestream, which has no metadata, stays.
    ///
    /// Compressed metadata (`brob`) is removed unread. So is what restores the JPEG from which the picture was made
    /// (`jbrd`): it holds all of that JPEG's segments.
    private func strippedJPEGXL(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let boxes = try JPEGXLFile.boxes(bytes, limits: limits)
        var file = RewrittenFile()
        if boxes.isEmpty { file.append(bytes.fullRange) }
        for box in boxes {
            switch box.type {
            case "JXL ", "ftyp", "jxll", "jxli", "jxlc", "jxlp":
                file.append(box.range)
            case "Exif":
                guard let old = bytes.tiffBlock(ofExif: box.payload), let new = exif(old, in: bytes, limits: limits)
                else { continue }
                file.append(Self.box("Exif", [0, 0, 0, 0] + new))
            case "xml ":
                guard let new = xmp(box.payload, in: bytes, limits: limits) else { continue }
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
extension MetadataRemoval {
    private func strippedTIFF(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let tiff = try TIFFFile(bytes, limits: limits)
        return try tiff.applying(patches(of: tiff.structure, in: bytes, limits: limits), to: bytes, limits: limits)
    }
}
