import CFFmpeg
import Capture
import Glibc
import PhotoModel

/// An encoder of libavcodec with one frame that is used over and over.
@safe
struct CodecContext: ~Copyable {
    /// The codec's state; valid as long as this value.
    let pointer: UnsafeMutablePointer<AVCodecContext>
    /// The frame to fill before ``send(presentationTime:_:)``.
    let frame: UnsafeMutablePointer<AVFrame>
    private let packet: UnsafeMutablePointer<AVPacket>

    /// An H.264 encoder: closed groups of pictures of a second, no reordering, no look-ahead.
    static func video(size: PixelSize, frameInterval: FrameInterval) throws(MediaEncodingError) -> CodecContext {
        let codec = try CodecContext(named: "libx264")
        let (context, frame) = unsafe (codec.pointer, codec.frame)
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
        // Noise in the dark would cost more bits than a good picture: at most 0.15 a pixel, 9 Mb/s for 1080p30.
        let pixelRate = Double(size.width * size.height) * frameInterval.framesPerSecond
        unsafe context.pointee.rc_max_rate = Int64(pixelRate * 0.15)
        unsafe context.pointee.rc_buffer_size = Int32(clamping: Int(pixelRate * 0.15))
        unsafe context.pointee.thread_count = 2
        unsafe context.pointee.thread_type = FF_THREAD_SLICE
        try codec.open([
            "preset": "ultrafast", "tune": "zerolatency", "crf": "22", "x264-params": "open-gop=0:scenecut=0",
        ])
        // The picture may be odd, the codec's is not: room for the odd row and column, which are cut off.
        unsafe frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        unsafe frame.pointee.width = Int32(clamping: size.width + 1)
        unsafe frame.pointee.height = Int32(clamping: size.height + 1)
        try codec.check(unsafe av_frame_get_buffer(frame, 0), "memory for a picture")
        unsafe frame.pointee.width = context.pointee.width
        unsafe frame.pointee.height = context.pointee.height
        unsafe frame.pointee.color_range = AVCOL_RANGE_JPEG
        return codec
    }

    /// An AAC encoder.
    static func audio(format: AudioFormat) throws(MediaEncodingError) -> CodecContext {
        let codec = try CodecContext(named: "aac")
        let (context, frame) = unsafe (codec.pointer, codec.frame)
        unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        unsafe context.pointee.sample_rate = Int32(clamping: format.sampleRate)
        unsafe av_channel_layout_default(&context.pointee.ch_layout, Int32(clamping: format.channelCount))
        unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(clamping: format.sampleRate))
        unsafe context.pointee.bit_rate = Int64(64_000 * format.channelCount)
        try codec.open([:])
        unsafe frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        unsafe frame.pointee.sample_rate = context.pointee.sample_rate
        unsafe frame.pointee.nb_samples = context.pointee.frame_size
        try codec.check(
            unsafe av_channel_layout_copy(&frame.pointee.ch_layout, &context.pointee.ch_layout),
            "the layout of channels"
        )
        try codec.check(unsafe av_frame_get_buffer(frame, 0), "memory for sound")
        return codec
    }

    /// Keeps the libraries from writing to standard error; what fails is told by errors.
    private static let isQuiet: Void = av_log_set_level(AV_LOG_QUIET)

    private init(named name: String) throws(MediaEncodingError) {
        Self.isQuiet
        guard let codec = unsafe avcodec_find_encoder_by_name(name) else {
            throw MediaEncodingError(.unsupported, "libavcodec was built without \(name)")
        }
        var context = unsafe avcodec_alloc_context3(codec)
        var frame = unsafe av_frame_alloc()
        var packet = unsafe av_packet_alloc()
        guard let someContext = unsafe context, let someFrame = unsafe frame, let somePacket = unsafe packet else {
            unsafe avcodec_free_context(&context)
            unsafe av_frame_free(&frame)
            unsafe av_packet_free(&packet)
            throw MediaEncodingError(.codecFailed, "no memory for \(name)")
        }
        unsafe pointer = unsafe someContext
        unsafe self.frame = unsafe someFrame
        unsafe self.packet = unsafe somePacket
        unsafe pointer.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    }

    deinit {
        var (context, frame, packet) = unsafe (Optional(pointer), Optional(self.frame), Optional(self.packet))
        unsafe avcodec_free_context(&context)
        unsafe av_frame_free(&frame)
        unsafe av_packet_free(&packet)
    }

    private func open(_ options: [String: String]) throws(MediaEncodingError) {
        var dictionary: OpaquePointer?
        for (key, value) in options { unsafe av_dict_set(&dictionary, key, value, 0) }
        let status = unsafe avcodec_open2(pointer, nil, &dictionary)
        unsafe av_dict_free(&dictionary)
        try check(status, "opening an encoder")
    }

    /// Makes the frame writable again; call it before filling it.
    func prepareFrame() throws(MediaEncodingError) {
        try check(unsafe av_frame_make_writable(frame), "memory for a frame")
    }

    /// Encodes the frame, or with nil ends the stream, and hands on the packets that are ready.
    func send(
        presentationTime: Int64?,
        _ receive: (UnsafeMutablePointer<AVPacket>) throws(MediaEncodingError) -> Void
    ) throws(MediaEncodingError) {
        if let presentationTime {
            unsafe frame.pointee.pts = presentationTime
            try check(unsafe avcodec_send_frame(pointer, frame), "encoding")
        } else {
            try check(unsafe avcodec_send_frame(pointer, nil), "ending a stream")
        }
        while true {
            let status = unsafe avcodec_receive_packet(pointer, packet)
            if status == tt_AVERROR_EAGAIN || status == tt_AVERROR_EOF { return }
            try check(status, "encoding")
            defer { unsafe av_packet_unref(packet) }
            try unsafe receive(packet)
        }
    }

    private func check(_ status: Int32, _ what: String) throws(MediaEncodingError) {
        try checkStatus(status, .codecFailed, what)
    }
}

/// Throws what a negative status of FFmpeg means.
///
/// The corresponding C function is `av_strerror`.
func checkStatus(_ status: Int32, _ code: MediaEncodingError.Code, _ what: String) throws(MediaEncodingError) {
    guard status < 0 else { return }
    var text = [CChar](repeating: 0, count: 128)
    unsafe av_strerror(status, &text, text.count)
    let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // What the system refused is told as that, whichever library met it.
    let isStorage = [ENOSPC, EDQUOT, EIO, EROFS].contains(-status)
    throw MediaEncodingError(isStorage ? .fileFailed : code, "\(what): \(reason)", number: status)
}

/// Times within a movie.
enum MovieTime {
    /// Ticks a second of the movie and its video track, as iPhones write it.
    static let timescale: Int32 = 600

    /// A length in ticks, to the nearest.
    static func ticks(_ duration: Duration) -> Int64 {
        let product = Int128(duration.wholeNanoseconds) * Int128(timescale)
        return Int64(clamping: (product + 500_000_000) / 1_000_000_000)
    }
}
