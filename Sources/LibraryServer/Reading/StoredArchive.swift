import PhotoModel

/// A ZIP archive of files that are stored as they are (APPNOTE.TXT 6.3.10).
///
///     for each file   local header, name, bytes
///     at the end      central directory with every file's place, end of central directory
///
/// Nothing is compressed, so the archive is the files with some headers between them, and any range of it can be sent.
/// Files and archive are below 4 GiB: beyond, the format needs its 64-bit fields, which a Live Photo does not.
struct StoredArchive {
    /// The most bytes of an archive.
    static let maximumByteCount = Int64(UInt32.max)
    /// Names are UTF-8 (bit 11).
    private static let flags: UInt16 = 1 << 11
    private static let version: UInt16 = 20
    /// The day and the time that every file is shown with.
    private let moment: (day: UInt16, time: UInt16)

    /// An empty archive.
    ///
    /// - Parameter time: when its files are from; the format knows the years 1980 to 2107 and whole pairs of seconds, and
    ///   another year becomes its first day.
    init(of time: CivilTime) {
        guard 1980...2107 ~= time.year else {
            moment = (1 << 5 | 1, 0)
            return
        }
        moment.day = UInt16((time.year - 1980) << 9 | time.month << 5 | time.day)
        moment.time = UInt16(time.hour << 11 | time.minute << 5 | time.second / 2)
    }

    private var directory: [UInt8] = []
    private var count: UInt16 = 0
    private var offset: UInt32 = 0

    /// Adds a file, whose bytes follow what is returned.
    ///
    /// - Returns: the header in front of the bytes.
    mutating func add(name: String, byteCount: UInt32, checksum: UInt32) -> [UInt8] {
        let name = Array(name.utf8.prefix(Int(UInt16.max)))
        let fields =
            Self.integer(Self.version) + Self.integer(Self.flags) + Self.integer(0 as UInt16)
            + Self.integer(moment.time) + Self.integer(moment.day) + Self.integer(checksum)
            + Self.integer(byteCount) + Self.integer(byteCount)
            + Self.integer(UInt16(truncatingIfNeeded: name.count)) + Self.integer(0 as UInt16)
        let header = Self.integer(0x0403_4B50 as UInt32) + fields + name
        directory += Self.integer(0x0201_4B50 as UInt32) + Self.integer(Self.version) + fields
        directory += [UInt8](repeating: 0, count: 10) + Self.integer(offset) + name
        count += 1
        offset += UInt32(truncatingIfNeeded: header.count) + byteCount
        return header
    }

    /// What ends the archive.
    func end() -> [UInt8] {
        directory + Self.integer(0x0605_4B50 as UInt32) + Self.integer(0 as UInt32) + Self.integer(count)
            + Self.integer(count) + Self.integer(UInt32(truncatingIfNeeded: directory.count)) + Self.integer(offset)
            + Self.integer(0 as UInt16)
    }

    private static func integer<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        (0..<Value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> Value(8 * $0)) }
    }
}

/// The checksum of ZIP and PNG: CRC-32 of ISO 3309.
struct CRC32: Sendable {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private var state: UInt32 = .max

    /// The checksum of all bytes so far.
    var value: UInt32 { ~state }

    /// Adds bytes.
    mutating func update(_ bytes: [UInt8]) {
        var state = state
        for byte in bytes { state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8 }
        self.state = state
    }
}
