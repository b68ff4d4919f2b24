import CFFmpeg
import Capture
import PhotoModel

/// Converts pictures between pixel layouts with libswscale, keeping the context for the last pair.
///
/// Use a converter from one thread at a time.
@safe
struct PixelConverter: ~Copyable {
    /// A picture's planes.
    @unsafe
    struct Planes {
        let pointers: [UnsafePointer<UInt8>?]
        let strides: [Int32]
        let format: AVPixelFormat
        let isFullRange: Bool
    }

    /// The parameters of a context, fixed once it is initialised.
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
        // It reads four of each, whatever the layout.
        let rows = unsafe sws_scale(
            context,
            Self.four(source.pointers, nil),
            Self.four(source.strides, 0),
            0,
            height,
            Self.four(target, nil),
            Self.four(strides, 0)
        )
        guard rows == height else {
            throw MediaEncodingError(.codecFailed, "a picture could not be converted", number: rows)
        }
    }

    private static func four<Value>(_ values: [Value], _ filler: Value) -> [Value] {
        values + [Value](repeating: filler, count: max(0, 4 - values.count))
    }

    /// Creates a context.
    ///
    /// The corresponding C functions are `sws_alloc_context`, `av_opt_set_int` and `sws_init_context`: the range must
    /// be set before, or a shortcut that ignores it may be chosen.
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
