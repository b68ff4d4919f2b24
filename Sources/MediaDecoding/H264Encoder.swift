import CFFmpegDecoding
import MediaWorker

/// Encodes decoded pictures as H.264 with 8 bits and 4:2:0, which everything plays.
@safe
struct H264Encoder: ~Copyable {
    /// Visually indistinguishable from the original, at about the speed of a phone's own encoder.
    private static let settings = ["preset": "veryfast", "crf": "20", "x264-params": "sync-lookahead=0"]

    let context: UnsafeMutablePointer<AVCodecContext>

    /// Opens x264 on one thread, for the pictures of a decoder.
    ///
    /// The corresponding C functions are `avcodec_find_encoder_by_name` and `avcodec_open2`.
    ///
    /// - Throws: `unsupported` without x264, or for a size that it does not support.
    init(
        for decoder: UnsafeMutablePointer<AVCodecContext>,
        of track: UnsafeMutablePointer<AVStream>
    ) throws(MediaFailure) {
        guard let codec = unsafe avcodec_find_encoder_by_name("libx264"),
            let context = unsafe avcodec_alloc_context3(codec)
        else { throw MediaFailure(.unsupported, "no encoder for H.264") }
        // Half a chroma sample cannot be stored.
        unsafe context.pointee.width = decoder.pointee.width & ~1
        unsafe context.pointee.height = decoder.pointee.height & ~1
        unsafe context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        unsafe context.pointee.time_base = track.pointee.time_base
        unsafe context.pointee.framerate = track.pointee.avg_frame_rate
        unsafe context.pointee.sample_aspect_ratio = decoder.pointee.sample_aspect_ratio
        unsafe context.pointee.color_range = decoder.pointee.color_range
        unsafe context.pointee.color_primaries = decoder.pointee.color_primaries
        unsafe context.pointee.color_trc = decoder.pointee.color_trc
        unsafe context.pointee.colorspace = decoder.pointee.colorspace
        unsafe context.pointee.thread_count = 1
        // The container holds the parameter sets.
        unsafe context.pointee.flags |= 1 << 22
        var options: OpaquePointer?
        for (name, value) in Self.settings { unsafe av_dict_set(&options, name, value, 0) }
        let status = unsafe avcodec_open2(context, codec, &options)
        unsafe av_dict_free(&options)
        guard status >= 0 else {
            var opened = unsafe Optional(context)
            unsafe avcodec_free_context(&opened)
            throw .ffmpeg(.unsupported, "its pictures cannot be encoded as H.264", status)
        }
        unsafe self.context = unsafe context
    }

    deinit {
        var context = unsafe Optional(self.context)
        unsafe avcodec_free_context(&context)
    }

    /// A picture in the encoder's pixel format: the same one, or a converted copy.
    ///
    /// The corresponding C function is `sws_scale_frame`.
    func prepare(_ frame: borrowing MovieFrame, in copy: borrowing MovieFrame) throws(MediaFailure)
        -> UnsafeMutablePointer<AVFrame>
    {
        let source = unsafe frame.pointer
        let isReady =
            unsafe source.pointee.format == AV_PIX_FMT_YUV420P.rawValue
            && source.pointee.width == context.pointee.width && source.pointee.height == context.pointee.height
        if isReady { return unsafe source }
        let target = unsafe copy.pointer
        unsafe av_frame_unref(target)
        unsafe target.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        unsafe target.pointee.width = context.pointee.width
        unsafe target.pointee.height = context.pointee.height
        let scaler = unsafe sws_getContext(
            source.pointee.width,
            source.pointee.height,
            AVPixelFormat(rawValue: source.pointee.format),
            context.pointee.width,
            context.pointee.height,
            AV_PIX_FMT_YUV420P,
            SWS_BILINEAR | SWS_ACCURATE_RND,
            nil,
            nil,
            nil
        )
        guard let scaler = unsafe scaler else { throw MediaFailure(.unsupported, "its pixels cannot be converted") }
        defer { unsafe sws_freeContext(scaler) }
        let status = unsafe sws_scale_frame(scaler, target, source)
        guard status >= 0 else { throw .ffmpeg(.damaged, "a picture cannot be converted", status) }
        return unsafe target
    }
}
