/// How a thumbnail is compressed.
package enum ThumbnailFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// JPEG (ITU-T T.81).
    case jpeg
    /// WebP (RFC 9649).
    case webP

    /// Its media type.
    package var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .webP: "image/webp"
        }
    }

    /// Whether a file has the format's beginning and was not cut: a JPEG has an end, a WebP tells its length (RFC 9649,
    /// section 2.4).
    package func isComplete(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .jpeg: return bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9]
        case .webP:
            guard bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) else {
                return false
            }
            return bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } + 8 == bytes.count
        }
    }
}
