import CFFmpeg
import Capture
import PhotoModel

/// Decodes H.264 and similar pictures, one after the other, into full-range 4:2:0 planes.
@safe
struct VideoDecoder: ~Copyable {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private var converter = PixelConverter()

    /// Opens a stream's decoder.
    ///
    /// The corresponding C functions are `avcodec_find_decoder` and `avcodec_open2`.
    init(_ input: borrowing MediaInput) throws(MediaEncodingError) {
        let parameters = unsafe input.parameters
        guard let codec = unsafe avcodec_find_decoder(parameters.pointee.codec_id) else {
            throw MediaEncodingError(.unsupported, "libavcodec was built without this decoder")
        }
        var context = unsafe avcodec_alloc_context3(codec)
        var frame = unsafe av_frame_alloc()
        do throws(MediaEncodingError) {
            guard let made = unsafe context, let room = unsafe frame else {
                throw MediaEncodingError(.codecFailed, "no memory for a decoder")
            }
            try checkStatus(unsafe avcodec_parameters_to_context(made, parameters), .codecFailed, "a decoder")
            // Frame threads would each wait for the next frame.
            unsafe made.pointee.thread_type = FF_THREAD_SLICE
            unsafe made.pointee.thread_count = 2
            try checkStatus(unsafe avcodec_open2(made, codec, nil), .codecFailed, "opening a decoder")
            unsafe self.context = unsafe made
            unsafe self.frame = unsafe room
        } catch {
            unsafe avcodec_free_context(&context)
            unsafe av_frame_free(&frame)
            throw error
        }
    }

    deinit {
        var (context, frame) = unsafe (Optional(self.context), Optional(self.frame))
        unsafe avcodec_free_context(&context)
        unsafe av_frame_free(&frame)
    }

    /// Decodes a packet, or with nil flushes the decoder, and passes on the pictures that are ready.
    ///
    /// A damaged packet yields no picture. The corresponding C functions are `avcodec_send_packet` and
    /// `avcodec_receive_frame`.
    ///
    /// - Parameters:
    ///   - packet: a packet of the stream.
    ///   - body: receives a picture and its time in the stream's units.
    /// - Throws: `unsupported` for a pixel format that cannot be converted.
    mutating func decode(
        _ packet: UnsafeMutablePointer<AVPacket>?,
        _ body: (PlanarPicture, _ stamp: Int64) -> Void
    ) throws(MediaEncodingError) {
        guard unsafe avcodec_send_packet(context, packet) >= 0 else { return }
        while unsafe avcodec_receive_frame(context, frame) >= 0 {
            defer { unsafe av_frame_unref(frame) }
            body(try converted(), unsafe frame.pointee.best_effort_timestamp)
        }
    }

    private mutating func converted() throws(MediaEncodingError) -> PlanarPicture {
        let decoded = unsafe frame.pointee
        let size = unsafe PixelSize(width: Int(decoded.width), height: Int(decoded.height))
        var picture = PlanarPicture(size: size, sampling: .quarter)
        let format = unsafe AVPixelFormat(rawValue: decoded.format)
        let planes = unsafe PixelConverter.Planes(
            pointers: [
                UnsafePointer(decoded.data.0), UnsafePointer(decoded.data.1), UnsafePointer(decoded.data.2),
                UnsafePointer(decoded.data.3),
            ],
            strides: [decoded.linesize.0, decoded.linesize.1, decoded.linesize.2, decoded.linesize.3],
            format: format,
            isFullRange: decoded.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P
        )
        let strides = picture.strides
        try unsafe picture.withMutablePlanes { pointers throws(MediaEncodingError) in
            try unsafe converter.convert(planes, size: size, to: AV_PIX_FMT_YUV420P, pointers, strides: strides)
        }
        return picture
    }
}
