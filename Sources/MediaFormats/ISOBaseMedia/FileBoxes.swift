/// A file's top-level boxes, found by reading only their headers.
package struct FileBoxes: Hashable, Sendable {
    /// The readable boxes, in file order.
    package let boxes: [Box]
    /// Why the walk ended before the end of the file; nil if it did not.
    ///
    /// Truncated uploads are damaged, and so are movies followed by foreign data; everything before is usable.
    package let damage: MediaFormatError?

    /// Walks a file, or an embedded file; offsets count from the beginning of the source.
    ///
    /// - Throws: only what the source throws.
    package init(of source: some ByteSource, in part: FileRange? = nil, limits: ParseLimits = .standard) throws {
        let part = part ?? FileRange(wholeFileOf: source.byteCount)
        let end = min(part.end, source.byteCount)
        var found: [Box] = []
        var damage: MediaFormatError?
        var offset = part.offset
        while offset < end {
            let headerEnd = min(offset + Box.longestHeader, end)
            let header = try source.untrustedBytes(in: FileRange(offset..<headerEnd), limit: Box.longestHeader)
            do throws(MediaFormatError) {
                guard found.count < limits.segments else {
                    throw MediaFormatError(.limitExceeded, "a file holds too many boxes", at: offset)
                }
                let box = try header.withBytes { bytes throws(MediaFormatError) in
                    try Box(header: bytes, at: offset, endOfContainer: end)
                }
                found.append(box)
                offset = box.range.end
            } catch {
                damage = error
                break
            }
        }
        boxes = found
        self.damage = damage
    }

    /// The first box of a type, or an error that says why there is none.
    func required(_ type: FourCharacterCode) throws(MediaFormatError) -> Box {
        if let box = boxes.first(ofType: type) { return box }
        throw damage ?? MediaFormatError(.malformed, "a required top-level box is missing")
    }
}

/// A top-level box in memory, with its offset in the file.
///
/// Offsets inside are relative to the box; ``fileRange(of:)`` converts them to file offsets.
struct LoadedBox {
    /// Header and payload.
    let bytes: [UInt8]
    /// Where the box begins in the file.
    let fileOffset: Int
    /// The box's place in ``bytes``.
    let box: Box

    /// Reads a box of a file into memory; throws `limitExceeded` above ``ParseLimits/headerBoxBytes``.
    init(_ box: Box, of source: some ByteSource) throws {
        bytes = try source.untrustedBytes(in: box.range, limit: ParseLimits.headerBoxBytes)
        fileOffset = box.range.offset
        self.box = Box(
            type: box.type,
            range: FileRange(0..<box.range.length),
            headerLength: box.headerLength,
            userType: box.userType
        )
    }

    /// The file range of a range inside the box.
    func fileRange(of range: FileRange) -> FileRange {
        FileRange(fileOffset + range.offset..<fileOffset + range.end)
    }
}

extension ParseLimits {
    /// The longest `moov` or `meta` box read into memory, in bytes: some days of movie.
    static let headerBoxBytes = 128 << 20
}
