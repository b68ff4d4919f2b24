import MediaFormats

/// Whether a JPEG is complete: it has the EOI marker, after which anything may follow (ITU-T T.81, B.1.1.3).
///
/// Programs append previews, movies and notes of any length. A marker near the end is enough evidence, so that most
/// files are not read for this. Otherwise the segments are walked up to the scans (B.1.1.4), which are searched for the
/// marker that ends them (B.1.1.5): in them, FF 00 is a picture byte, and the restart markers D0 to D7 are part of the
/// data.
struct JPEGEnding {
    private static let tailByteCount = 64 << 10
    private static let chunkByteCount = 256 << 10

    private let source: FileSource
    /// Buffered bytes of the file from an offset on.
    private var chunk: [UInt8] = []
    private var chunkOffset = 0

    private init(_ source: FileSource) { self.source = source }

    /// Whether the end is missing; false also if the file cannot be read.
    static func isMissing(in source: FileSource) -> Bool {
        let count = min(source.byteCount, tailByteCount)
        guard let tail = try? source.bytes(in: FileRange(source.byteCount - count..<source.byteCount)) else {
            return false
        }
        // From the end, where it nearly always is; in the header, it is that of a preview.
        let rest = tail.dropFirst(max(0, headerEnd(in: source) - (source.byteCount - count)))
        if rest.indices.dropLast().reversed().contains(where: { rest[$0] == 0xFF && rest[$0 + 1] == 0xD9 }) {
            return false
        }
        // The whole file was searched.
        if count == source.byteCount { return true }
        var ending = Self(source)
        return (try? ending.isReached()) == false
    }

    /// Where a file's first scan begins, if it is short enough for its header to be in its tail.
    private static func headerEnd(in source: FileSource) -> Int {
        guard source.byteCount <= 2 * tailByteCount, let bytes = try? source.head(source.byteCount) else { return 0 }
        let header = bytes.withBytes { try? JPEGHeader($0) }
        return header?.segments.last?.marker == .startOfScan ? header?.end ?? 0 : 0
    }

    /// Walks from segment to segment, and through the scans, to the end.
    private mutating func isReached() throws -> Bool {
        // After the marker that begins the file.
        var offset = 2
        while true {
            guard try byte(at: offset) == 0xFF else { return false }
            while try byte(at: offset + 1) == 0xFF { offset += 1 }
            guard let marker = try byte(at: offset + 1) else { return false }
            offset += 2
            switch marker {
            case 0xD9: return true
            case 0x01, 0xD0...0xD8: continue
            default:
                guard let high = try byte(at: offset), let low = try byte(at: offset + 1) else { return false }
                offset += max(2, Int(high) << 8 | Int(low))
                if marker == 0xDA {
                    guard let end = try endOfScan(from: offset) else { return false }
                    offset = end
                }
            }
        }
    }

    /// The offset of the marker that ends a scan's data; nil if the file ends first.
    private mutating func endOfScan(from start: Int) throws -> Int? {
        var offset = start
        while try byte(at: offset) != nil {
            guard let place = chunk[(offset - chunkOffset)...].firstIndex(of: 0xFF) else {
                offset = chunkOffset + chunk.count
                continue
            }
            offset = chunkOffset + place
            guard let next = try byte(at: offset + 1) else { return nil }
            switch next {
            case 0x00, 0xD0...0xD7: offset += 2
            case 0xFF: offset += 1
            default: return offset
            }
        }
        return nil
    }

    /// A byte of the file; nil past its end.
    private mutating func byte(at offset: Int) throws -> UInt8? {
        if offset < chunkOffset || offset >= chunkOffset + chunk.count {
            guard offset < source.byteCount else { return nil }
            chunk = try source.bytes(in: FileRange(offset..<min(offset + Self.chunkByteCount, source.byteCount)))
            chunkOffset = offset
            if chunk.isEmpty { return nil }
        }
        return chunk[offset - chunkOffset]
    }
}
