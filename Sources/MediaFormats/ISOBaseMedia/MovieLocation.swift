/// Taking the place out of a movie without moving a byte of its media.
package enum MovieLocation {
    /// Boxes of user data that hold a place: QuickTime's, 3GPP's, dashcams' tables of positions.
    private static let boxTypes: Set<FourCharacterCode> = ["©xyz", "loci", "gps ", "GPS "]
    /// Codecs of tracks that record positions: GoPro's, and Google's camera motion metadata.
    private static let trackCodecs: Set<FourCharacterCode> = ["gpmd", "camm"]
    /// The user type of an XMP packet (ISO 16684-3, table 10).
    static let xmpUserType: UInt128 = 0xBE7A_CFCB_97A9_42E8_9C71_9994_91E3_AFAC

    /// The movie without its place, of the same length.
    ///
    /// Goes through `udta`, the metadata lists, XMP and tracks that record positions, whose samples become zeros. What
    /// cannot be read, and so might hide a place, is blanked as a whole. Pictures and sound stay as they are.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - part: where the movie lies when it is inside another file.
    ///   - limits: how much is read.
    /// - Returns: the new file; the old one as a whole when it names no place.
    /// - Throws: as ``Movie/init(_:in:limits:)``.
    package static func stripped(
        _ source: some ByteSource,
        in part: FileRange? = nil,
        limits: ParseLimits = .standard
    ) throws -> RewrittenFile {
        try patches(source, in: part, limits: limits).applied(toFileOf: source.byteCount)
    }

    static func patches(
        _ source: some ByteSource,
        in part: FileRange?,
        limits: ParseLimits
    ) throws -> FilePatches {
        let file = try FileBoxes(of: source, in: part, limits: limits)
        _ = try file.required("moov")
        var patches = FilePatches()
        for box in file.boxes {
            if box.userType == xmpUserType {
                try patches.removeLocation(fromXMPBox: box, of: source, limits: limits)
            } else if box.type == "moov" || box.type == "meta" || box.type == "udta" {
                let loaded = try LoadedBox(box, of: source)
                var places = MovieLocationSearch(loaded, limits: limits)
                try loaded.bytes.withBytes { bytes throws(MediaFormatError) in try places.search(bytes) }
                patches.append(places.patches)
            }
        }
        return patches
    }

    /// Whether a box of user data holds a place.
    static func isLocation(_ box: Box) -> Bool { boxTypes.contains(box.type) }

    /// Whether a track records positions.
    static func isLocation(_ track: MovieTrack) -> Bool {
        track.codec.map(trackCodecs.contains) == true
            || track.timedKeys.values.contains(where: MovieMetadata.Key.isLocation)
    }
}

/// Finds the places inside one loaded box.
private struct MovieLocationSearch {
    private let loaded: LoadedBox
    private let limits: ParseLimits
    var patches = FilePatches()

    init(_ loaded: LoadedBox, limits: ParseLimits) {
        self.loaded = loaded
        self.limits = limits
    }

    mutating func search(_ bytes: RawSpan) throws(MediaFormatError) {
        switch loaded.box.type {
        case "meta": searchList(loaded.box, bytes)
        case "udta": searchUserData(loaded.box, bytes)
        default: try searchContainer(loaded.box, bytes)
        }
    }

    /// A `moov` or a `trak`.
    private mutating func searchContainer(_ container: Box, _ bytes: RawSpan) throws(MediaFormatError) {
        for child in try bytes.children(of: container, limits: limits) {
            switch child.type {
            case "udta": searchUserData(child, bytes)
            case "meta": searchList(child, bytes)
            case "trak": try searchTrack(child, bytes)
            case "uuid" where child.userType == MovieLocation.xmpUserType: searchXMP(child, bytes)
            default:
                if MovieLocation.isLocation(child) { free(child) }
            }
        }
    }

    private mutating func searchTrack(_ box: Box, _ bytes: RawSpan) throws(MediaFormatError) {
        let track = try MovieTrack(box, of: bytes, limits: limits)
        guard MovieLocation.isLocation(track) else {
            for child in try bytes.children(of: box, limits: limits) {
                if child.type == "udta" { searchUserData(child, bytes) }
                if child.type == "meta" { searchList(child, bytes) }
            }
            return
        }
        if let mediaBox = try bytes.children(of: box, limits: limits).first(ofType: "mdia") {
            let media = try bytes.children(of: mediaBox, limits: limits)
            if let table = try MovieTrack.sampleTable(media, of: bytes, limits: limits) {
                for range in try table.sampleRanges(of: bytes) { patches.zero(range) }
            }
        }
        free(box)
    }

    private mutating func searchUserData(_ box: Box, _ bytes: RawSpan) {
        guard let children = try? bytes.children(of: box, limits: limits) else { return free(box) }
        for child in children {
            switch child.type {
            case "meta": searchList(child, bytes)
            case "XMP_": searchXMP(child, bytes)
            default:
                if MovieLocation.isLocation(child) { free(child) }
            }
        }
    }

    private mutating func searchList(_ meta: Box, _ bytes: RawSpan) {
        do throws(MediaFormatError) {
            if let list = try MetadataList.withoutLocation(meta, of: bytes, limits: limits) {
                patches.replace(at: loaded.fileRange(of: meta.range).offset, with: list)
            }
        } catch {
            free(meta)
        }
    }

    private mutating func searchXMP(_ box: Box, _ bytes: RawSpan) {
        patches.removeLocation(
            fromXMP: box.payload,
            of: bytes,
            fileOffset: loaded.fileOffset,
            limits: limits
        )
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
