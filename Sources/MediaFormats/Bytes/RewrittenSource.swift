/// A rewritten file as a ``ByteSource``, so that it can be rewritten again without copying.
package struct RewrittenSource<Source: ByteSource>: ByteSource {
    private let file: RewrittenFile
    private let starts: [Int]
    private let source: Source

    /// The length of the rewritten file in bytes.
    package let byteCount: Int

    /// Wraps a file derived from a source.
    package init(_ file: RewrittenFile, of source: Source) {
        self.file = file
        self.source = source
        starts = file.starts
        byteCount = file.byteCount
    }

    /// Reads new bytes and the source's bytes.
    package func bytes(in range: FileRange) throws -> [UInt8] {
        guard range.end <= byteCount else {
            throw MediaFormatError(.truncated, "the bytes end here", at: byteCount)
        }
        var result: [UInt8] = []
        for piece in file.pieces(in: range, starts) {
            switch piece {
            case .bytes(let bytes): result += bytes
            case .source(let part): result += try source.bytes(in: part)
            }
        }
        return result
    }
}

extension RewrittenFile {
    /// Where each run begins.
    var starts: [Int] {
        var starts: [Int] = []
        starts.reserveCapacity(pieces.count)
        var start = 0
        for piece in pieces {
            starts.append(start)
            start += piece.byteCount
        }
        return starts
    }

    /// The runs covering a part of the new file, of which the first and the last may be parts of the file's; ``starts``
    /// are the same for each part.
    func pieces(in range: FileRange, _ starts: [Int]) -> [Piece] {
        // The first run that ends behind the part's beginning: of a hundred thousand, not all are looked at each time.
        var (lower, upper) = (0, starts.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if starts[middle] + pieces[middle].byteCount <= range.offset { lower = middle + 1 } else { upper = middle }
        }
        var parts: [Piece] = []
        for index in lower..<starts.count {
            let (piece, start) = (pieces[index], starts[index])
            let (low, high) = (max(range.offset, start), min(range.end, start + piece.byteCount))
            guard low < high else { break }
            switch piece {
            case .bytes(let bytes): parts.append(.bytes(Array(bytes[low - start..<high - start])))
            case .source(let old):
                parts.append(.source(FileRange(old.offset + low - start..<old.offset + high - start)))
            }
        }
        return parts
    }

    /// The same file, derived from another rewritten file, as new bytes and ranges of that file's source.
    package func rebased(on file: RewrittenFile) -> RewrittenFile {
        var result = RewrittenFile()
        let starts = file.starts
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): result.append(bytes)
            case .source(let range): for part in file.pieces(in: range, starts) { result.append(part) }
            }
        }
        return result
    }
}
