/// Removes locations from an XMP packet.
enum XMPLocation {
    /// The packet without any property that carries a location, byte for byte the same elsewhere; nil if it cannot be
    /// read and must be removed entirely.
    ///
    /// If the data after the image is removed too, so are properties about it.
    static func stripped(
        _ packet: FileRange,
        in bytes: RawSpan,
        isTrailerRemoved: Bool,
        limits: ParseLimits
    ) -> [UInt8]? {
        guard packet.length <= limits.packetBytes,
            let tree = try? XMLTree(bytes, document: packet, limits: limits)
        else { return nil }
        var writer = ByteWriter(capacity: packet.length)
        var position = packet.offset
        for cut in cuts(in: tree, isTrailerRemoved: isTrailerRemoved) where cut.offset >= position {
            guard (try? writer.append(FileRange(position..<cut.offset), of: bytes)) != nil else { return nil }
            position = cut.end
        }
        guard (try? writer.append(FileRange(position..<packet.end), of: bytes)) != nil else { return nil }
        return writer.bytes
    }

    /// The ranges to cut, in ascending order; inner ones may follow the outer one that contains them.
    private static func cuts(in tree: XMLTree, isTrailerRemoved: Bool) -> [FileRange] {
        var cuts: [FileRange] = []
        for element in tree.elements {
            if goes(element.name, isTrailerRemoved: isTrailerRemoved) { cuts.append(element.range) }
            for attribute in element.attributes where goes(attribute.name, isTrailerRemoved: isTrailerRemoved) {
                cuts.append(attribute.range)
            }
        }
        return cuts.sorted { ($0.offset, -$0.length) < ($1.offset, -$1.length) }
    }

    private static let placeNames: Set<String> = [
        "city", "state", "provincestate", "country", "countrycode", "countryname", "sublocation", "worldregion",
    ]

    private static func goes(_ name: XMLName, isTrailerRemoved: Bool) -> Bool {
        let local = name.local.lowercased()
        if local.hasPrefix("gps") || placeNames.contains(local) { return true }
        if ["latitude", "longitude", "location"].contains(where: { local.contains($0) }) { return true }
        // Extended XMP is removed together with its reference: it is not parsed, so its contents are unknown.
        if name == XMLName(.xmpNote, "HasExtendedXMP") { return true }
        guard isTrailerRemoved else { return false }
        return name.namespace == .googleContainer
            || name.namespace == .googleCamera
                && (local.hasPrefix("motionphoto") || local.hasPrefix("microvideo"))
    }
}
