/// Removes locations from a TIFF structure in place: offsets of maker notes and image data stay valid.
///
/// Entries that carry a location are removed from their directory, and later entries move up; their values, the GPS
/// directory and its values become zeros. Other makers' maker notes, IPTC and Photoshop blocks, GeoTIFF and DNG private
/// data are removed too: several of them hold locations in unknown places.
struct TIFFLocation {
    private(set) var patches: TIFFPatches
    private let structure: TIFFStructure
    private let limits: ParseLimits

    /// Removed entries of image directories: IPTC, Photoshop, GPS, GeoTIFF, DNG private data.
    private static let imageTags: Set<UInt16> = [
        0x83BB, 0x8649, 0x8825, 0x830E, 0x8480, 0x8482, 0x85D8, 0x87AF, 0x87B0, 0x87B1, 0xC634,
    ]
    private static let xmpTag: UInt16 = 0x02BC

    /// Collects the patches.
    init(_ structure: TIFFStructure, in bytes: RawSpan, limits: ParseLimits) {
        self.structure = structure
        self.limits = limits
        patches = TIFFPatches(of: structure)
        let dropsThumbnail = Self.hasMetadataInThumbnail(structure, in: bytes)
        for directory in structure.directories {
            if directory.kind == .gps || dropsThumbnail && directory.kind == .image(1) {
                erase(directory, in: bytes)
            } else {
                clean(directory, endsChain: dropsThumbnail && directory.kind == .image(0), in: bytes)
            }
        }
    }

    /// Zeroes a whole directory with its values.
    private mutating func erase(_ directory: TIFFDirectory, in bytes: RawSpan) {
        for entry in directory.entries where entry.value.length > 4 { erase(entry.value) }
        if let image = ExifMetadata.thumbnail(directory, of: structure, in: bytes) { erase(image) }
        erase(directory.range)
    }

    private mutating func erase(_ range: FileRange) {
        patches.zero(range)
    }

    /// Rewrites a directory without the removed entries; untouched if there are none.
    private mutating func clean(_ directory: TIFFDirectory, endsChain: Bool, in bytes: RawSpan) {
        var dropped: [TIFFEntry] = []
        for entry in directory.entries where isDropped(entry, of: directory, in: bytes) { dropped.append(entry) }
        if case .image = directory.kind, let entry = directory.entry(Self.xmpTag) { cleanXMP(entry, in: bytes) }
        guard !dropped.isEmpty || endsChain else { return }
        let places = Set(dropped.map(\.range.offset))
        let kept = directory.entries.filter { !places.contains($0.range.offset) }
        // Values first: if a broken file lets them overlap, the directory written later wins.
        for entry in dropped where entry.value.length > 4 { erase(entry.value) }
        var writer = ByteWriter(order: structure.order, capacity: directory.range.length)
        writer.append(UInt16(truncatingIfNeeded: kept.count))
        for entry in kept { try? writer.append(entry.range, of: bytes) }
        writer.append(endsChain ? 0 : directory.next)
        let room = directory.range.length
        let content = writer.bytes.prefix(room)
        patches.append(
            TIFFPatch(range: directory.range, bytes: content + Array(repeating: 0, count: room - content.count))
        )
    }

    private mutating func isDropped(_ entry: TIFFEntry, of directory: TIFFDirectory, in bytes: RawSpan) -> Bool {
        switch directory.kind {
        case .exif:
            guard entry.tag == 0x927C else { return false }
            return !patches.take(entry.value) || AppleMakerNote(bytes, note: entry.value) == nil
        case .image, .subImage:
            guard entry.tag == Self.xmpTag else { return Self.imageTags.contains(entry.tag) }
            return strippedXMP(entry, in: bytes) == nil
        case .gps, .interoperability: return false
        }
    }

    /// An XMP packet keeps its length, padded with spaces.
    private mutating func cleanXMP(_ entry: TIFFEntry, in bytes: RawSpan) {
        guard let packet = strippedXMP(entry, in: bytes) else { return }
        let filling = Array(repeating: UInt8(ascii: " "), count: entry.value.length - packet.count)
        patches.append(TIFFPatch(range: entry.value, bytes: packet + filling))
    }

    private mutating func strippedXMP(_ entry: TIFFEntry, in bytes: RawSpan) -> [UInt8]? {
        guard patches.take(entry.value) else { return nil }
        return XMPLocation.stripped(entry.value, in: bytes, isTrailerRemoved: false, limits: limits)
    }

    private static func hasMetadataInThumbnail(_ structure: TIFFStructure, in bytes: RawSpan) -> Bool {
        guard let directory = structure.directory(.image(1)),
            let thumbnail = ExifMetadata.thumbnail(directory, of: structure, in: bytes)
        else { return false }
        guard let header = try? JPEGHeader(bytes.extracting(thumbnail.bounds)) else { return false }
        return header.segments.contains { $0.marker == .application(1) || $0.marker == .application(13) }
    }
}
