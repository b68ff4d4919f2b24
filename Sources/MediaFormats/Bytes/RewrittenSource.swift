/// A rewritten file as a ``ByteSource``, so that it can be rewritten again without copying.
package struct RewrittenSource<Source: ByteSource>: ByteSource {
    private let file: RewrittenFile
    private let source: Source

    /// The length of the rewritten file in bytes.
    package let byteCount: Int

    /// Wraps a file derived from a source.
    package init(_ file: RewrittenFile, of source: Source) {
        self.file = file
        self.source = source
        byteCount = file.byteCount
    }

    /// Reads new bytes and the source's bytes.
    package func bytes(in range: FileRange) throws -> [UInt8] {
        guard range.end <= byteCount else {
            throw MediaFormatError(.truncated, "the bytes end here", at: byteCount)
        }
        var result: [UInt8] = []
        for piece in file.pieces(in: range) {
            switch piece {
            case .bytes(let bytes): result += bytes
            case .source(let part): result += try source.bytes(in: part)
            }
        }
        return result
    }
}

extension RewrittenFile {
    /// The runs covering a part of the new file.
    func pieces(in range: FileRange) -> [Piece] {
        var start = 0
        var parts: [Piece] = []
        for piece in pieces {
            let (low, high) = (max(range.offset, start), min(range.end, start + piece.byteCount))
            if low < high {
                switch piece {
                case .bytes(let bytes): parts.append(.bytes(Array(bytes[low - start..<high - start])))
                case .source(let old):
                    parts.append(.source(FileRange(old.offset + low - start..<old.offset + high - start)))
                }
            }
            start += piece.byteCount
        }
        return parts
    }

    /// The same file, expressed in terms of another rewritten file's source.
    ///
    /// - Parameter file: the rewritten file that this one was derived from.
    /// - Returns: this file as new bytes and ranges of that file's source.
    package func rebased(on file: RewrittenFile) -> RewrittenFile {
        var result = RewrittenFile()
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): result.append(bytes)
            case .source(let range): for part in file.pieces(in: range) { result.append(part) }
            }
        }
        return result
    }
}
