/// Writing boxes: sizes are filled in once the body is complete.
///
/// A box written this way is built in memory, from structures that ``ParseLimits`` keep far below 4 GiB; a larger one
/// gets its header from ``ByteWriter/appendBoxHeader(_:payloadLength:)`` and is streamed after it.
extension ByteWriter {
    /// Appends a box: a header, then whatever the body appends.
    package mutating func appendBox(_ type: FourCharacterCode, _ body: (inout ByteWriter) -> Void) {
        let start = count
        append(UInt32(0))
        append(type.rawValue)
        body(&self)
        let size = UInt32(exactly: count - start)
        precondition(size != nil, "a box that is built in memory is below 4 GiB")
        patch(size ?? 0, at: start)
    }

    /// Appends a box whose payload begins with a version and 24 bits of flags.
    package mutating func appendFullBox(
        _ type: FourCharacterCode,
        version: UInt8 = 0,
        flags: UInt32 = 0,
        _ body: (inout ByteWriter) -> Void
    ) {
        appendBox(type) { writer in
            writer.append(UInt32(version) << 24 | flags & 0xFF_FFFF)
            body(&writer)
        }
    }

    /// Appends the header of a box whose payload is written elsewhere; with a 64-bit size only if needed.
    package mutating func appendBoxHeader(_ type: FourCharacterCode, payloadLength: Int) {
        if let size = UInt32(exactly: payloadLength + Box.shortestHeader) {
            append(words: size, type.rawValue)
        } else {
            append(words: 1, type.rawValue)
            append(UInt64(payloadLength) + 16)
        }
    }

    /// Appends 32-bit numbers.
    mutating func append(words: UInt32...) {
        for word in words { append(word) }
    }
}
