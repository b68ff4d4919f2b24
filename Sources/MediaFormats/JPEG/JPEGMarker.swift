/// The second byte of a JPEG marker (ITU-T T.81, table B.1).
package struct JPEGMarker: RawRepresentable, Hashable, Sendable {
    /// The byte after 0xFF.
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Start of image.
    package static let startOfImage = JPEGMarker(rawValue: 0xD8)
    /// End of image.
    package static let endOfImage = JPEGMarker(rawValue: 0xD9)
    /// Start of scan: its header, then entropy-coded data.
    package static let startOfScan = JPEGMarker(rawValue: 0xDA)
    /// Huffman tables.
    package static let huffmanTables = JPEGMarker(rawValue: 0xC4)
    /// Quantization tables.
    package static let quantizationTables = JPEGMarker(rawValue: 0xDB)
    /// A free-text comment.
    package static let comment = JPEGMarker(rawValue: 0xFE)

    /// The segment reserved for applications under a number, 0 to 15.
    package static func application(_ number: UInt8) -> JPEGMarker {
        JPEGMarker(rawValue: 0xE0 | number & 0x0F)
    }

    /// Whether it is APP0 to APP15 or a comment: metadata, not image.
    package var isMetadata: Bool { rawValue & 0xF0 == 0xE0 || self == .comment }
    /// Whether it has no length and payload.
    var isStandalone: Bool { rawValue == 0x01 || 0xD0...0xD9 ~= rawValue }
    /// Whether it separates restart intervals inside a scan.
    var isRestart: Bool { 0xD0...0xD7 ~= rawValue }
    /// Whether it is a frame header: SOF0 to SOF15, except DHT, JPG and DAC, which share the numbers.
    var isFrameHeader: Bool { 0xC0...0xCF ~= rawValue && ![0xC4, 0xC8, 0xCC].contains(rawValue) }
}

/// One marker segment of a JPEG file.
package struct JPEGSegment: Hashable, Sendable {
    /// The marker.
    package let marker: JPEGMarker
    /// The whole segment from its 0xFF, without fill bytes before it.
    package let range: FileRange
    /// The bytes after marker and length; empty for standalone markers.
    package let payload: FileRange
}
