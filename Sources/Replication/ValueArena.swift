/// The encoded bytes of one value in 16 bytes: up to 15 bytes inline, longer ones as a reference into a `ValueArena`.
///
/// Inline: bytes 0...14 hold the value, the top byte its length. Otherwise `low` is the offset, the lower half of
/// `high` the length, and the top byte 0xFF. Being plain bits, entries are copied without reference counting.
struct PackedValue: Equatable {
    var low: UInt64
    var high: UInt64

    static let inlineCapacity = 15

    var isInline: Bool { high >> 56 != 0xFF }

    var count: Int { isInline ? Int(high >> 56) : Int(high & 0xFFFF_FFFF) }

    var offset: Int { Int(low) }

    init(offset: Int, count: Int) {
        low = UInt64(offset)
        high = 0xFF << 56 | UInt64(count)
    }

    /// Packs up to 15 bytes of `bytes`.
    init(inline range: Range<Int>, of bytes: [UInt8]) {
        var words: (UInt64, UInt64) = (0, UInt64(range.count) << 56)
        var shift: UInt64 = 0
        for index in range {
            if shift < 64 {
                words.0 |= UInt64(bytes[index]) << shift
            } else {
                words.1 |= UInt64(bytes[index]) << (shift - 64)
            }
            shift += 8
        }
        (low, high) = words
    }

    func inlineByte(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: index < 8 ? low >> UInt64(8 * index) : high >> UInt64(8 * (index - 8)))
    }
}

/// The values longer than 15 bytes, one after the other; replaced ones become garbage until the owner compacts.
struct ValueArena {
    private(set) var bytes: [UInt8] = []
    private(set) var garbage = 0

    /// Whether more than half of a sizeable arena is garbage.
    var wantsCompacting: Bool { garbage > 1 << 16 && garbage > bytes.count / 2 }

    mutating func pack(_ range: Range<Int>, of source: [UInt8]) -> PackedValue {
        guard range.count > PackedValue.inlineCapacity else { return PackedValue(inline: range, of: source) }
        let offset = bytes.count
        bytes.append(contentsOf: source[range])
        return PackedValue(offset: offset, count: range.count)
    }

    mutating func pack(_ encoded: [UInt8]) -> PackedValue {
        pack(0..<encoded.count, of: encoded)
    }

    /// Copies a value from another arena.
    @inline(__always)
    mutating func adopt(_ value: PackedValue, from other: borrowing ValueArena) -> PackedValue {
        value.isInline ? value : pack(value.offset..<value.offset + value.count, of: other.bytes)
    }

    mutating func discard(_ value: PackedValue) {
        if !value.isInline { garbage += value.count }
    }

    func encoded(_ value: PackedValue) -> [UInt8] {
        guard value.isInline else { return Array(bytes[value.offset..<value.offset + value.count]) }
        return (0..<value.count).map(value.inlineByte)
    }

    func write(_ value: PackedValue, to writer: inout VarintWriter) {
        if value.isInline {
            for index in 0..<value.count { writer.byte(value.inlineByte(index)) }
        } else {
            writer.raw(bytes[value.offset..<value.offset + value.count])
        }
    }
}
