/// Taking the place out of metadata blocks where they lie.
extension FilePatches {
    /// Adds the patches of another set.
    mutating func append(_ other: FilePatches) {
        patches += other.patches
    }

    /// The same patches for bytes that lie in a file as several extents, one after the other.
    func mapped(through extents: [FileRange]) -> FilePatches {
        var mapped = FilePatches()
        for patch in patches {
            var start = 0
            for extent in extents {
                let low = max(patch.range.offset, start)
                let high = min(patch.range.end, start + extent.length)
                if low < high {
                    let place = FileRange(extent.offset + low - start..<extent.offset + high - start)
                    switch patch.content {
                    case .zeros: mapped.zero(place)
                    case .bytes(let bytes):
                        let offset = patch.range.offset
                        mapped.replace(at: place.offset, with: Array(bytes[low - offset..<high - offset]))
                    }
                }
                start += extent.length
            }
        }
        return mapped
    }

    /// Takes the GPS directories out of a TIFF structure: their bytes and values become zeros, the entries that point
    /// to them go, and twelve zeros stand behind the directory they were in. Nothing else moves.
    ///
    /// - Parameters:
    ///   - block: the structure, from its byte order mark.
    ///   - bytes: what holds it.
    ///   - limits: how much is read.
    mutating func removeLocation(fromTIFF block: FileRange, of bytes: RawSpan, limits: ParseLimits) {
        guard let structure = try? TIFFStructure(bytes, block: block, limits: limits) else {
            // What cannot be read might hide a place.
            return zero(block)
        }
        for directory in structure.directories {
            if directory.kind == .gps {
                zero(directory.range)
                for entry in directory.entries { zero(entry.value) }
            } else if directory.entry(Self.gpsPointer) != nil {
                removeEntry(Self.gpsPointer, from: directory.range, order: structure.order, of: bytes)
            }
        }
    }

    private static let gpsPointer: UInt16 = 0x8825
    private static let entryLength = 12

    private mutating func removeEntry(_ tag: UInt16, from range: FileRange, order: ByteOrder, of bytes: RawSpan) {
        guard let count = try? bytes.integer(at: range.offset, order, as: UInt16.self) else { return }
        var kept = ByteWriter(order: order, capacity: range.length)
        kept.append(UInt16(0))
        var keptCount: UInt16 = 0
        var place = range.offset + 2
        for _ in 0..<count {
            let entry = FileRange(place..<place + Self.entryLength)
            guard let found = try? bytes.integer(at: place, order, as: UInt16.self) else { return }
            if found != tag {
                guard (try? kept.append(entry, of: bytes)) != nil else { return }
                keptCount += 1
            }
            place = entry.end
        }
        // The offset of the next directory, where there is room for one.
        if place < range.end { try? kept.append(FileRange(place..<range.end), of: bytes) }
        kept.patch(keptCount, at: 0)
        kept.append(repeating: 0, count: max(0, range.length - kept.count))
        replace(at: range.offset, with: kept.bytes)
    }

    /// Blanks the elements and attributes of an XMP packet that name a place; the packet keeps its length.
    ///
    /// - Parameters:
    ///   - packet: the packet in `bytes`.
    ///   - bytes: what holds it.
    ///   - fileOffset: where the first of `bytes` lies in the file.
    ///   - limits: how much is read.
    mutating func removeLocation(
        fromXMP packet: FileRange,
        of bytes: RawSpan,
        fileOffset: Int,
        limits: ParseLimits
    ) {
        let spaces = { (range: FileRange) in [UInt8](repeating: UInt8(ascii: " "), count: range.length) }
        guard let tree = try? XMLTree(bytes, document: packet, limits: limits) else {
            // What cannot be read might hide a place.
            return zero(FileRange(fileOffset + packet.offset..<fileOffset + packet.end))
        }
        for element in tree.elements {
            let parts = [(element.name, element.range)] + element.attributes.map { ($0.name, $0.range) }
            for (name, range) in parts where XMPLocation.isLocation(name) {
                replace(at: fileOffset + range.offset, with: spaces(range))
            }
        }
    }

    /// Blanks the places in a box of a file that holds an XMP packet.
    mutating func removeLocation(
        fromXMPBox box: Box,
        of source: some ByteSource,
        limits: ParseLimits
    ) throws {
        guard box.payload.length <= limits.packetBytes else { return free(box) }
        let packet = try source.untrustedBytes(in: box.payload, limit: limits.packetBytes)
        packet.withBytes { bytes in
            removeLocation(fromXMP: bytes.fullRange, of: bytes, fileOffset: box.payload.offset, limits: limits)
        }
    }
}

/// The properties of XMP that name a place.
enum XMPLocation {
    private static let photoshop: Set<String> = ["City", "State", "Country"]
    private static let iptcCore: Set<String> = ["Location", "CountryCode"]
    private static let iptcExtension: Set<String> = ["LocationCreated", "LocationShown"]
    /// Drones write these in namespaces of their makers.
    private static let anywhere: Set<String> = [
        "Latitude", "Longitude", "AbsoluteAltitude", "RelativeAltitude", "PoseLatitude", "PoseLongitude",
    ]

    static func isLocation(_ name: XMLName) -> Bool {
        if name.local.hasPrefix("GPS") || name.local.hasPrefix("Gps") || anywhere.contains(name.local) { return true }
        switch name.namespace {
        case XMPNamespace.photoshop.rawValue: return photoshop.contains(name.local)
        case XMPNamespace.iptcCore.rawValue: return iptcCore.contains(name.local)
        case XMPNamespace.iptcExtension.rawValue: return iptcExtension.contains(name.local)
        default: return false
        }
    }
}
