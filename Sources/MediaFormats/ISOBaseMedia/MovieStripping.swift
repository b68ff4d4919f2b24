/// Removes the location, or people's texts, from a movie without moving a byte of its media.
package enum MovieStripping {
    /// The user type of an XMP packet (ISO 16684-3, table 10).
    static let xmpUserType: UInt128 = 0xBE7A_CFCB_97A9_42E8_9C71_9994_91E3_AFAC

    /// The movie without the part, of the same length, or unchanged; throws as ``Movie/init(_:in:limits:)``.
    ///
    /// The location is removed from `udta`, the metadata lists, XMP and tracks that record positions, whose samples
    /// become zeros; unreadable parts, which might hide one, are blanked entirely. Without people's texts, only the
    /// camera's own fields and the location are kept of `udta` and the metadata lists, and XMP and unknown boxes are
    /// removed. Pictures, sound and subtitles are unchanged.
    package static func stripped(
        _ source: some ByteSource,
        of removal: MetadataRemoval,
        limits: ParseLimits = .standard
    ) throws -> RewrittenFile {
        try patches(source, removing: removal, limits: limits).applied(toFileOf: source.byteCount)
    }

    /// The patches of a movie, which may be embedded in another file.
    static func patches(
        _ source: some ByteSource,
        in part: FileRange? = nil,
        removing removal: MetadataRemoval,
        limits: ParseLimits
    ) throws -> FilePatches {
        let file = try FileBoxes(of: source, in: part, limits: limits)
        _ = try file.required("moov")
        var patches = FilePatches()
        var sampleCount = 0
        for box in file.boxes {
            if box.type == "moov" || box.type == "meta" || box.type == "udta" {
                let loaded = try LoadedBox(box, of: source)
                var search = MovieMetadataSearch(loaded, removing: removal, after: sampleCount, limits: limits)
                try loaded.bytes.withBytes { bytes throws(MediaFormatError) in try search.search(bytes) }
                sampleCount = search.sampleCount
                patches.append(search.patches)
            } else if removal == .captions, box.type == "uuid" {
                patches.free(box)
            } else if box.userType == xmpUserType {
                try patches.removeLocation(fromXMPBox: box, of: source, limits: limits)
            }
        }
        return patches
    }
}

/// Finds what to remove inside one loaded box.
private struct MovieMetadataSearch {
    private let loaded: LoadedBox
    private let removal: MetadataRemoval
    private let limits: ParseLimits
    var patches = FilePatches()
    /// The removed tracks' samples: a track of a few hundred bytes may have millions.
    private(set) var sampleCount: Int

    init(_ loaded: LoadedBox, removing removal: MetadataRemoval, after sampleCount: Int, limits: ParseLimits) {
        self.loaded = loaded
        self.removal = removal
        self.sampleCount = sampleCount
        self.limits = limits
    }

    mutating func search(_ bytes: RawSpan) throws(MediaFormatError) {
        switch loaded.box.type {
        case "meta": searchList(loaded.box, bytes)
        case "udta": searchUserData(loaded.box, bytes)
        default: try searchMovie(loaded.box, bytes)
        }
    }

    private mutating func searchMovie(_ movie: Box, _ bytes: RawSpan) throws(MediaFormatError) {
        for child in try bytes.children(of: movie, limits: limits) {
            switch child.type {
            case "udta": searchUserData(child, bytes)
            case "meta": searchList(child, bytes)
            case "trak": try searchTrack(child, bytes)
            case "uuid" where removal == .captions: free(child)
            case "uuid" where child.userType == MovieStripping.xmpUserType: searchXMP(child, bytes)
            default:
                // Outside the movie's own boxes only locations can occur here.
                if removal == .location, removal.removes(child) { free(child) }
            }
        }
    }

    private mutating func searchTrack(_ box: Box, _ bytes: RawSpan) throws(MediaFormatError) {
        let track = try MovieTrack(box, of: bytes, limits: limits)
        guard removal.removes(track) else {
            for child in try bytes.children(of: box, limits: limits) {
                if child.type == "udta" { searchUserData(child, bytes) }
                if child.type == "meta" { searchList(child, bytes) }
            }
            return
        }
        if let mediaBox = try bytes.children(of: box, limits: limits).first(ofType: "mdia") {
            let media = try bytes.children(of: mediaBox, limits: limits)
            if let table = try MovieTrack.sampleTable(media, of: bytes, limits: limits) {
                let ranges = try table.sampleRanges(of: bytes)
                sampleCount += ranges.count
                guard sampleCount <= limits.tableEntries else {
                    throw MediaFormatError(.limitExceeded, "a movie has too many positions", at: box.range.offset)
                }
                for range in ranges { patches.zero(range) }
            }
        }
        free(box)
    }

    private mutating func searchUserData(_ box: Box, _ bytes: RawSpan) {
        guard let children = try? bytes.children(of: box, limits: limits) else { return free(box) }
        for child in children {
            switch child.type {
            case "meta": searchList(child, bytes)
            case "XMP_" where removal == .location: searchXMP(child, bytes)
            default:
                if removal.removes(child) { free(child) }
            }
        }
    }

    private mutating func searchList(_ meta: Box, _ bytes: RawSpan) {
        do throws(MediaFormatError) {
            if let list = try MetadataList.removing(removal, from: meta, of: bytes, limits: limits) {
                patches.replace(at: loaded.fileRange(of: meta.range).offset, with: list)
            }
        } catch {
            free(meta)
        }
    }

    private mutating func searchXMP(_ box: Box, _ bytes: RawSpan) {
        patches.removeLocation(fromXMP: box.payload, of: bytes, fileOffset: loaded.fileOffset, limits: limits)
    }

    private mutating func free(_ box: Box) {
        patches.free(
            Box(
                type: box.type,
                range: loaded.fileRange(of: box.range),
                headerLength: box.headerLength,
                userType: box.userType
            )
        )
    }
}
