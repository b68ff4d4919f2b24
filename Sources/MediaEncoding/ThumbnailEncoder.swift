import PhotoModel

/// Encodes the thumbnails that EXIF carries.
///
/// Use an encoder from one thread at a time.
final class ThumbnailEncoder {
    /// The largest that fits into EXIF's single 64 kB segment beside everything else.
    static let largestByteCount = 48 << 10
    /// The widest, unless an eighth of the picture is wider.
    static let largestWidth = 320
    /// Tried in order until the thumbnail is small enough.
    private static let qualities: [Int32] = [80, 50, 20]

    private let decoder: PictureDecoder
    private let encoder: JPEGEncoder

    /// Creates an encoder.
    init() throws(MediaEncodingError) {
        decoder = try PictureDecoder()
        encoder = try JPEGEncoder()
    }

    /// Encodes a thumbnail of a whole JPEG as a complete one; nil if even the lowest quality is too large.
    ///
    /// - Throws: `damagedInput`, `codecFailed`.
    func jpeg(of bytes: RawSpan) throws(MediaEncodingError) -> [UInt8]? {
        guard let whole = decoder.size(of: bytes) else {
            throw MediaEncodingError(.damagedInput, "the frame is not a decodable JPEG")
        }
        let size = JPEGDecoder.size(whole, scaledDownTo: Self.largestWidth)
        var picture = PlanarPicture(size: size, sampling: .quarter)
        let strides = picture.strides
        try unsafe picture.withMutablePlanes { planes throws(MediaEncodingError) in
            try unsafe decoder.decode(bytes, into: planes, strides: strides, size: size)
        }
        for quality in Self.qualities {
            let small = try unsafe picture.withPlanes { planes throws(MediaEncodingError) in
                try unsafe encoder.encode(
                    planes: planes,
                    strides: strides,
                    size: size,
                    sampling: .quarter,
                    quality: quality
                )
            }
            if small.count <= Self.largestByteCount { return small }
        }
        return nil
    }
}
