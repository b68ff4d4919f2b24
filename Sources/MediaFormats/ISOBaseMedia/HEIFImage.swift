import PhotoModel

/// A HEIC, HEIF or AVIF file as described by its `meta` box; no picture is decoded.
package struct HEIFImage: Hashable, Sendable {
    /// The brands of `ftyp`, the major one first.
    package let brands: [FourCharacterCode]
    /// The item number of the main picture.
    package let primaryItemID: UInt32
    /// All items, in the order of `iinf`.
    package let items: [HEIFItem]
    /// The properties of items that have any.
    package let properties: [UInt32: HEIFProperties]
    /// The references between items.
    package let references: [HEIFReference]
    /// The file's boxes.
    package let boxes: FileBoxes

    /// Reads the description of a file.
    ///
    /// - Throws: ``MediaFormatError`` if it is not a picture file or the description is broken; what the source throws.
    package init(_ source: some ByteSource, limits: ParseLimits = .standard) throws {
        let boxes = try FileBoxes(of: source, limits: limits)
        let meta = try LoadedBox(try boxes.required("meta"), of: source)
        let brands = try Self.brands(boxes, of: source)
        let file = FileRange(wholeFileOf: source.byteCount)
        self = try meta.bytes.withBytes { bytes throws(MediaFormatError) in
            try HEIFImage(meta, of: bytes, file: file, brands: brands, boxes: boxes, limits: limits)
        }
    }

    private init(
        _ meta: LoadedBox,
        of bytes: RawSpan,
        file: FileRange,
        brands: [FourCharacterCode],
        boxes: FileBoxes,
        limits: ParseLimits
    ) throws(MediaFormatError) {
        let children = try bytes.metaChildren(of: meta.box, limits: limits)
        guard let primary = children.first(ofType: "pitm"), let information = children.first(ofType: "iinf") else {
            throw MediaFormatError(.malformed, "a picture file without primary item", at: meta.fileOffset)
        }
        primaryItemID = try Self.primaryItem(primary, of: bytes)
        var items = try HEIFItem.items(information, of: bytes, limits: limits)
        if let box = children.first(ofType: "iloc") {
            let locations = try HEIFItemLocations(box, of: bytes, limits: limits)
            let itemData = children.first(ofType: "idat").map { meta.fileRange(of: $0.payload) }
            var places: [UInt32: HEIFItemLocations.Entry] = [:]
            for entry in locations.entries { places[entry.itemID] = entry }
            // Any number of items may have one number, and then all extents of its place.
            var extentCount = 0
            for index in items.indices {
                guard let place = places[items[index].id] else { continue }
                extentCount += place.extents.count
                guard extentCount <= limits.segments else {
                    throw MediaFormatError(.limitExceeded, "a picture file has too many extents", at: box.range.offset)
                }
                items[index].construction = place.construction
                items[index].extents = try place.ranges(file: file, itemData: itemData)
            }
        }
        self.items = items
        properties =
            try children.first(ofType: "iprp").map { box throws(MediaFormatError) in
                try HEIFProperties.byItem(box, of: bytes, limits: limits)
            } ?? [:]
        references =
            try children.first(ofType: "iref").map { box throws(MediaFormatError) in
                try HEIFReference.references(box, of: bytes, limits: limits)
            } ?? []
        self.brands = brands
        self.boxes = boxes
    }

    private static func primaryItem(_ box: Box, of bytes: RawSpan) throws(MediaFormatError) -> UInt32 {
        var reader = ByteReader(box.payload)
        let isWide = try FullBoxHeader(&reader, from: bytes).version >= 1
        return try reader.itemNumber(isWide: isWide, from: bytes)
    }

    /// The brands of `ftyp`; at most the first 4 KiB of them.
    private static func brands(_ boxes: FileBoxes, of source: some ByteSource) throws -> [FourCharacterCode] {
        guard let box = boxes.boxes.first(ofType: "ftyp") else { return [] }
        let held = FileRange(box.payload.offset..<min(box.payload.end, box.payload.offset + 4096))
        let bytes = try source.untrustedBytes(in: held, limit: 4096)
        return bytes.withBytes { FileTypeBrands($0, payload: $0.fullRange).all }
    }
}

extension HEIFImage {
    /// The properties of the main picture.
    package var primaryProperties: HEIFProperties { properties[primaryItemID] ?? HEIFProperties() }

    /// The purposes of the file's auxiliary pictures, as URNs.
    package var auxiliaryTypes: [String] {
        let auxiliaries = Set(references.filter { $0.type == "auxl" }.map(\.from))
        return items.filter { auxiliaries.contains($0.id) }.compactMap { properties[$0.id]?.auxiliaryType }
    }

    /// Whether it has depth or disparity, or a portrait matte derived from it.
    package var hasDepth: Bool {
        auxiliaryTypes.contains { type in
            type.hasSuffix(":auxid:2") || type.hasSuffix(":depth") || type.hasSuffix(":disparity")
                || type.hasSuffix(":portraiteffectsmatte")
        }
    }

    /// The item with EXIF about the main picture; one without a reference counts too.
    package var exifItem: HEIFItem? { metadataItem { $0.isExif } }
    /// The item with XMP about the main picture; one without a reference counts too.
    package var xmpItem: HEIFItem? { metadataItem { $0.isXMP } }

    /// The bytes of one of ``items``, with its extents joined.
    ///
    /// - Throws: `limitExceeded`, `truncated`, and what the source throws.
    package func bytes(
        of item: HEIFItem,
        from source: some ByteSource,
        limit: Int = ParseLimits.standard.packetBytes
    ) throws -> [UInt8] {
        var joined: [UInt8] = []
        for extent in item.extents {
            joined += try source.untrustedBytes(in: extent, limit: limit - joined.count)
        }
        return joined
    }

    private func metadataItem(_ isWanted: (HEIFItem) -> Bool) -> HEIFItem? {
        let candidates = items.filter(isWanted)
        let describing = Set(references.filter { $0.type == "cdsc" && $0.to.contains(primaryItemID) }.map(\.from))
        let described = Set(references.filter { $0.type == "cdsc" }.map(\.from))
        return candidates.first { describing.contains($0.id) } ?? candidates.first { !described.contains($0.id) }
    }
}
