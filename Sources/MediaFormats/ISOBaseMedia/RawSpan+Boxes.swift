/// Walking boxes in memory; nothing here recurses, so no nesting can exhaust the stack.
extension RawSpan {
    /// The consecutive boxes of a container's payload, in file order up to its end or to trailing zeros.
    ///
    /// - Throws: `truncated`, `malformed`, or `limitExceeded`.
    package func boxes(in range: FileRange, limits: ParseLimits = .standard) throws(MediaFormatError) -> [Box] {
        let end = Swift.min(range.end, byteCount)
        var found: [Box] = []
        var offset = range.offset
        while end - offset >= Box.shortestHeader {
            guard found.count < limits.segments else {
                throw MediaFormatError(.limitExceeded, "a container holds too many boxes", at: offset)
            }
            if try integer(at: offset, as: UInt32.self) == 0 {
                // "Up to the end" is reserved for the last box of a file (ISO/IEC 14496-12, 4.2); inside a box it is
                // QuickTime's end mark. A box without size would swallow anything written after it.
                guard try isZero(FileRange(offset..<end)) else {
                    throw MediaFormatError(.malformed, "a box inside another has no size", at: offset)
                }
                break
            }
            let header = extracting(offset..<Swift.min(offset + Box.longestHeader, end))
            let box = try Box(header: header, at: offset, endOfContainer: end)
            found.append(box)
            offset = box.range.end
        }
        return found
    }

    private func isZero(_ range: FileRange) throws(MediaFormatError) -> Bool {
        for offset in range.bounds where try byte(at: offset) != 0 { return false }
        return true
    }

    /// The boxes inside a container.
    package func children(of box: Box, limits: ParseLimits = .standard) throws(MediaFormatError) -> [Box] {
        try boxes(in: box.payload, limits: limits)
    }

    /// The first box on a path of types below a container; nil if absent.
    package func descendant(
        of box: Box,
        _ path: FourCharacterCode...,
        limits: ParseLimits = .standard
    ) throws(MediaFormatError) -> Box? {
        var current = box
        for type in path {
            guard let next = try children(of: current, limits: limits).first(ofType: type) else { return nil }
            current = next
        }
        return current
    }

    /// The boxes inside a `meta` box: QuickTime's is a plain container, ISO's a FullBox.
    ///
    /// The first four bytes tell the two apart: version and flags are 0 in one, the other begins with the nonzero size
    /// of its first box.
    package func metaChildren(of meta: Box, limits: ParseLimits = .standard) throws(MediaFormatError) -> [Box] {
        guard meta.payload.length >= 4 else { return [] }
        let first: UInt32 = try integer(at: meta.payload.offset)
        return try boxes(in: first == 0 ? meta.payload.dropping(4) : meta.payload, limits: limits)
    }

    /// The TIFF structure in an Exif box or item: after a 32-bit offset that counts from its own end (ISO/IEC 23008-12,
    /// A.2.1); nil if it begins behind the payload's end.
    func tiffBlock(ofExif payload: FileRange) -> FileRange? {
        guard let skipped = try? integer(at: payload.offset, as: UInt32.self) else { return nil }
        let rest = payload.dropping(4)
        return Int(skipped) < rest.length ? rest.dropping(Int(skipped)) : nil
    }

    /// The UTF-8 of a range up to the first zero byte; invalid bytes are replaced.
    func text(in range: FileRange, limits: ParseLimits = .standard) throws(MediaFormatError) -> String {
        let bytes = try copyBytes(in: range, limit: limits.valueBytes)
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension Sequence<Box> {
    /// The first box of a type.
    package func first(ofType type: FourCharacterCode) -> Box? {
        first { $0.type == type }
    }

    /// All boxes of a type.
    package func all(ofType type: FourCharacterCode) -> [Box] {
        filter { $0.type == type }
    }
}
