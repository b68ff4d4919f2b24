/// One value of a movie's metadata list (QuickTime File Format, "Well-known types").
package enum MetadataValue: Hashable, Sendable {
    /// Type 1: UTF-8.
    case text(String)
    /// Types 21, 22, 65 to 67 and 74 to 78: an integer of 1 to 8 bytes.
    case integer(Int64)
    /// Types 23 and 24: a number of 4 or 8 bytes.
    case number(Double)
    /// Any other type with its bytes, or a length that does not fit the type.
    case unrecognized(type: UInt32, bytes: [UInt8])

    /// Parses the payload of a `data` box: type, locale, bytes.
    init(data payload: FileRange, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        var reader = ByteReader(payload)
        let type: UInt32 = try reader.read(from: bytes)
        try reader.skip(4)
        let rest = reader.remainingRange
        switch type {
        case 1:
            self = .text(try bytes.text(in: rest, limits: limits))
        case 21, 65, 66, 67, 74:
            let raw = try bytes.copyBytes(in: rest, limit: limits.valueBytes)
            self = Self.integer(raw, isSigned: true) ?? .unrecognized(type: type, bytes: raw)
        case 22, 75, 76, 77, 78:
            let raw = try bytes.copyBytes(in: rest, limit: limits.valueBytes)
            self = Self.integer(raw, isSigned: false) ?? .unrecognized(type: type, bytes: raw)
        case 23 where rest.length == 4:
            self = .number(Double(Float(bitPattern: try bytes.integer(at: rest.offset))))
        case 24 where rest.length == 8:
            self = .number(Double(bitPattern: try bytes.integer(at: rest.offset)))
        default:
            self = .unrecognized(type: type, bytes: try bytes.copyBytes(in: rest, limit: limits.valueBytes))
        }
    }

    /// The text; nil for any other kind.
    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The value as a number; nil for text and unknown kinds.
    package var numeric: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .text, .unrecognized: nil
        }
    }

    private static func integer(_ bytes: [UInt8], isSigned: Bool) -> MetadataValue? {
        guard let first = bytes.first, bytes.count <= 8 else { return nil }
        let fill: UInt64 = isSigned && first & 0x80 != 0 ? .max : 0
        return .integer(Int64(bitPattern: bytes.reduce(fill) { $0 << 8 | UInt64($1) }))
    }
}
