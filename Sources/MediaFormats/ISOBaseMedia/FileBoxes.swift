/// The top-level boxes of a file, found by reading their headers only.
package struct FileBoxes: Hashable, Sendable {
    /// The boxes in file order, as far as they could be read.
    package let boxes: [Box]
    /// Why the walk ended before the end of the file; nil when it did not.
    ///
    /// A truncated upload is damaged, and so is a movie with something foreign behind it; what comes before is usable.
    package let damage: MediaFormatError?

    /// Walks a file, or a part of one that is a file of its own; offsets count from the beginning of the source.
    ///
    /// - Throws: only what the source throws.
    package init(
        of source: some ByteSource,
        in part: FileRange? = nil,
        limits: ParseLimits = .standard
    ) throws {
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

    /// The first box of a type, or why there is none.
    func required(_ type: FourCharacterCode) throws(MediaFormatError) -> Box {
        if let box = boxes.first(ofType: type) { return box }
        throw damage ?? MediaFormatError(.malformed, "a required top-level box is missing")
    }
}

/// One top-level box in memory, with the place it has in its file.
///
/// Offsets inside are relative to the box; ``fileRange(of:)`` turns them into the file's.
struct LoadedBox {
    /// Header and payload.
    let bytes: [UInt8]
    /// Where the box begins in the file.
    let fileOffset: Int
    /// The box as it lies in ``bytes``.
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

    /// The place in the file of a range inside the box.
    func fileRange(of range: FileRange) -> FileRange {
        FileRange(fileOffset + range.offset..<fileOffset + range.end)
    }
}

extension ParseLimits {
    /// The longest `moov` or `meta` box that is read into memory, in bytes: some days of movie.
    static let headerBoxBytes = 128 << 20
}
