extension MotionPhoto {
    /// The beginning of a Motion Photo: a JPEG, HEIC or AVIF still with the needed properties, up to where the
    /// `.mpeg4Movie` or `.quickTimeMovie` follows.
    ///
    /// Write the pieces, then the movie's bytes, and nothing after. A movie already in the file is replaced. For JPEG
    /// the properties of the older MicroVideo are written too, since many readers know only those.
    ///
    /// - Throws: `unsupported` for other kinds of still or movie, or an empty movie; `unrepresentable` if the properties do not fit the
    ///   still's format; ``MediaFormatError`` for a broken still, and what the source throws.
    package static func beginning(
        still source: some ByteSource,
        movieByteCount: Int,
        movieType: ContentType,
        stillTime: Duration?,
        limits: ParseLimits = .standard
    ) throws -> RewrittenFile {
        guard movieType.isMovie, movieByteCount > 0 else {
            throw MediaFormatError(.unsupported, "a Motion Photo's movie is MP4 or QuickTime")
        }
        let movie = XMPContainerItem(mime: movieType.mediaType, semantic: semantic, length: movieByteCount)
        let head = try source.head(limits.packetBytes)
        let stillType = head.withBytes { ContentType(sniffing: $0) }
        switch stillType {
        case .jpeg:
            let end = try MotionPhoto(source, limits: limits)?.still.end ?? source.byteCount
            return try head.withBytes { bytes throws(MediaFormatError) in
                try beginning(jpeg: bytes, byteCount: end, movie: movie, stillTime: stillTime, limits: limits)
            }
        case .heic, .heif, .avif:
            return try beginning(heif: source, type: stillType, movie: movie, stillTime: stillTime, limits: limits)
        default:
            throw MediaFormatError(.unsupported, "a Motion Photo's still is JPEG, HEIC or AVIF")
        }
    }

    private static func beginning(
        jpeg bytes: RawSpan,
        byteCount: Int,
        movie: XMPContainerItem,
        stillTime: Duration?,
        limits: ParseLimits
    ) throws(MediaFormatError) -> RewrittenFile {
        let range = try JPEGHeader(bytes, limits: limits).xmpPackets(in: bytes).first
        var old: [UInt8]?
        if let range { old = try bytes.copyBytes(in: range, limit: limits.packetBytes) }
        let primary = XMPContainerItem(mime: ContentType.jpeg.mediaType, semantic: primarySemantic)
        var added = properties(
            primary: primary,
            movie: movie,
            others: XMPProperties(ofJPEG: bytes, limits: limits)?.containerItems ?? [],
            stillTime: stillTime
        )
        added.motionPhoto.microVideo = 1
        added.motionPhoto.microVideoVersion = 1
        added.motionPhoto.microVideoOffset = movie.length
        let edit = JPEGMetadataEdit(xmp: .replace(packet(extending: old, with: added, limits: limits)))
        return try edit.applied(to: bytes, fileLength: byteCount)
    }

    private static func beginning(
        heif source: some ByteSource,
        type: ContentType,
        movie: XMPContainerItem,
        stillTime: Duration?,
        limits: ParseLimits
    ) throws -> RewrittenFile {
        let image = try HEIFImage(source, limits: limits)
        let old = try image.xmpItem.map { try image.bytes(of: $0, from: source, limit: limits.packetBytes) }
        var header = ByteWriter()
        header.appendBoxHeader("mpvd", payloadLength: movie.length)
        // The padding after the picture is the header of the movie's box.
        let primary = XMPContainerItem(mime: type.mediaType, semantic: primarySemantic, padding: header.count)
        let others = try image.xmp(source, limits: limits)?.containerItems ?? []
        let added = properties(primary: primary, movie: movie, others: others, stillTime: stillTime)
        let packet = packet(extending: old, with: added, limits: limits)
        var file = try image.withXMP(packet, source, limits: limits)
        file.append(header.bytes)
        return file
    }

    private static let primarySemantic = "Primary"

    private static func properties(
        primary: XMPContainerItem,
        movie: XMPContainerItem,
        others: [XMPContainerItem],
        stillTime: Duration?
    ) -> XMPProperties {
        var properties = XMPProperties()
        properties.motionPhoto.motionPhoto = 1
        properties.motionPhoto.version = 1
        properties.motionPhoto.presentationTimestampMicroseconds = stillTime.map(microseconds) ?? -1
        let between = others.filter { $0.semantic != primarySemantic && $0.semantic != semantic }
        properties.containerItems = [primary] + between + [movie]
        return properties
    }

    private static func microseconds(_ time: Duration) -> Int {
        MediaTime(nearest: time, timescale: 1_000_000).flatMap { Int(exactly: $0.value) } ?? -1
    }
}
