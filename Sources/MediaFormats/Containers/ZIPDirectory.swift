/// The files of a ZIP archive as listed in its central directory (PKWARE's APPNOTE 6.3.10), without their contents.
///
///     local header, data   of each file, anywhere
///     central directory    one header per file: name, sizes, method, offset of the local header
///     end record           the directory's offset and number of headers; ZIP64 has its own record before it
///
/// An archive that no archiver would write is refused as a whole: several disks, more headers than announced, or a file
/// whose data overlaps another's or the directory, as in decompression bombs.
package struct ZIPDirectory: Sendable {
    /// One file.
    package struct Entry: Hashable, Sendable {
        /// How its bytes are stored.
        package enum Method: Hashable, Sendable {
            /// Uncompressed.
            case stored
            /// Deflated (RFC 1951).
            case deflated
        }

        /// The raw path; mostly UTF-8.
        package let name: [UInt8]
        /// How its bytes are stored; nil for an unsupported method.
        package let method: Method?
        /// Whether a password is needed.
        package let isEncrypted: Bool
        /// The stored size in bytes.
        package let storedByteCount: Int
        /// The uncompressed size in bytes.
        package let byteCount: Int
        /// The CRC-32 of the uncompressed bytes.
        package let checksum: UInt32
        /// Where its local header begins.
        package let headerOffset: Int
        /// The modification time in seconds since 1970; nil if the archive has only ``civilTime``.
        package let modifiedSeconds: Int64?
        /// The modification time as an MS-DOS date and time, in the packing machine's local time.
        package let civilTime: (date: UInt16, time: UInt16)

        /// Whether it is a folder.
        package var isFolder: Bool { name.last == UInt8(ascii: "/") }

        /// Ignores the times.
        package static func == (left: Self, right: Self) -> Bool {
            left.name == right.name && left.headerOffset == right.headerOffset
                && left.byteCount == right.byteCount && left.checksum == right.checksum
        }

        /// Hashes what `==` compares.
        package func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(headerOffset)
        }
    }

    /// The limits on an archive.
    package struct Limits: Hashable, Sendable {
        /// Files and folders.
        package var entries = 2_000_000
        /// Bytes of the central directory.
        package var directoryBytes = 512 << 20
        /// Bytes of a path.
        package var nameBytes = 4096

        /// Limits above what any export needs.
        package init() {}
    }

    private static let localHeaderByteCount = 30
    private static let headerByteCount = 46
    private static let endByteCount = 22
    private static let longestCommentByteCount = 65_535

    /// The files and folders, in the order of the directory.
    package let entries: [Entry]

    /// Reads a central directory.
    ///
    /// - Throws: `unrecognizedFormat` if it is not a ZIP archive, `unsupported` for one of several disks, `malformed`,
    ///   `truncated` and `limitExceeded`; what the source throws.
    package init(_ source: some ByteSource, limits: Limits = Limits()) throws {
        let end = try Self.end(of: source)
        guard end.entryCount <= limits.entries else {
            throw MediaFormatError(.limitExceeded, "the archive has too many files")
        }
        guard end.range.length / Self.headerByteCount >= end.entryCount else {
            throw MediaFormatError(.malformed, "the directory is too short for its files", at: end.range.offset)
        }
        let bytes = try source.untrustedBytes(in: end.range, limit: limits.directoryBytes)
        entries = try bytes.withBytes { bytes throws(MediaFormatError) in
            var reader = ByteReader(bytes.fullRange, order: .littleEndian)
            var entries: [Entry] = []
            entries.reserveCapacity(end.entryCount)
            for _ in 0..<end.entryCount {
                entries.append(try Self.entry(&reader, bytes, limits))
            }
            return entries
        }
        try Self.check(entries, directory: end.range)
    }

    /// Locates a file's stored bytes through its local header.
    ///
    /// - Throws: `malformed` without a local header, `truncated`; what the source throws.
    package static func data(of entry: Entry, in source: some ByteSource) throws -> FileRange {
        guard let range = FileRange(offset: entry.headerOffset, length: localHeaderByteCount) else {
            throw MediaFormatError(.malformed, "a file's header lies outside")
        }
        let header = try source.untrustedBytes(in: range, limit: localHeaderByteCount)
        let skipped = try header.withBytes { bytes throws(MediaFormatError) -> Int in
            guard bytes.hasPrefix("PK\u{03}\u{04}") else {
                throw MediaFormatError(.malformed, "no file's header is where one should be", at: range.offset)
            }
            let name = try bytes.integer(at: 26, .littleEndian, as: UInt16.self)
            return Int(name) + Int(try bytes.integer(at: 28, .littleEndian, as: UInt16.self))
        }
        guard let data = FileRange(offset: range.end + skipped, length: entry.storedByteCount),
            data.end <= source.byteCount
        else { throw MediaFormatError(.truncated, "a file reaches beyond the archive", at: range.offset) }
        return data
    }

    /// The directory's range, and its number of headers.
    private struct End {
        var entryCount: Int
        var range: FileRange
    }

    private static func end(of source: some ByteSource) throws -> End {
        let length = min(source.byteCount, endByteCount + longestCommentByteCount)
        let start = source.byteCount - length
        let tail = try source.untrustedBytes(in: FileRange(start..<source.byteCount), limit: length)
        let found = try tail.withBytes { bytes throws(MediaFormatError) -> (offset: Int, end: End)? in
            var offset = length - endByteCount
            while offset >= 0 {
                if bytes.hasPrefix("PK\u{05}\u{06}", at: offset),
                    try Int(bytes.integer(at: offset + 20, .littleEndian, as: UInt16.self)) <= length - offset
                        - endByteCount
                {
                    return (start + offset, try shortEnd(bytes, at: offset))
                }
                offset -= 1
            }
            return nil
        }
        guard let found else { throw MediaFormatError(.unrecognizedFormat, "this is no whole ZIP archive") }
        let end = try longEnd(of: source, before: found.offset) ?? found.end
        guard end.range.end <= found.offset else {
            throw MediaFormatError(.malformed, "the directory lies outside", at: found.offset)
        }
        return end
    }

    private static func shortEnd(_ bytes: RawSpan, at offset: Int) throws(MediaFormatError) -> End {
        let disks: UInt32 = try bytes.integer(at: offset + 4, .littleEndian)
        let here: UInt16 = try bytes.integer(at: offset + 8, .littleEndian)
        let count: UInt16 = try bytes.integer(at: offset + 10, .littleEndian)
        let length: UInt32 = try bytes.integer(at: offset + 12, .littleEndian)
        let start: UInt32 = try bytes.integer(at: offset + 16, .littleEndian)
        guard disks == 0 || disks == .max, here == count, let range = FileRange(offset: start, length: length) else {
            throw MediaFormatError(.unsupported, "the archive lies on several disks", at: offset)
        }
        return End(entryCount: Int(count), range: range)
    }

    /// The end record of ZIP64, found through a 20-byte locator before the other record; nil without ZIP64.
    private static func longEnd(of source: some ByteSource, before offset: Int) throws -> End? {
        guard let range = FileRange(offset: offset - 20, length: 20) else { return nil }
        let locator = try source.untrustedBytes(in: range, limit: 20)
        let place = try locator.withBytes { bytes throws(MediaFormatError) -> UInt64? in
            guard bytes.hasPrefix("PK\u{06}\u{07}") else { return nil }
            return try bytes.integer(at: 8, .littleEndian, as: UInt64.self)
        }
        guard let place else { return nil }
        guard let record = FileRange(offset: place, length: 56) else {
            throw MediaFormatError(.malformed, "the directory lies outside", at: offset)
        }
        let bytes = try source.untrustedBytes(in: record, limit: 56)
        return try bytes.withBytes { bytes throws(MediaFormatError) -> End in
            guard bytes.hasPrefix("PK\u{06}\u{06}") else {
                throw MediaFormatError(.malformed, "no end record is where one should be", at: record.offset)
            }
            let disks: UInt64 = try bytes.integer(at: 16, .littleEndian)
            let here: UInt64 = try bytes.integer(at: 24, .littleEndian)
            let count: UInt64 = try bytes.integer(at: 32, .littleEndian)
            let length: UInt64 = try bytes.integer(at: 40, .littleEndian)
            let start: UInt64 = try bytes.integer(at: 48, .littleEndian)
            guard disks == 0, here == count else {
                throw MediaFormatError(.unsupported, "the archive lies on several disks", at: record.offset)
            }
            guard let range = FileRange(offset: start, length: length), range.end <= record.offset,
                let count = Int(exactly: count)
            else { throw MediaFormatError(.malformed, "the directory lies outside", at: record.offset) }
            return End(entryCount: count, range: range)
        }
    }

    private static func entry(
        _ reader: inout ByteReader,
        _ bytes: RawSpan,
        _ limits: Limits
    ) throws(MediaFormatError) -> Entry {
        let start = reader.offset
        guard bytes.hasPrefix("PK\u{01}\u{02}", at: start) else {
            throw MediaFormatError(.malformed, "no header is where one should be", at: start)
        }
        func number<Number: FixedWidthInteger & BitwiseCopyable>(
            _ offset: Int,
            _ type: Number.Type
        ) throws(MediaFormatError) -> Number { try bytes.integer(at: start + offset, .littleEndian, as: type) }
        let flags = try number(8, UInt16.self)
        let method = try number(10, UInt16.self)
        let nameLength = Int(try number(28, UInt16.self))
        let extraLength = Int(try number(30, UInt16.self))
        let commentLength = Int(try number(32, UInt16.self))
        guard nameLength <= limits.nameBytes else {
            throw MediaFormatError(.limitExceeded, "a path is too long", at: start)
        }
        try reader.skip(headerByteCount)
        let name = try bytes.copyBytes(in: try reader.take(nameLength))
        var extra = ExtraFields(
            storedByteCount: UInt64(try number(20, UInt32.self)),
            byteCount: UInt64(try number(24, UInt32.self)),
            headerOffset: UInt64(try number(42, UInt32.self))
        )
        try extra.read(try reader.take(extraLength), bytes)
        try reader.skip(commentLength)
        guard let stored = Int(exactly: extra.storedByteCount), let count = Int(exactly: extra.byteCount),
            let header = Int(exactly: extra.headerOffset)
        else { throw MediaFormatError(.malformed, "a size is out of range", at: start) }
        return Entry(
            name: name,
            method: method == 0 ? .stored : method == 8 ? .deflated : nil,
            isEncrypted: flags & 1 != 0,
            storedByteCount: stored,
            byteCount: count,
            checksum: try number(16, UInt32.self),
            headerOffset: header,
            modifiedSeconds: extra.modifiedSeconds,
            civilTime: (try number(14, UInt16.self), try number(12, UInt16.self))
        )
    }

    /// Refuses files whose data overlap each other or the directory.
    private static func check(_ entries: [Entry], directory: FileRange) throws(MediaFormatError) {
        var end = 0
        for entry in entries.sorted(by: { $0.headerOffset < $1.headerOffset }) {
            guard entry.headerOffset >= end,
                let range = FileRange(offset: entry.headerOffset, length: localHeaderByteCount + entry.name.count),
                let data = FileRange(offset: range.end, length: entry.storedByteCount), data.end <= directory.offset
            else { throw MediaFormatError(.malformed, "files of the archive overlap", at: entry.headerOffset) }
            guard entry.method != .stored || entry.isEncrypted || entry.storedByteCount == entry.byteCount else {
                throw MediaFormatError(.malformed, "a stored file has another length", at: entry.headerOffset)
            }
            end = data.end
        }
    }
}

/// A header's extra fields: 64-bit numbers that replace 32-bit ones, and a time.
private struct ExtraFields {
    private static let long: UInt16 = 0x0001
    private static let time: UInt16 = 0x5455

    var storedByteCount, byteCount, headerOffset: UInt64
    private(set) var modifiedSeconds: Int64?

    mutating func read(_ range: FileRange, _ bytes: RawSpan) throws(MediaFormatError) {
        var reader = ByteReader(range, order: .littleEndian)
        while reader.remaining >= 4 {
            let kind = try reader.read(UInt16.self, from: bytes)
            let length = try reader.read(UInt16.self, from: bytes)
            // Some archivers pad the fields with bytes that are not a field.
            guard Int(length) <= reader.remaining else { return }
            var field = ByteReader(try reader.take(length), order: .littleEndian)
            switch kind {
            case Self.long:
                // In this order, each present only if the short number is all ones.
                if byteCount == UInt32.max { byteCount = try field.read(from: bytes) }
                if storedByteCount == UInt32.max { storedByteCount = try field.read(from: bytes) }
                if headerOffset == UInt32.max { headerOffset = try field.read(from: bytes) }
            case Self.time where length >= 5:
                let flags = try field.read(UInt8.self, from: bytes)
                if flags & 1 != 0 { modifiedSeconds = Int64(try field.read(Int32.self, from: bytes)) }
            default: break
            }
        }
    }
}
