/// A value of a column or an argument, in PostgreSQL's binary format on the wire.
///
/// Integers of every width are read as ``integer(_:)``, including the `numeric` that `sum(bigint)` returns; both widths
/// of floating-point numbers are read as ``real(_:)``.
package enum PostgreSQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case boolean(Bool)

    /// Types by their number in `pg_type`, the same in every database.
    enum TypeNumber {
        static let boolean: UInt32 = 16
        static let blob: UInt32 = 17
        static let integer: UInt32 = 20
        static let text: UInt32 = 25
        static let real: UInt32 = 701
    }

    /// The type of an argument; 0 lets the server infer it: for null, and for text, which may be for a JSON column.
    var typeNumber: UInt32 {
        switch self {
        case .null, .text: 0
        case .integer: TypeNumber.integer
        case .real: TypeNumber.real
        case .blob: TypeNumber.blob
        case .boolean: TypeNumber.boolean
        }
    }

    /// Appends the argument's bytes.
    ///
    /// - Throws: `failed` for text with a NUL character, which PostgreSQL cannot hold.
    func encode(into bytes: inout [UInt8]) throws(PostgreSQLError) {
        switch self {
        case .null: break
        case .integer(let value): bytes.append(bigEndian: UInt64(bitPattern: value))
        case .real(let value): bytes.append(bigEndian: value.bitPattern)
        case .text(let value):
            guard !value.utf8.contains(0) else {
                throw PostgreSQLError(.failed, "text with a NUL character: PostgreSQL cannot hold it")
            }
            bytes.append(contentsOf: value.utf8)
        case .blob(let value): bytes.append(contentsOf: value)
        case .boolean(let value): bytes.append(value ? 1 : 0)
        }
    }

    /// Decodes the binary form of a column that is not null, by its type's number.
    ///
    /// - Throws: `damaged` if the bytes are not such a value, `failed` for an unsupported type.
    init(type: UInt32, _ bytes: RawSpan) throws(PostgreSQLError) {
        switch type {
        case TypeNumber.boolean: self = .boolean(try bytes.integer(of: 1) != 0)
        case TypeNumber.blob: self = .blob(bytes.copied)
        case TypeNumber.integer: self = .integer(try bytes.integer(of: 8))
        case 21: self = .integer(try bytes.integer(of: 2))
        case 23: self = .integer(try bytes.integer(of: 4))
        // Unsigned: an object's number (oid), and the 64-bit number of a transaction (xid8).
        case 26: self = .integer(try bytes.integer(of: 4) & 0xffff_ffff)
        case 5069: self = .integer(try bytes.integer(of: 8))
        case 700: self = .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bytes.integer(of: 4)))))
        case TypeNumber.real: self = .real(Double(bitPattern: UInt64(bitPattern: try bytes.integer(of: 8))))
        case 1700: self = .integer(try bytes.wholeNumeric())
        // name, text, json, the unknown type of a bare literal, char and varchar.
        case 19, TypeNumber.text, 114, 705, 1042, 1043:
            guard let text = String(validating: bytes.copied, as: UTF8.self) else {
                throw PostgreSQLError(.damaged, "text that is not UTF-8")
            }
            self = .text(text)
        case 2278: self = .null
        default: throw PostgreSQLError(.failed, "columns of type \(type) are not supported: cast it")
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate mutating func append(bigEndian value: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}

extension RawSpan {
    /// All bytes.
    package var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    private func byte(at index: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self) }

    /// A signed integer of exactly this many bytes, most significant first.
    fileprivate func integer(of count: Int) throws(PostgreSQLError) -> Int64 {
        guard byteCount == count else {
            throw PostgreSQLError(.damaged, "a number has \(byteCount) bytes instead of \(count)")
        }
        return signed(at: 0, count)
    }

    private func signed(at offset: Int, _ count: Int) -> Int64 {
        var value = Int64(Int8(bitPattern: byte(at: offset)))
        for index in offset + 1..<offset + count { value = value << 8 | Int64(byte(at: index)) }
        return value
    }

    /// A `numeric` without a fraction: digits in base 10,000, see `numeric_send` in PostgreSQL's numeric.c.
    fileprivate func wholeNumeric() throws(PostgreSQLError) -> Int64 {
        let damage = PostgreSQLError(.damaged, "a number that is not whole, or wider than 64 bits")
        guard byteCount >= 8 else { throw damage }
        let (digitCount, weight, sign) = (Int(signed(at: 0, 2)), Int(signed(at: 2, 2)), signed(at: 4, 2) & 0xffff)
        guard digitCount >= 0, byteCount == 8 + 2 * digitCount, sign == 0 || sign == 0x4000 else { throw damage }
        guard digitCount > 0 else { return 0 }
        guard 0...4 ~= weight, digitCount <= weight + 1 else { throw damage }
        var value: Int64 = 0
        for place in 0...weight {
            let digit = place < digitCount ? signed(at: 8 + 2 * place, 2) : 0
            guard 0..<10_000 ~= digit else { throw damage }
            let (scaled, isTooWide) = value.multipliedReportingOverflow(by: 10_000)
            // Counts downwards, since the least integer has no positive counterpart.
            let (sum, isTooLow) = scaled.subtractingReportingOverflow(digit)
            guard !isTooWide, !isTooLow else { throw damage }
            value = sum
        }
        guard sign == 0 else { return value }
        guard value != .min else { throw damage }
        return -value
    }
}
