import PhotoModel

/// Makes the small pictures that EXIF carries.
///
/// One thread at a time uses an encoder.
final class ThumbnailEncoder {
    /// The longest that fits into EXIF's one segment of 64 kB beside everything else.
    static let largestByteCount = 48 << 10
    /// The widest, unless an eighth of the picture is wider.
    static let largestWidth = 320
    /// Tried one after the other until the picture is small enough.
    private static let qualities: [Int32] = [80, 50, 20]

    private let decoder: PictureDecoder
    private let encoder: JPEGEncoder

    /// Starts an encoder.
    init() throws(MediaEncodingError) {
        decoder = try PictureDecoder()
        encoder = try JPEGEncoder()
    }

    /// Makes a small picture; nil when even the worst would be too large.
    ///
    /// - Parameter bytes: the whole JPEG.
    /// - Returns: a JPEG of its own.
    /// - Throws: `damagedInput`, `codecFailed`.
    func jpeg(of bytes: RawSpan) throws(MediaEncodingError) -> [UInt8]? {
        guard let whole = decoder.size(of: bytes) else {
            throw MediaEncodingError(.damagedInput, "the frame is no JPEG that can be decoded")
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
