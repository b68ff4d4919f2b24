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

    /// Takes the place out of a TIFF structure, which keeps its length and all offsets.
    ///
    /// - Parameters:
    ///   - block: the structure, from its byte order mark.
    ///   - bytes: what holds it.
    ///   - limits: how much is read.
    mutating func removeLocation(fromTIFF block: FileRange, of bytes: RawSpan, limits: ParseLimits) {
        if let stripped = TIFFLocation.stripped(block, in: bytes, limits: limits) {
            replace(at: block.offset, with: stripped)
        } else {
            // What cannot be read might hide a place.
            zero(block)
        }
    }

    /// Takes the place out of an XMP packet and fills it up with spaces behind.
    ///
    /// - Parameters:
    ///   - packet: the packet in `bytes`.
    ///   - bytes: what holds it.
    ///   - fileOffset: where the first of `bytes` lies in the file.
    ///   - limits: how much is read.
    mutating func removeLocation(fromXMP packet: FileRange, of bytes: RawSpan, fileOffset: Int, limits: ParseLimits) {
        let stripped = XMPLocation.stripped(packet, in: bytes, isTrailerRemoved: false, limits: limits)
        if let stripped, stripped.count <= packet.length {
            let filling = [UInt8](repeating: UInt8(ascii: " "), count: packet.length - stripped.count)
            replace(at: fileOffset + packet.offset, with: stripped + filling)
        } else {
            // What cannot be read might hide a place.
            zero(FileRange(fileOffset + packet.offset..<fileOffset + packet.end))
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
