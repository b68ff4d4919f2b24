import CFFmpeg
import Capture
import PhotoModel

/// The movie encoders and their settings.
extension CodecContext {
    /// Whether this machine has a hardware H.264 encoder, determined once by opening it.
    ///
    /// To find it, libavcodec opens and queries every video node: access this only if that is allowed.
    private static let hasHardwareEncoder: Bool = {
        do throws(MediaEncodingError) {
            _ = try hardware(size: PixelSize(width: 640, height: 480), frameInterval: .thirtiethSecond)
            return true
        } catch {
            return false
        }
    }()

    /// A video encoder: closed GOPs of a second, no reordering, no look-ahead.
    ///
    /// H.264 is encoded in hardware if that is allowed and an encoder accepts the size, else by x264 at its fastest
    /// preset.
    static func video(
        _ codec: MovieCodec,
        size: PixelSize,
        frameInterval: FrameInterval,
        mayUseHardware: Bool
    ) throws(MediaEncodingError) -> CodecContext {
        switch codec {
        case .hevc: return try software(.hevc, size: size, frameInterval: frameInterval)
        case .h264:
            guard mayUseHardware, hasHardwareEncoder else { break }
            do throws(MediaEncodingError) {
                return try hardware(size: size, frameInterval: frameInterval)
            } catch {
                // It is busy or does not accept the size: x264 accepts any.
                break
            }
        }
        return try software(.h264, size: size, frameInterval: frameInterval)
    }

    /// The machine's video engine, through Video4Linux (memory-to-memory).
    private static func hardware(
        size: PixelSize,
        frameInterval: FrameInterval
    ) throws(MediaEncodingError) -> CodecContext {
        let codec = try CodecContext(named: "h264_v4l2m2m")
        codec.describePictures(size: size, frameInterval: frameInterval)
        unsafe codec.pointer.pointee.bit_rate = unsafe codec.pointer.pointee.rc_max_rate
        try codec.open([:])
        return codec
    }

    private static func software(
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
