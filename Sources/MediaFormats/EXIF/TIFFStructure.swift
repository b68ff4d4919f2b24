/// The directories of a TIFF structure (TIFF 6.0, section 2): an EXIF block, a TIFF or a DNG file.
///
///     "II" 2A00 or "MM" 002A      byte order
///     offset32                    of the first directory (IFD0)
///     directory: count16, count × (tag16 type16 count32 value-or-offset32), next32
///
/// Offsets count from the byte order mark. A directory is referenced by another through the entries 0x8769 (Exif),
/// 0x8825 (GPS), 0xA005 (interoperability) and 0x014A (sub-images), or follows it (IFD1: the thumbnail).
///
/// Broken parts are skipped and listed in ``problems``: a photo is not refused for its metadata. Each offset is visited
/// once, so that loops end, and the limits and the input bound the work.
package struct TIFFStructure: Hashable, Sendable {
    /// The range of the structure; it starts with the byte order mark.
    package let block: FileRange
    /// The byte order of its numbers.
    package let order: ByteOrder
    /// The number after the byte order mark: 42, or a camera maker's own.
    package let mark: UInt16
    /// The directories in the order found, IFD0 first.
    package private(set) var directories: [TIFFDirectory] = []
    /// What was skipped, and why.
    package private(set) var problems: [MediaFormatError] = []

    /// The number used by Panasonic's RW2.
    static let panasonicMark: UInt16 = 0x55
    /// 42, and the numbers of Olympus' ORF ("RO", "RS") and of RW2, which are otherwise TIFF structures.
    private static let marks: Set<UInt16> = [42, 0x4F52, 0x5352, panasonicMark]

    /// Reads all directories of the structure in a range, the first of a kind.
    ///
    /// - Throws: `unrecognizedFormat` without a byte order mark, `truncated` if the header is incomplete.
    package init(
        _ bytes: RawSpan,
        block: FileRange,
        first kind: TIFFDirectory.Kind = .image(0),
        limits: ParseLimits = .standard
    ) throws(MediaFormatError) {
        guard block.end <= bytes.byteCount else { throw bytes.ended(at: block.end) }
        self.block = block
        var reader = ByteReader(block)
        switch try reader.read(UInt16.self, from: bytes) {
        case 0x4949: order = .littleEndian
        case 0x4D4D: order = .bigEndian
        default: throw MediaFormatError(.unrecognizedFormat, "not a TIFF structure", at: block.offset)
        }
        reader.order = order
        mark = try reader.read(UInt16.self, from: bytes)
        guard Self.marks.contains(mark) else {
            throw MediaFormatError(.unrecognizedFormat, "not a TIFF structure", at: block.offset)
        }
        let first = try reader.read(UInt32.self, from: bytes)
        readDirectories(kind, from: first, in: bytes, limits: limits)
    }

    /// The first directory of a kind.
    package func directory(_ kind: TIFFDirectory.Kind) -> TIFFDirectory? {
        directories.first { $0.kind == kind }
    }

    private mutating func readDirectories(
        _ kind: TIFFDirectory.Kind,
        from first: UInt32,
        in bytes: RawSpan,
        limits: ParseLimits
    ) {
        var pending: [(kind: TIFFDirectory.Kind, offset: UInt32)] = [(kind, first)]
        var visited: Set<UInt32> = []
        while let (kind, offset) = pending.popLast() {
            guard visited.insert(offset).inserted else {
                problems.append(MediaFormatError(.malformed, "directories form a loop", at: place(offset)))
                continue
            }
            guard directories.count < limits.directories else {
                problems.append(MediaFormatError(.limitExceeded, "too many directories", at: place(offset)))
                return
            }
            do throws(MediaFormatError) {
                let directory = try readDirectory(kind, at: offset, in: bytes, limits: limits)
                directories.append(directory)
                if case .image(let index) = kind, directory.next != 0 {
                    pending.append((.image(index + 1), directory.next))
                }
                // No more may be pending than may be read, or a file could make a list much longer than itself.
                let room = max(0, limits.directories - directories.count - pending.count)
                pending += children(of: directory, in: bytes, atMost: room).reversed()
            } catch {
                problems.append(error)
            }
        }
    }

    /// The directories that one references, in the order of its entries.
    private func children(
        of directory: TIFFDirectory,
        in bytes: RawSpan,
        atMost room: Int
    ) -> [(kind: TIFFDirectory.Kind, offset: UInt32)] {
        var children: [(kind: TIFFDirectory.Kind, offset: UInt32)] = []
        for entry in directory.entries {
            guard let kind = TIFFDirectory.Kind(pointer: entry.tag, in: directory.kind) else { continue }
            for index in 0..<min(entry.count, room - children.count) {
                guard let target = unsigned(entry, at: index, in: bytes) else { break }
                children.append((kind, UInt32(truncatingIfNeeded: target)))
            }
        }
        return children
    }

    private func place(_ offset: UInt32) -> Int { block.offset &+ Int(offset) }

    private mutating func readDirectory(
        _ kind: TIFFDirectory.Kind,
        at offset: UInt32,
        in bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> TIFFDirectory {
        var reader = ByteReader(block, order: order)
        try reader.skip(offset)
        let start = reader.offset
        let count = Int(try reader.read(UInt16.self, from: bytes))
        guard count <= limits.directoryEntries else {
            throw MediaFormatError(.limitExceeded, "too many entries in a directory", at: start)
        }
        var entries: [TIFFEntry] = []
        entries.reserveCapacity(min(count, reader.remaining / 12))
        for _ in 0..<count {
            let place = reader.offset
            let tag = try reader.read(UInt16.self, from: bytes)
            let type = try reader.read(UInt16.self, from: bytes)
            let valueCount = try reader.read(UInt32.self, from: bytes)
            let field = try reader.take(4)
            do throws(MediaFormatError) {
                let value = try valueRange(type: type, count: valueCount, field: field, in: bytes)
                entries.append(TIFFEntry(tag: tag, rawType: type, count: Int(valueCount), value: value, field: field))
            } catch {
                problems.append(MediaFormatError(error.code, error.message, at: place))
            }
        }
        // The last directory of a truncated block often lacks the offset of the next.
        let next = (try? reader.read(UInt32.self, from: bytes)) ?? 0
        return TIFFDirectory(kind: kind, range: FileRange(start..<reader.offset), entries: entries, next: next)
    }

    private func valueRange(
        type: UInt16,
        count: UInt32,
        field: FileRange,
        in bytes: RawSpan
    ) throws(MediaFormatError) -> FileRange {
        guard let width = TIFFType(rawValue: type)?.width else {
            throw MediaFormatError(.malformed, "an entry's type is unknown")
        }
        let (length, overflowed) = width.multipliedReportingOverflow(by: Int(count))
        guard !overflowed else { throw MediaFormatError(.malformed, "an entry is larger than any file") }
        if length <= 4 { return FileRange(field.offset..<field.offset + length) }
        let offset = try bytes.integer(at: field.offset, order, as: UInt32.self)
        guard let range = block.part(at: offset, length: length) else {
            throw MediaFormatError(.truncated, "an entry's value lies outside the structure")
        }
        return range
    }
}
