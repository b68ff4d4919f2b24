import CFFmpeg
import Capture
import Glibc
import PhotoModel

/// A stream of pictures read by libavformat.
@safe
struct MediaInput: ~Copyable {
    /// The properties of a stream's pictures.
    struct Description {
        let size: PixelSize
        let frameInterval: FrameInterval
        /// Whether packets are JPEGs, which are passed on unchanged.
        let isMotionJPEG: Bool
        /// Whether packet times are the camera's, not derived from a rate.
        let hasTimes: Bool
    }

    /// Codecs that cameras use; others are not decoded.
    private static let codecs: [AVCodecID] = [
        AV_CODEC_ID_MJPEG, AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG4, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9,
        AV_CODEC_ID_AV1,
    ]
    private static let lowestRate = 0.5
    private static let highestRate = 240.0

    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let watch: OpeningWatch
    private let stream: UnsafeMutablePointer<AVStream>
    /// The stream's properties.
    let description: Description

    /// Connects and probes the first packets.
    ///
    /// The corresponding C functions are `avformat_open_input`, `avformat_find_stream_info` and `av_find_best_stream`.
    ///
    /// - Parameters:
    ///   - address: the camera or recording.
    ///   - interruption: interrupts it, also if it exceeds the time limit.
    /// - Throws: `containerFailed` if it cannot be reached or read, or redirects; `unsupported` for codecs that cameras
    ///   do not use.
    init(_ address: CameraAddress, interruption: Interruption) throws(MediaEncodingError) {
        var options = unsafe Self.options(address)
        var context = unsafe avformat_alloc_context()
        let watch = unsafe OpeningWatch(interruption, context, url: address.url)
        // libavformat holds the watch unretained, until the context is closed.
        defer { withExtendedLifetime(watch) {} }
        unsafe context?.pointee.interrupt_callback = AVIOInterruptCB(
            callback: { opaque in
                guard let opaque = unsafe opaque else { return 0 }
                return unsafe Unmanaged<OpeningWatch>.fromOpaque(opaque).takeUnretainedValue().isDue ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(watch).toOpaque()
        )
        let status = unsafe avformat_open_input(&context, address.url, nil, &options)
        unsafe av_dict_free(&options)
        watch.end()
        // A failed open has freed the context. The HTTP client reports a redirect as an input error.
        if watch.isRedirected || address.isHTTP && Self.limitsRedirects && status == -EIO {
            let reason =
                "redirects, which is not followed: name the address that it leads to; or the connection fails (TLS), or breaks off"
            throw MediaEncodingError(.containerFailed, "\(address) \(reason)", number: status)
        }
        try checkStatus(status, .containerFailed, "opening \(address)")
        var packet = unsafe av_packet_alloc()
        do throws(MediaEncodingError) {
            guard let opened = unsafe context, let room = unsafe packet else {
                throw MediaEncodingError(.containerFailed, "no memory for \(address)")
            }
            try checkStatus(unsafe avformat_find_stream_info(opened, nil), .containerFailed, "reading \(address)")
            let index = unsafe av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
            try checkStatus(index, .unsupported, "finding pictures in \(address)")
            guard let stream = unsafe opened.pointee.streams[Int(index)] else {
                throw MediaEncodingError(.containerFailed, "a stream is missing")
            }
            description = try unsafe Self.description(of: stream, in: opened, address)
            unsafe self.context = unsafe opened
            unsafe self.packet = unsafe room
            unsafe self.stream = unsafe stream
            self.watch = watch
        } catch {
            unsafe av_packet_free(&packet)
            unsafe avformat_close_input(&context)
            throw error
        }
    }

    private static let redirectLimit = "max_redirects"
    /// Whether libavformat can be told to follow no redirect over HTTP.
    ///
    /// Versions before 5.1.9 and 7.1.5 follow up to eight: a camera that works is not given up for that.
    static let limitsRedirects = unsafe tt_protocol_has_option("http", redirectLimit) != 0

    /// The options for an address; the caller frees them.
    ///
    /// The corresponding C function is `av_dict_set`.
    private static func options(_ address: CameraAddress) -> OpaquePointer? {
        var options: OpaquePointer?
        for (key, value) in [
            ("protocol_whitelist", address.protocols), ("format_whitelist", address.containers),
            (redirectLimit, address.isHTTP && limitsRedirects ? "0" : ""),
            ("rtsp_transport", "tcp"), ("analyzeduration", "2000000"), ("probesize", "5000000"),
            // Frames that a camera sent during probing are stale by then; a recording's are its beginning.
            ("fflags", address.isLive ? "nobuffer" : ""),
        ] where !value.isEmpty {
            unsafe av_dict_set(&options, key, value, 0)
        }
        return unsafe options
    }

    deinit {
        var (context, packet) = unsafe (Optional(self.context), Optional(self.packet))
        unsafe av_packet_free(&packet)
        unsafe avformat_close_input(&context)
    }

    /// The stream's decoder parameters; valid as long as this value.
    var parameters: UnsafePointer<AVCodecParameters> { unsafe UnsafePointer(stream.pointee.codecpar) }

    /// Reads the next video packet.
    ///
    /// The corresponding C function is `av_read_frame`.
    ///
    /// - Parameters:
    ///   - limit: how long to wait.
    ///   - body: receives the packet, which is valid only inside.
    /// - Returns: false at the end of the stream.
    /// - Throws: `containerFailed` if the connection broke or was silent for too long; what the body throws.
    func read(
        within limit: Duration,
        _ body: (UnsafeMutablePointer<AVPacket>) throws(MediaEncodingError) -> Void
    ) throws(MediaEncodingError) -> Bool {
        while true {
            watch.interruption.allow(limit)
            let status = unsafe av_read_frame(context, packet)
            if status == tt_AVERROR_EOF { return false }
            try checkStatus(status, .containerFailed, "reading pictures")
            defer { unsafe av_packet_unref(packet) }
            guard unsafe packet.pointee.stream_index == stream.pointee.index else { continue }
            try unsafe body(packet)
            return true
        }
    }

    /// The time since the stream's own zero; nil if the stamp is unset.
    func duration(of stamp: Int64) -> Duration? {
        let base = unsafe stream.pointee.time_base
        guard stamp != tt_AV_NOPTS_VALUE, base.den > 0 else { return nil }
        let nanoseconds = Int128(stamp) * Int128(base.num) * 1_000_000_000 / Int128(base.den)
        return .nanoseconds(Int64(clamping: nanoseconds))
    }

    private static func description(
        of stream: UnsafeMutablePointer<AVStream>,
        in context: UnsafeMutablePointer<AVFormatContext>,
        _ address: CameraAddress
    ) throws(MediaEncodingError) -> Description {
        guard let parameters = unsafe stream.pointee.codecpar else {
            throw MediaEncodingError(.containerFailed, "a stream without a description")
        }
        let codec = unsafe parameters.pointee.codec_id
        guard codecs.contains(codec) else {
            throw MediaEncodingError(.unsupported, "\(address) has a codec that no camera uses")
        }
        let size = unsafe PixelSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        guard 2...16_384 ~= size.width, 2...16_384 ~= size.height else {
            throw MediaEncodingError(.unsupported, "\(address) has no usable picture size")
        }
        let rate = unsafe av_guess_frame_rate(context, stream, nil)
        let isKnown = rate.den > 0 && lowestRate...highestRate ~= av_q2d(rate)
        let interval = FrameInterval(
            numerator: isKnown ? UInt32(rate.den) : 1,
            denominator: isKnown ? UInt32(rate.num) : 30
        )
        let name = unsafe String(cString: context.pointee.iformat.pointee.name)
        return Description(
            size: size,
            frameInterval: interval ?? .thirtiethSecond,
            isMotionJPEG: codec == AV_CODEC_ID_MJPEG,
            // These containers have no timestamps: libavformat assumes 25 frames a second.
            hasTimes: !["mpjpeg", "mjpeg", "jpeg_pipe"].contains(name)
        )
    }
}
