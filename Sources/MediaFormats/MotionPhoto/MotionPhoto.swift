// A Motion Photo is one file with a still and a movie: Google's format 1.0 (Android, "Motion Photo format 1.0"), the
// older MicroVideo, and Samsung's trailer.
//
//     JPEG   still, then the movie up to the end of the file; XMP says how long it is
//     HEIC   boxes of the still, then a box `mpvd` with the movie
//
// Other writers append data after the movie, so its own boxes determine where it ends.

/// The ranges of the still and the movie in a Motion Photo's file.
package struct MotionPhoto: Hashable, Sendable {
    /// How the movie was found.
    package enum Form: String, Hashable, Sendable, CaseIterable {
        /// The length in XMP's container directory.
        case containerDirectory
        /// The offset of the older format.
        case microVideo
        /// The `mpvd` box of a HEIC or AVIF file.
        case movieBox
        /// Samsung's trailer.
        case samsungTrailer
    }

    /// How the movie was found.
    package let form: Form
    /// The still: from the first byte of the file; a complete JPEG or HEIC.
    package let still: FileRange
    /// The movie: a complete MP4 or QuickTime file.
    package let movie: FileRange
    /// The still's time in the movie; nil if not given.
    package let stillTime: Duration?
}

extension MotionPhoto {
    /// Finds the movie in a JPEG, HEIC or AVIF file; nil if there is none, or the announced one is not a movie.
    ///
    /// - Throws: only what the source throws.
    package init?(_ source: some ByteSource, limits: ParseLimits = .standard) throws {
        let file = FileRange(wholeFileOf: source.byteCount)
        let head = try source.head(ContentType.sniffedByteCount)
        switch head.withBytes({ ContentType(sniffing: $0) }) {
        case .jpeg: try self.init(jpeg: source, file: file, limits: limits)
        case .heic, .heif, .avif: try self.init(heif: source, limits: limits)
        default: return nil
        }
    }

    private init?(jpeg source: some ByteSource, file: FileRange, limits: ParseLimits) throws {
        let head = try source.jpegHead(limits.packetBytes)
        let properties = head.withBytes { XMPProperties(ofJPEG: $0, limits: limits) } ?? XMPProperties()
        let stillTime = properties.stillTime
        for length in properties.movieLengths where length > 0 && length < file.length {
            guard let movie = try Self.movie(in: FileRange(file.end - length..<file.end), of: source, limits: limits)
            else { continue }
            form = properties.containerItems.isEmpty ? .microVideo : .containerDirectory
            still = FileRange(0..<movie.offset)
            self.movie = movie
            self.stillTime = stillTime
            return
        }
        guard let (trailer, range) = try Self.samsungMovie(in: file, of: source, limits: limits),
            let movie = try Self.movie(in: range, of: source, limits: limits)
        else { return nil }
        form = .samsungTrailer
        still = FileRange(0..<min(trailer.range.offset, movie.offset))
        self.movie = movie
        self.stillTime = stillTime
    }

    private init?(heif source: some ByteSource, limits: ParseLimits) throws {
        let boxes = try FileBoxes(of: source, limits: limits).boxes
        var properties: XMPProperties?
        do {
            properties = try HEIFImage(source, limits: limits).xmp(source, limits: limits)
        } catch is MediaFormatError {
            // The movie has its own box and is found without the description.
            properties = nil
        }
        stillTime = properties?.stillTime
        if let box = boxes.first(ofType: "mpvd"),
            let movie = try Self.movie(in: box.payload, of: source, limits: limits)
        {
            form = .movieBox
            still = FileRange(0..<box.range.offset)
            self.movie = movie
            return
        }
        guard let box = boxes.first(ofType: "sefd"),
            let (_, range) = try Self.samsungMovie(in: box.payload, of: source, limits: limits),
            let movie = try Self.movie(in: range, of: source, limits: limits)
        else { return nil }
        form = .samsungTrailer
        still = FileRange(0..<min(box.range.offset, movie.offset))
        self.movie = movie
    }
}

extension MotionPhoto {
    /// The movie at the beginning of a range, as far as its own boxes go; nil if there is none.
    ///
    /// Data that other writers append after a movie has no printable type where a box has one.
    private static func movie(
        in range: FileRange,
        of source: some ByteSource,
        limits: ParseLimits
    ) throws -> FileRange? {
        let boxes = try FileBoxes(of: source, in: range, limits: limits).boxes.prefix { $0.type.isPrintable }
        guard boxes.first?.type == "ftyp", boxes.contains(where: { $0.type == "moov" }), let last = boxes.last else {
            return nil
        }
        return FileRange(range.offset..<last.range.end)
    }

    /// The trailer at the end of a range, and its movie; nil without either, or if the trailer is broken.
    private static func samsungMovie(
        in range: FileRange,
        of source: some ByteSource,
        limits: ParseLimits
    ) throws -> (trailer: SamsungTrailer, movie: FileRange)? {
        do {
            guard let trailer = try SamsungTrailer(source, in: range, limits: limits),
                let movie = try trailer.movie(in: source)
            else { return nil }
            return (trailer, movie)
        } catch is MediaFormatError {
            return nil
        }
    }
}
