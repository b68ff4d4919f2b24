import PhotoModel

/// The layout of a ZIP archive of uncompressed files (APPNOTE.TXT 6.3.10).
///
///     for each file   local header, name, bytes, data descriptor: checksum and lengths
///     at the end      central directory with every file's offset and checksum, end of central directory
///
/// Nothing is compressed and every length is known before a byte is read, so every offset is known too, and any range
/// of the archive can be sent. Checksums follow the bytes (bit 3 of the flags), so that a file is read only once.
///
/// Lengths, offsets and counts beyond 32 and 16 bits go into the fields of ZIP64 (4.3.14, 4.3.15, 4.5.3).
struct StoredArchive: Sendable {
    struct Entry: Sendable {
        /// Its name, in UTF-8.
        let name: [UInt8]
        let byteCount: Int64
        /// Its modification time; ZIP covers the years 1980 to 2107, in steps of two seconds.
        let time: CivilTime

        /// Truncates names longer than the format's 65,535 bytes.
        init(name: String, byteCount: Int64, time: CivilTime) {
            self.name = Array(name.utf8.prefix(Int(UInt16.max)))
            self.byteCount = byteCount
            self.time = time
        }

        /// Whether its length needs 64 bits.
        var isLarge: Bool { byteCount >= StoredArchive.large }
        var descriptorByteCount: Int64 { isLarge ? 24 : 16 }
        fileprivate var localByteCount: Int64 { 30 + Int64(name.count) + (isLarge ? 20 : 0) }
    }

    /// The first value that does not fit 32 bits: the largest 32-bit value means "see ZIP64".
    static let large = Int64(UInt32.max)
    /// Names are UTF-8 (bit 11), checksums follow the bytes (bit 3).
    private static let flags: UInt16 = 1 << 11 | 1 << 3

    let entries: [Entry]
    /// The offset of each entry's local header.
    private let offsets: [Int64]
    /// The offset of the central directory.
    let directoryOffset: Int64

    init(_ entries: [Entry]) {
        self.entries = entries
        var offset: Int64 = 0
        var offsets: [Int64] = []
        for entry in entries {
            offsets.append(offset)
            offset += entry.localByteCount + entry.byteCount + entry.descriptorByteCount
        }
        self.offsets = offsets
        directoryOffset = offset
    }

    /// The bytes before a file.
    func header(_ index: Int) -> [UInt8] {
        let entry = entries[index]
        // The descriptor has the lengths; ZIP64 lengths are announced here (4.5.3).
        let length: UInt32 = entry.isLarge ? .max : 0
        let extra: [UInt8] = entry.isLarge ? Self.extra([0, 0]) : []
        return Self.integer(0x0403_4B50 as UInt32) + Self.integer(Self.version(isLarge: entry.isLarge))
            + Self.common(entry, checksum: 0, length: length, extraByteCount: extra.count) + entry.name + extra
    }

    /// The bytes after a file.
    func descriptor(_ index: Int, checksum: UInt32) -> [UInt8] {
        let entry = entries[index]
        let length = entry.isLarge ? Self.integer(entry.byteCount) : Self.integer(UInt32(entry.byteCount))
        return Self.integer(0x0807_4B50 as UInt32) + Self.integer(checksum) + length + length
    }

    /// The length of the archive's end.
    var directoryByteCount: Int64 { Int64(directory { _ in 0 }.count) }

    /// The archive's end; always ``directoryByteCount`` long, whatever the checksums.
    func directory(checksum: (Int) throws -> UInt32) rethrows -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, entry) in entries.enumerated() {
            let isFar = offsets[index] >= Self.large
            let values = (entry.isLarge ? [entry.byteCount, entry.byteCount] : []) + (isFar ? [offsets[index]] : [])
            let extra = values.isEmpty ? [] : Self.extra(values)
            let version = Self.version(isLarge: !values.isEmpty)
            bytes += Self.integer(0x0201_4B50 as UInt32) + Self.integer(version) + Self.integer(version)
            bytes += Self.common(
                entry,
                checksum: try checksum(index),
                length: entry.isLarge ? .max : UInt32(entry.byteCount),
                extraByteCount: extra.count
            )
            bytes += [UInt8](repeating: 0, count: 10)
            bytes += Self.integer(isFar ? .max : UInt32(offsets[index])) + entry.name + extra
        }
        return bytes + end(byteCount: Int64(bytes.count))
    }

    private func end(byteCount: Int64) -> [UInt8] {
        let isLarge = entries.count >= Int(UInt16.max) || byteCount >= Self.large || directoryOffset >= Self.large
        var bytes: [UInt8] = []
        if isLarge {
            let count = Int64(entries.count)
            bytes += Self.integer(0x0606_4B50 as UInt32) + Self.integer(44 as Int64)
            bytes += Self.integer(Self.version(isLarge: true)) + Self.integer(Self.version(isLarge: true))
            bytes += [UInt8](repeating: 0, count: 8) + Self.integer(count) + Self.integer(count)
            bytes += Self.integer(byteCount) + Self.integer(directoryOffset)
            bytes += Self.integer(0x0706_4B50 as UInt32) + Self.integer(0 as UInt32)
            bytes += Self.integer(directoryOffset + byteCount) + Self.integer(1 as UInt32)
        }
        let count = UInt16(clamping: entries.count)
        return bytes + Self.integer(0x0605_4B50 as UInt32) + Self.integer(0 as UInt32) + Self.integer(count)
            + Self.integer(count) + Self.integer(UInt32(clamping: byteCount))
            + Self.integer(UInt32(clamping: directoryOffset)) + Self.integer(0 as UInt16)
    }

    /// The fields common to the local header and the directory, from the flags to the extra fields' length.
    private static func common(_ entry: Entry, checksum: UInt32, length: UInt32, extraByteCount: Int) -> [UInt8] {
        let moment = moment(entry.time)
        return integer(flags) + integer(0 as UInt16) + integer(moment.time) + integer(moment.day) + integer(checksum)
            + integer(length) + integer(length) + integer(UInt16(entry.name.count)) + integer(UInt16(extraByteCount))
    }

    private static func version(isLarge: Bool) -> UInt16 { isLarge ? 45 : 20 }

    private static func extra(_ values: [Int64]) -> [UInt8] {
        integer(1 as UInt16) + integer(UInt16(8 * values.count)) + values.flatMap(integer)
    }

    /// A time in MS-DOS format; years out of range become 1 January 1980.
    private static func moment(_ time: CivilTime) -> (day: UInt16, time: UInt16) {
        guard 1980...2107 ~= time.year else { return (1 << 5 | 1, 0) }
        return (
            UInt16((time.year - 1980) << 9 | time.month << 5 | time.day),
            UInt16(time.hour << 11 | time.minute << 5 | time.second / 2)
        )
    }

    private static func integer<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        value.bigEndianBytes.reversed()
    }
}
