/// A file derived from another one: new bytes and ranges of the old file, in order.
///
/// Changing a large photo's metadata costs only the metadata; the image data is referenced, not copied, and can be
/// streamed from the old file.
package struct RewrittenFile: Hashable, Sendable {
    /// One run of bytes of the new file.
    package enum Piece: Hashable, Sendable {
        /// New bytes.
        case bytes([UInt8])
        /// Unchanged bytes of the old file.
        case source(FileRange)

        /// The number of bytes it stands for.
        package var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .source(let range): range.length
            }
        }
    }

    /// The runs in order; none is empty, and no two neighbours are adjacent ranges of the old file.
    package private(set) var pieces: [Piece] = []

    /// An empty file.
    package init() {}

    /// The length of the new file in bytes.
    package var byteCount: Int { pieces.reduce(0) { $0 + $1.byteCount } }

    /// Appends new bytes.
    package mutating func append(_ bytes: [UInt8]) {
        if !bytes.isEmpty { pieces.append(.bytes(bytes)) }
    }

    /// Appends a range of the old file, merged with the previous one if they touch.
    package mutating func append(_ range: FileRange) {
        guard !range.isEmpty else { return }
        if case .source(let last) = pieces.last, last.end == range.offset {
            pieces[pieces.count - 1] = .source(FileRange(last.offset..<range.end))
        } else {
            pieces.append(.source(range))
        }
    }

    /// Appends a run, merged with the previous one if both are adjacent ranges of the old file.
    mutating func append(_ piece: Piece) {
        switch piece {
        case .bytes(let bytes): append(bytes)
        case .source(let range): append(range)
        }
    }

    /// Copies the whole new file into one array.
    ///
    /// - Throws: `truncated` if the old file is shorter than a kept range.
    package func copyBytes(from source: RawSpan) throws(MediaFormatError) -> [UInt8] {
        var writer = ByteWriter(capacity: byteCount)
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): writer.append(bytes)
            case .source(let range): try writer.append(range, of: source)
            }
        }
        return writer.bytes
    }
}
