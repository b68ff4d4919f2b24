/// A rewritten file as the readers of formats take it, so that it can be rewritten once more without being copied.
package struct RewrittenSource<Source: ByteSource>: ByteSource {
    private let file: RewrittenFile
    private let source: Source

    /// The length of the rewritten file in bytes.
    package let byteCount: Int

    /// Stands for a file that was made from a source.
    package init(_ file: RewrittenFile, of source: Source) {
        self.file = file
        self.source = source
        byteCount = file.byteCount
    }

    /// Reads new bytes and bytes of the source.
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
    /// The runs of a part of the new file.
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

    /// The same file, made from what another rewritten file was made from.
    ///
    /// - Parameter file: the rewritten file that this one was made from.
    /// - Returns: the bytes of this file, as new ones and ranges of that file's source.
    package func rebased(on file: RewrittenFile) -> RewrittenFile {
        var result = RewrittenFile()
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): result.append(bytes)
            case .source(let range):
                for part in file.pieces(in: range) {
                    switch part {
                    case .bytes(let bytes): result.append(bytes)
                    case .source(let old): result.append(old)
                    }
                }
            }
        }
        return result
    }
}
