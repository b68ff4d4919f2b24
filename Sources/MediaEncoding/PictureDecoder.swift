import CFFmpeg
import PhotoModel

/// Decodes JPEGs of any sampling into the 4:2:0 planes that video and HEIC encoders take.
///
/// Use a decoder from one thread at a time.
final class PictureDecoder {
    private let decoder: JPEGDecoder
    private var converter = PixelConverter()
    private var planes: PlanarPicture?

    /// Creates a decoder.
    init() throws(MediaEncodingError) {
        decoder = try JPEGDecoder()
    }

    /// Reads the size of a JPEG; nil if it is damaged or has a sampling that no camera uses.
    func size(of bytes: RawSpan) -> PixelSize? {
        guard let header = try? decoder.header(of: bytes), header.sampling != nil else { return nil }
        return header.size
    }

    /// Decodes directly if the JPEG is sampled 4:2:0, else by conversion.
    ///
    /// The targets are the luma and two chroma planes, with room for an odd row and column, and row strides in bytes.
    /// The size is the JPEG's, or a smaller one from ``JPEGDecoder/size(_:scaledDownTo:)``.
    ///
    /// - Throws: `damagedInput`, `codecFailed`.
    func decode(
        _ bytes: RawSpan,
        into targets: [UnsafeMutablePointer<UInt8>?],
        strides: [Int32],
        size: PixelSize
    ) throws(MediaEncodingError) {
        guard let sampling = try decoder.header(of: bytes).sampling else {
            throw MediaEncodingError(.damagedInput, "a JPEG with a chroma sampling that no camera uses")
        }
        guard sampling != .quarter else {
            return try unsafe decoder.decode(bytes, into: targets, strides: strides, size: size)
        }
        var picture = PlanarPicture.reusing(&planes, size: size, sampling: sampling)
        defer { planes = picture }
        let sourceStrides = picture.strides
        try unsafe picture.withMutablePlanes { planes throws(MediaEncodingError) in
            try unsafe decoder.decode(bytes, into: planes, strides: sourceStrides, size: size)
        }
        try unsafe picture.withPlanes { planes throws(MediaEncodingError) in
            try unsafe converter.convert(
                PixelConverter.Planes(
                    pointers: planes,
                    strides: sourceStrides,
                    format: sampling.pixelFormat,
                    isFullRange: true
                ),
                size: size,
                to: AV_PIX_FMT_YUV420P,
                targets,
                strides: strides
            )
        }
    }
}
