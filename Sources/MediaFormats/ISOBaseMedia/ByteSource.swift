/// Random access to a file's bytes, so that a movie of many gigabytes is read without loading its media.
///
/// The caller supplies it, over a descriptor, a mapping or an object store; a byte array conforms too. Its errors pass
/// through the readers unchanged, beside their own ``MediaFormatError``.
package protocol ByteSource {
    /// The number of bytes of the file.
    var byteCount: Int { get }

    /// Reads exactly the bytes of a range, which is inside the file if requested by this module's readers.
    ///
    /// - Throws: any error of the underlying medium.
    func bytes(in range: FileRange) throws -> [UInt8]
}

extension Array<UInt8>: ByteSource {
    /// The number of bytes.
    package var byteCount: Int { count }

    /// Copies a range; throws `truncated` if it reaches outside.
    package func bytes(in range: FileRange) throws -> [UInt8] {
        guard range.end <= count else {
            throw MediaFormatError(.truncated, "the bytes end here", at: count)
        }
        return Array(self[range.bounds])
    }
}

extension ByteSource {
    /// Reads the file's first bytes, fewer if it is shorter.
    package func head(_ count: Int) throws -> [UInt8] {
        try bytes(in: FileRange(0..<min(count, byteCount)))
    }

    /// Reads a range that a file announces: it may lie outside, exceed a limit, or come back short.
    func untrustedBytes(in range: FileRange, limit: Int) throws -> [UInt8] {
        guard range.end <= byteCount else {
            throw MediaFormatError(.truncated, "a range reaches beyond the file", at: byteCount)
        }
        guard range.length <= limit else {
            throw MediaFormatError(.limitExceeded, "a structure is longer than the limit", at: range.offset)
        }
        let found = try bytes(in: range)
        guard found.count == range.length else {
            throw MediaFormatError(.truncated, "the source gave fewer bytes than the file has", at: range.offset)
        }
        return found
    }
}
