/// Removing locations from metadata blocks in place.
extension FilePatches {
    /// Adds the patches of another set.
    mutating func append(_ other: FilePatches) {
        patches += other.patches
    }

    /// The same patches for bytes stored in a file as several extents, one after the other.
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

    /// Removes the location from an XMP packet in `bytes`, which begin at an offset of the file, and pads it with
    /// spaces.
    mutating func removeLocation(fromXMP packet: FileRange, of bytes: RawSpan, fileOffset: Int, limits: ParseLimits) {
        let stripped = XMPLocation.stripped(packet, in: bytes, isTrailerRemoved: false, limits: limits)
        if let stripped, stripped.count <= packet.length {
            let filling = [UInt8](repeating: UInt8(ascii: " "), count: packet.length - stripped.count)
            replace(at: fileOffset + packet.offset, with: stripped + filling)
        } else {
            // Unreadable data might hide a location.
            zero(FileRange(fileOffset + packet.offset..<fileOffset + packet.end))
        }
    }

    /// Blanks the locations in a box that holds an XMP packet.
    mutating func removeLocation(fromXMPBox box: Box, of source: some ByteSource, limits: ParseLimits) throws {
        guard box.payload.length <= limits.packetBytes else { return free(box) }
        let packet = try source.untrustedBytes(in: box.payload, limit: limits.packetBytes)
        packet.withBytes { bytes in
            removeLocation(fromXMP: bytes.fullRange, of: bytes, fileOffset: box.payload.offset, limits: limits)
        }
    }
}
