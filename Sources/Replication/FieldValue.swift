/// A value of a field.
///
/// Encoded as one type byte and a payload whose length is known from outside: `0` none, `1` false, `2` true, `3`
/// integer (zigzag varint), `4` double (8 bytes, big-endian IEEE 754), `5` text (UTF-8), `6` bytes, `7` identifier (16
/// bytes), `8` group (each value as varint length and bytes, at most four deep). Anything else, including a known type
/// whose payload does not fit, is kept as received: `.unrecognized`.
///
/// Two values are equal if their bytes are: texts that differ only in Unicode normalisation are different.
package enum FieldValue: Sendable {
    /// Explicitly no value, for example a removed override.
    case nothing
    /// A truth value.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A binary64 number.
    case double(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])
    /// A 128-bit identifier.
    case identifier(UInt128)
    /// Several values written and replaced as one.
    case group([FieldValue])
    /// The bytes of a value that this version cannot read.
    case unrecognized([UInt8])
}

extension FieldValue: Hashable {
    /// Whether both have the same bytes.
    package static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }

    /// Feeds the bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension FieldValue {
    /// The type byte and the payload.
    package var encoded: [UInt8] {
        var writer = VarintWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout VarintWriter) {
        switch self {
        case .nothing:
            writer.byte(0)
        case .bool(let value):
            writer.byte(value ? 2 : 1)
        case .integer(let value):
            writer.byte(3)
            writer.signed(value)
        case .double(let value):
            writer.byte(4)
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                writer.byte(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
            }
        case .text(let value):
            writer.byte(5)
            writer.raw(value.utf8)
        case .bytes(let value):
            writer.byte(6)
            writer.raw(value)
        case .identifier(let value):
            writer.byte(7)
            writer.wide(value)
        case .group(let values):
            writer.byte(8)
            for value in values {
                let bytes = value.encoded
                writer.varint(bytes.count)
                writer.raw(bytes)
            }
        case .unrecognized(let bytes):
            writer.raw(bytes)
        }
    }

    /// Decodes a value; never fails, since undecodable bytes are kept as they are.
    package init(encoded bytes: [UInt8]) {
        self = Self.read(bytes, depth: 0) ?? .unrecognized(bytes)
    }

    private static func read(_ bytes: [UInt8], depth: Int) -> Self? {
        guard let type = bytes.first else { return nil }
        let payload = bytes.dropFirst()
        switch type {
        case 0...2:
            guard payload.isEmpty else { return nil }
            return [.nothing, .bool(false), .bool(true)][Int(type)]
        case 3:
            var reader = VarintReader(Array(payload))
            guard let value = try? reader.signed(), reader.remaining == 0 else { return nil }
            return .integer(value)
        case 4:
            guard payload.count == 8 else { return nil }
            return .double(Double(bitPattern: payload.reduce(0) { $0 << 8 | UInt64($1) }))
        case 5:
            return String(validating: payload, as: UTF8.self).map { .text($0) }
        case 6:
            return .bytes(Array(payload))
        case 7:
            guard payload.count == 16 else { return nil }
            return .identifier(payload.reduce(0) { $0 << 8 | UInt128($1) })
        case 8:
            return depth < Limits.groupDepth ? readGroup(Array(payload), depth: depth) : nil
        default:
            return nil
        }
    }

    private static func readGroup(_ payload: [UInt8], depth: Int) -> Self? {
        var reader = VarintReader(payload)
        var values: [FieldValue] = []
        while reader.remaining > 0 {
            guard let count = try? reader.count(itemBytes: 1), let range = try? reader.skip(count) else { return nil }
            let bytes = Array(payload[range])
            values.append(read(bytes, depth: depth + 1) ?? .unrecognized(bytes))
        }
        return .group(values)
    }
}
