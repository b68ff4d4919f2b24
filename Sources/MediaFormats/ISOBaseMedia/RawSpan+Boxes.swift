/// Walking the boxes of bytes in memory; nothing here recurses, so no nesting can exhaust the stack.
extension RawSpan {
    /// The boxes that follow each other in a range, up to its end or to nothing but zeros.
    ///
    /// - Parameters:
    ///   - range: a container's payload.
    ///   - limits: how many boxes there may be.
    /// - Returns: the boxes in file order.
    /// - Throws: `truncated`, `malformed`, or `limitExceeded`.
    package func boxes(
        in range: FileRange,
        limits: ParseLimits = .standard
    ) throws(MediaFormatError) -> [Box] {
        let end = Swift.min(range.end, byteCount)
        var found: [Box] = []
        var offset = range.offset
        while end - offset >= Box.shortestHeader {
            guard found.count < limits.segments else {
                throw MediaFormatError(.limitExceeded, "a container holds too many boxes", at: offset)
            }
            if try integer(at: offset, as: UInt32.self) == 0 {
                // "Up to the end" is for the last box of a file (ISO/IEC 14496-12, 4.2); inside a box it is QuickTime's
                // end mark. A box without size would swallow what is written behind it.
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

    /// The first box on a path of types below a container; nil when there is none.
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
    /// The two are told apart by the first four bytes: version and flags of the one are 0, the other begins with the
    /// size of its first box, which is not.
    package func metaChildren(of meta: Box, limits: ParseLimits = .standard) throws(MediaFormatError) -> [Box] {
        guard meta.payload.length >= 4 else { return [] }
        let first: UInt32 = try integer(at: meta.payload.offset)
        return try boxes(in: first == 0 ? meta.payload.dropping(4) : meta.payload, limits: limits)
    }

    /// The UTF-8 of a range, without what follows the first zero byte; what is not UTF-8 is replaced.
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
