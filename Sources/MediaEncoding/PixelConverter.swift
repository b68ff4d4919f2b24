import CFFmpeg
import Capture
import PhotoModel

/// Turns pictures of one layout into another with libswscale; the table for a pair of layouts is kept.
///
/// One thread at a time uses a converter.
@safe
struct PixelConverter: ~Copyable {
    /// Where a picture is.
    @unsafe
    struct Planes {
        let pointers: [UnsafePointer<UInt8>?]
        let strides: [Int32]
        let format: AVPixelFormat
        let isFullRange: Bool
    }

    private var context: OpaquePointer?

    deinit {
        unsafe sws_freeContext(context)
    }

    /// Converts to full-range planes of the same size. The corresponding C functions are `sws_getCachedContext`,
    /// `sws_setColorspaceDetails` and `sws_scale`.
    mutating func convert(
        _ source: Planes,
        size: PixelSize,
        to format: AVPixelFormat,
        _ target: [UnsafeMutablePointer<UInt8>?],
        strides: [Int32]
    ) throws(MediaEncodingError) {
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        unsafe context = unsafe sws_getCachedContext(
            context, width, height, source.format, width, height, format, SWS_BILINEAR, nil, nil, nil
        )
        guard let context = unsafe context else {
            throw MediaEncodingError(.unsupported, "no conversion from this pixel format")
        }
        let table = unsafe sws_getCoefficients(SWS_CS_ITU601)
        _ = unsafe sws_setColorspaceDetails(context, table, source.isFullRange ? 1 : 0, table, 1, 0, 1 << 16, 1 << 16)
        let rows = unsafe sws_scale(context, source.pointers, source.strides, 0, height, target, strides)
        guard rows == height else {
            throw MediaEncodingError(.codecFailed, "a picture could not be converted", number: rows)
        }
    }
}
