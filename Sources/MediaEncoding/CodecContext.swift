import CFFmpeg
import Capture
import Glibc

/// A libavcodec encoder.
@safe
struct CodecContext: ~Copyable {
    /// The codec context; valid as long as this value.
    let pointer: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>

    /// Keeps the libraries from writing to standard error; failures are reported as errors.
    private static let isQuiet: Void = av_log_set_level(AV_LOG_QUIET)

    /// Creates an encoder without opening it.
    ///
    /// The corresponding C function is `avcodec_alloc_context3`.
    init(named name: String) throws(MediaEncodingError) {
        Self.isQuiet
        guard let codec = unsafe avcodec_find_encoder_by_name(name) else {
            throw MediaEncodingError(.unsupported, "libavcodec was built without \(name)")
        }
        var context = unsafe avcodec_alloc_context3(codec)
        var packet = unsafe av_packet_alloc()
        guard let someContext = unsafe context, let somePacket = unsafe packet else {
            unsafe avcodec_free_context(&context)
            unsafe av_packet_free(&packet)
            throw MediaEncodingError(.codecFailed, "no memory for \(name)")
        }
        unsafe pointer = unsafe someContext
        unsafe self.packet = unsafe somePacket
        unsafe pointer.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    }

    deinit {
        var (context, packet) = unsafe (Optional(pointer), Optional(self.packet))
        unsafe avcodec_free_context(&context)
        unsafe av_packet_free(&packet)
    }

    /// Opens the encoder with its private options; unknown ones are ignored.
    func open(_ options: [String: String]) throws(MediaEncodingError) {
        var dictionary: OpaquePointer?
        for (key, value) in options { unsafe av_dict_set(&dictionary, key, value, 0) }
        let status = unsafe avcodec_open2(pointer, nil, &dictionary)
        unsafe av_dict_free(&dictionary)
        try check(status, "opening an encoder")
    }

    /// Makes the encoder read pictures from a GPU's memory, into which ``send(_:presentationTime:_:)`` copies them.
    ///
    /// The corresponding C functions are `av_hwdevice_ctx_create`, `av_hwframe_ctx_alloc` and `av_hwframe_ctx_init`.
    borrowing func useGraphicsMemory() throws(MediaEncodingError) {
        var device: UnsafeMutablePointer<AVBufferRef>?
        defer { unsafe av_buffer_unref(&device) }
        try check(unsafe av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, nil, nil, 0), "a graphics processor")
        var frames = unsafe av_hwframe_ctx_alloc(device)
        defer { unsafe av_buffer_unref(&frames) }
        guard let pool = unsafe frames?.pointee.data else {
            throw MediaEncodingError(.codecFailed, "no memory for a graphics processor's frames")
        }
        unsafe pool.withMemoryRebound(to: AVHWFramesContext.self, capacity: 1) { pool in
            unsafe pool.pointee.format = AV_PIX_FMT_VAAPI
            unsafe pool.pointee.sw_format = AV_PIX_FMT_YUV420P
            unsafe pool.pointee.width = pointer.pointee.width
            unsafe pool.pointee.height = pointer.pointee.height
            unsafe pool.pointee.initial_pool_size = 8
        }
        try check(unsafe av_hwframe_ctx_init(frames), "a graphics processor's frames")
        unsafe pointer.pointee.pix_fmt = AV_PIX_FMT_VAAPI
        // The encoder owns this reference.
        unsafe pointer.pointee.hw_frames_ctx = unsafe av_buffer_ref(frames)
    }

    /// Copies a picture to the GPU.
    ///
    /// The corresponding C functions are `av_hwframe_get_buffer` and `av_hwframe_transfer_data`.
    private borrowing func upload(_ frame: CodecFrame) throws(MediaEncodingError) -> CodecFrame {
        let uploaded = try CodecFrame()
        try check(unsafe av_hwframe_get_buffer(pointer.pointee.hw_frames_ctx, uploaded.pointer, 0), "a frame")
        try check(unsafe av_hwframe_transfer_data(uploaded.pointer, frame.pointer, 0), "copying a frame")
        return uploaded
    }

    /// Encodes a frame, or with nil flushes the encoder, and passes on the packets that are ready.
    func send(
        _ frame: CodecFrame?,
        presentationTime: Int64,
        _ receive: (UnsafeMutablePointer<AVPacket>) throws(MediaEncodingError) -> Void
    ) throws(MediaEncodingError) {
        if let frame {
            let frame = unsafe pointer.pointee.hw_frames_ctx == nil ? frame : try upload(frame)
            unsafe frame.pointer.pointee.pts = presentationTime
            try check(unsafe avcodec_send_frame(pointer, frame.pointer), "encoding")
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

/// Throws the error for a negative FFmpeg status.
///
/// The corresponding C function is `av_strerror`.
func checkStatus(_ status: Int32, _ code: MediaEncodingError.Code, _ what: String) throws(MediaEncodingError) {
    guard status < 0 else { return }
    var text = [CChar](repeating: 0, count: 128)
    unsafe av_strerror(status, &text, text.count)
    let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // System errors are reported as such, whichever library they come from.
    let isStorage = [ENOSPC, EDQUOT, EIO, EROFS].contains(-status)
    throw MediaEncodingError(isStorage ? .fileFailed : code, "\(what): \(reason)", number: status)
}

/// Times within a movie.
enum MovieTime {
    /// Ticks per second of the movie and its video track, as iPhones write it.
    static let timescale: Int32 = 600

    /// A duration in ticks, rounded to the nearest.
    static func ticks(_ duration: Duration) -> Int64 {
        let product = Int128(duration.wholeNanoseconds) * Int128(timescale)
        return Int64(clamping: (product + 500_000_000) / 1_000_000_000)
    }
}
