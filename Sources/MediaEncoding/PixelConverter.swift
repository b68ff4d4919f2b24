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

    /// What a context was made for; all of it is fixed once the context is initialised.
    private struct Key: Equatable {
        let size: PixelSize
        let source: AVPixelFormat
        let isFullRange: Bool
        let target: AVPixelFormat
    }

    private var context: OpaquePointer?
    private var key: Key?

    deinit {
        unsafe sws_freeContext(context)
    }

    /// Converts to full-range planes of the same size.
    ///
    /// The corresponding C function is `sws_scale`.
    mutating func convert(
        _ source: Planes,
        size: PixelSize,
        to format: AVPixelFormat,
        _ target: [UnsafeMutablePointer<UInt8>?],
        strides: [Int32]
    ) throws(MediaEncodingError) {
        let wanted = unsafe Key(size: size, source: source.format, isFullRange: source.isFullRange, target: format)
        if key != wanted { try prepare(wanted) }
        let height = Int32(clamping: size.height)
        let rows = unsafe sws_scale(context, source.pointers, source.strides, 0, height, target, strides)
        guard rows == height else {
            throw MediaEncodingError(.codecFailed, "a picture could not be converted", number: rows)
        }
    }

    /// Makes a context.
    ///
    /// The corresponding C functions are `sws_alloc_context`, `av_opt_set_int` and `sws_init_context`: the range counts
    /// only when it is set before, since a shortcut that keeps it may be chosen otherwise.
    private mutating func prepare(_ wanted: Key) throws(MediaEncodingError) {
        unsafe sws_freeContext(context)
        unsafe context = unsafe sws_alloc_context()
        key = nil
        guard let context = unsafe context else {
            throw MediaEncodingError(.codecFailed, "no memory for a conversion")
        }
        let (width, height) = (Int64(wanted.size.width), Int64(wanted.size.height))
        let options: [(String, Int64)] = [
            ("srcw", width), ("srch", height), ("src_format", Int64(wanted.source.rawValue)),
            ("dstw", width), ("dsth", height), ("dst_format", Int64(wanted.target.rawValue)),
            ("src_range", wanted.isFullRange ? 1 : 0), ("dst_range", 1), ("sws_flags", Int64(SWS_BILINEAR)),
        ]
        for (name, value) in options {
            try checkStatus(
                unsafe av_opt_set_int(UnsafeMutableRawPointer(context), name, value, 0),
                .codecFailed,
                "the conversion's \(name)"
            )
        }
        try checkStatus(unsafe sws_init_context(context, nil, nil), .unsupported, "a conversion of pixels")
        key = wanted
    }
}
