package import PhotoModel

/// A JPEG file up to its first scan: the part that holds the metadata.
///
///     FFD8                      start of image
///     FF.. FFxx len16 payload   segments: APPn, COM, DQT, DHT, SOFn, ...; 0xFF may be repeated before a marker
///     FFDA len16 header         the first start of scan; everything after it is image data until FFD9
///
/// Reading it touches none of the image data, so the first few kilobytes of a file are enough.
package struct JPEGHeader: Hashable, Sendable {
    /// The segments from start of image to the first start of scan, both included.
    package let segments: [JPEGSegment]
    /// The size in the frame header; nil if there is none or its height comes later (DNL).
    package let pixelSize: PixelSize?
    /// Whether the image consists of several scans.
    package let isProgressive: Bool

    /// Reads the segments of a file, or enough of its beginning.
    ///
    /// - Throws: `unrecognizedFormat` without a start of image, `truncated` if the bytes end before the first scan,
    ///   `malformed`, or `limitExceeded`.
    package init(_ bytes: RawSpan, limits: ParseLimits = .standard) throws(MediaFormatError) {
        var cursor = try JPEGSegmentCursor(bytes)
        var segments: [JPEGSegment] = []
        var size: PixelSize?
        var isProgressive = false
        repeat {
            guard segments.count < limits.segments else {
                throw MediaFormatError(.limitExceeded, "too many segments", at: cursor.offset)
            }
            let segment = try cursor.next(in: bytes)
            if segment.marker.isFrameHeader {
                size = try Self.pixelSize(of: segment, in: bytes)
                isProgressive = segment.marker.rawValue & 0x03 == 2
            }
            segments.append(segment)
        } while segments.last?.marker != .startOfScan && segments.last?.marker != .endOfImage
        self.segments = segments
        pixelSize = size
        self.isProgressive = isProgressive
    }

    /// The first byte after the start of scan's header: where entropy-coded data begins.
    package var end: Int { segments.last?.range.end ?? 0 }

    /// The EXIF blocks (TIFF structures, from their byte order mark), in file order.
    package func exifBlocks(in bytes: RawSpan) -> [FileRange] {
        payloads(of: .application(1), withPrefix: JPEGPrefix.exif, in: bytes)
    }

    /// The main XMP packets, normally one.
    package func xmpPackets(in bytes: RawSpan) -> [FileRange] {
        payloads(of: .application(1), withPrefix: JPEGPrefix.xmp, in: bytes)
    }

    /// The Photoshop resource blocks, which hold IPTC.
    package func photoshopBlocks(in bytes: RawSpan) -> [FileRange] {
        payloads(of: .application(13), withPrefix: JPEGPrefix.photoshop, in: bytes)
    }

    private func payloads(of marker: JPEGMarker, withPrefix prefix: StaticString, in bytes: RawSpan) -> [FileRange] {
        segments.compactMap { segment in
            guard segment.marker == marker, segment.payload.length >= prefix.utf8CodeUnitCount,
                bytes.hasPrefix(prefix, at: segment.payload.offset)
            else { return nil }
            return segment.payload.dropping(prefix.utf8CodeUnitCount)
        }
    }

    /// Frame header (T.81, B.2.2): precision 8, height 16, width 16, components 8, ...
    private static func pixelSize(of frame: JPEGSegment, in bytes: RawSpan) throws(MediaFormatError) -> PixelSize? {
        guard frame.payload.length >= 6 else {
            throw MediaFormatError(.malformed, "a frame header is too short", at: frame.range.offset)
        }
        let height = try bytes.integer(at: frame.payload.offset + 1, as: UInt16.self)
        let width = try bytes.integer(at: frame.payload.offset + 3, as: UInt16.self)
        return width > 0 && height > 0 ? PixelSize(width: Int(width), height: Int(height)) : nil
    }
}

extension ByteSource {
    /// Reads a JPEG's first bytes: as many as hold most headers, or up to a limit if its header is longer.
    package func jpegHead(_ limit: Int) throws -> [UInt8] {
        let short = try head(min(256 << 10, limit))
        let isEnough = short.count >= min(limit, byteCount) || short.withBytes { (try? JPEGHeader($0)) != nil }
        return isEnough ? short : try head(limit)
    }
}

/// The prefixes of metadata segments, which distinguish the uses of an APPn.
enum JPEGPrefix {
    static let exif: StaticString = "Exif\0\0"
    static let xmp: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    static let extendedXMP: StaticString = "http://ns.adobe.com/xmp/extension/\0"
    static let photoshop: StaticString = "Photoshop 3.0\0"
    static let jfif: StaticString = "JFIF\0"
    static let jfifExtension: StaticString = "JFXX\0"
    static let colorProfile: StaticString = "ICC_PROFILE\0"
    static let adobe: StaticString = "Adobe"
    static let ducky: StaticString = "Ducky"
    static let motionJPEG: StaticString = "AVI1"
}
