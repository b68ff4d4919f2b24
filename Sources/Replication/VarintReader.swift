/// Reads numbers and bytes from an untrusted buffer, never past its end; accepts only the shortest form of each number.
struct VarintReader {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - position }

    @inline(__always)
    mutating func byte() throws(ReplicationError) -> UInt8 {
        guard position < bytes.count else { throw .malformed("The bytes end too early", at: position) }
        defer { position += 1 }
        return bytes[position]
    }

    @inline(__always)
    mutating func varint() throws(ReplicationError) -> UInt64 {
        let first = try byte()
        return first < 0x80 ? UInt64(first) : try longVarint(first)
    }

    private mutating func longVarint(_ first: UInt8) throws(ReplicationError) -> UInt64 {
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while true {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw .malformed("A number has more than 64 bits", at: position) }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 {
                guard next != 0 else { throw .malformed("A number is not in its shortest form", at: position) }
                return value
            }
            shift += 7
        }
    }

    /// A number of at most `limit`.
    @inline(__always)
    mutating func varint(upTo limit: UInt64) throws(ReplicationError) -> UInt64 {
        let value = try varint()
        guard value <= limit else { throw ReplicationError(.limitExceeded, "A number is above \(limit)") }
        return value
    }

    /// A count of items of at least `itemBytes` bytes each, so that the input bounds the allocation.
    mutating func count(itemBytes: Int, upTo limit: Int = .max) throws(ReplicationError) -> Int {
        let value = try varint()
        guard value <= UInt64(remaining / itemBytes) else {
            throw .malformed("A count is larger than the bytes that follow", at: position)
        }
        guard value <= UInt64(limit) else { throw ReplicationError(.limitExceeded, "A count is above \(limit)") }
        return Int(value)
    }

    mutating func signed() throws(ReplicationError) -> Int64 {
        ZigZag.decode(try varint())
    }

    mutating func wide() throws(ReplicationError) -> UInt128 {
        guard remaining >= 16 else { throw .malformed("The bytes end inside an identifier", at: position) }
        var value: UInt128 = 0
        for offset in position..<position + 16 {
            value = value << 8 | UInt128(bytes[offset])
        }
        position += 16
        return value
    }

    /// The next bytes as a range of `bytes`.
    mutating func skip(_ count: Int) throws(ReplicationError) -> Range<Int> {
        guard count <= remaining else { throw .malformed("The bytes end inside a value", at: position) }
        defer { position += count }
        return position..<position + count
    }

    func expectEnd() throws(ReplicationError) {
        guard remaining == 0 else { throw .malformed("Bytes follow after the end", at: position) }
    }
}
