import CFFmpeg
import Capture
import PhotoModel

/// The movie encoders and their settings.
extension CodecContext {
    /// A video encoder: closed GOPs of a second, no reordering, no look-ahead.
    ///
    /// For H.264 it is the first of the encoders that opens; HEVC is always encoded by x265.
    ///
    /// - Throws: why the last one does not open.
    static func video(
        _ codec: MovieCodec,
        size: PixelSize,
        frameInterval: FrameInterval,
        encoders: [VideoEncoder]
    ) throws(MediaEncodingError) -> CodecContext {
        guard codec == .h264 else { return try software(.hevc, size: size, frameInterval: frameInterval) }
        for encoder in encoders.dropLast() {
            do throws(MediaEncodingError) {
                return try encoder.open(size, frameInterval)
            } catch {
                // It is busy or does not accept the size.
                continue
            }
        }
        return try (encoders.last ?? .software).open(size, frameInterval)
    }

    /// Opens `h264_v4l2m2m`.
    static func videoForLinux(
        size: PixelSize,
        frameInterval: FrameInterval
    ) throws(MediaEncodingError) -> CodecContext {
        let codec = try CodecContext(named: "h264_v4l2m2m")
        codec.describePictures(size: size, frameInterval: frameInterval)
        unsafe codec.pointer.pointee.bit_rate = unsafe codec.pointer.pointee.rc_max_rate
        try codec.open([:])
        return codec
    }

    /// Opens `h264_vaapi` on the first graphics processor.
    static func graphics(size: PixelSize, frameInterval: FrameInterval) throws(MediaEncodingError) -> CodecContext {
        let codec = try CodecContext(named: "h264_vaapi")
        codec.describePictures(size: size, frameInterval: frameInterval)
        try codec.useGraphicsMemory()
        try codec.open(["qp": "24"])
        return codec
    }

    /// Opens x264 or x265 at their fastest presets.
    static func software(
        _ kind: MovieCodec,
        size: PixelSize,
        frameInterval: FrameInterval
    ) throws(MediaEncodingError) -> CodecContext {
        let codec = try CodecContext(named: kind == .hevc ? "libx265" : "libx264")
        codec.describePictures(size: size, frameInterval: frameInterval)
        switch kind {
        case .h264:
            unsafe codec.pointer.pointee.thread_count = 2
            unsafe codec.pointer.pointee.thread_type = FF_THREAD_SLICE
            try codec.open([
                "preset": "ultrafast", "tune": "zerolatency", "crf": "22", "x264-params": "open-gop=0:scenecut=0",
            ])
        case .hevc:
            try codec.open([
                "preset": "ultrafast", "crf": "26", "x265-params": "open-gop=0:scenecut=0:log-level=none",
            ])
        }
        return codec
    }

    private borrowing func describePictures(size: PixelSize, frameInterval: FrameInterval) {
        let context = unsafe pointer
        unsafe context.pointee.width = Int32(clamping: size.width & ~1)
        unsafe context.pointee.height = Int32(clamping: size.height & ~1)
        unsafe context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        unsafe context.pointee.color_range = AVCOL_RANGE_JPEG
        unsafe context.pointee.colorspace = AVCOL_SPC_SMPTE170M
        unsafe context.pointee.color_primaries = AVCOL_PRI_BT709
        unsafe context.pointee.color_trc = AVCOL_TRC_IEC61966_2_1
        unsafe context.pointee.time_base = AVRational(num: 1, den: MovieTime.timescale)
        unsafe context.pointee.framerate = AVRational(
            num: Int32(clamping: frameInterval.denominator),
            den: Int32(clamping: frameInterval.numerator)
        )
        unsafe context.pointee.gop_size = Int32(clamping: Int(frameInterval.framesPerSecond.rounded()))
        unsafe context.pointee.max_b_frames = 0
        // Noise in the dark would cost more bits than a good picture: at most 0.15 per pixel, 9 Mb/s for 1080p30.
        let pixelRate = Double(size.width * size.height) * frameInterval.framesPerSecond
        unsafe context.pointee.rc_max_rate = Int64(pixelRate * 0.15)
        unsafe context.pointee.rc_buffer_size = Int32(clamping: Int(pixelRate * 0.15))
    }

    /// An encoder of one PNG.
    static func png(size: PixelSize, format: AVPixelFormat) throws(MediaEncodingError) -> CodecContext {
        let codec = try CodecContext(named: "png")
        let context = unsafe codec.pointer
        unsafe context.pointee.width = Int32(clamping: size.width)
        unsafe context.pointee.height = Int32(clamping: size.height)
        unsafe context.pointee.pix_fmt = format
        unsafe context.pointee.time_base = AVRational(num: 1, den: 1)
        // Each frame is its own stream, without global headers.
        unsafe context.pointee.flags = 0
        // Twice as fast as zlib's default, for a few per cent more bytes.
        unsafe context.pointee.compression_level = 3
        try codec.open(["pred": "up"])
        return codec
    }

    /// An AAC encoder.
    static func audio(format: AudioFormat) throws(MediaEncodingError) -> CodecContext {
        let codec = try CodecContext(named: "aac")
        let context = unsafe codec.pointer
        unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        unsafe context.pointee.sample_rate = Int32(clamping: format.sampleRate)
        unsafe av_channel_layout_default(&context.pointee.ch_layout, Int32(clamping: format.channelCount))
        unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(clamping: format.sampleRate))
        unsafe context.pointee.bit_rate = Int64(64_000 * format.channelCount)
        try codec.open([:])
        return codec
    }
}
