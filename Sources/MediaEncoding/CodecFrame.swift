import CFFmpeg
import Capture
import PhotoModel

/// One picture, or one run of sound, in memory that libavcodec takes over without a copy.
///
/// It is `Sendable` because one stage at a time holds it: the decoder fills it, hands it to the encoder, and does not
/// touch it again before the encoder is done.
@safe
final class CodecFrame: @unchecked Sendable {
    /// The library's frame; valid as long as this value.
    let pointer: UnsafeMutablePointer<AVFrame>
    /// When the picture was taken.
    var timestamp = MonotonicTime(nanoseconds: 0)

    private init() throws(MediaEncodingError) {
        guard let frame = unsafe av_frame_alloc() else {
            throw MediaEncodingError(.codecFailed, "no memory for a frame")
        }
        unsafe pointer = unsafe frame
    }

    /// Planes of full-range luma and chroma, 4:2:0, with room for a picture of an odd size.
    ///
    /// - Parameter size: width and height of the picture; the frame's own are even, an odd row or column is cut.
    /// - Throws: `codecFailed` when there is no memory.
    convenience init(picture size: PixelSize) throws(MediaEncodingError) {
        try self.init()
        unsafe pointer.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        unsafe pointer.pointee.width = Int32(clamping: size.width + 1)
        unsafe pointer.pointee.height = Int32(clamping: size.height + 1)
        try checkStatus(unsafe av_frame_get_buffer(pointer, 0), .codecFailed, "memory for a picture")
        unsafe pointer.pointee.width = Int32(clamping: size.width & ~1)
        unsafe pointer.pointee.height = Int32(clamping: size.height & ~1)
        unsafe pointer.pointee.color_range = AVCOL_RANGE_JPEG
    }

    /// Room for as much sound as an encoder takes at a time, in its own layout.
    convenience init(soundFor codec: borrowing CodecContext) throws(MediaEncodingError) {
        try self.init()
        let context = unsafe codec.pointer
        unsafe pointer.pointee.format = context.pointee.sample_fmt.rawValue
        unsafe pointer.pointee.sample_rate = context.pointee.sample_rate
        unsafe pointer.pointee.nb_samples = context.pointee.frame_size
        try checkStatus(
            unsafe av_channel_layout_copy(&pointer.pointee.ch_layout, &context.pointee.ch_layout),
            .codecFailed,
            "the layout of channels"
        )
        try checkStatus(unsafe av_frame_get_buffer(pointer, 0), .codecFailed, "memory for sound")
    }

    deinit {
        var frame = unsafe Optional(pointer)
        unsafe av_frame_free(&frame)
    }

    /// The even size of a picture.
    var size: PixelSize {
        unsafe PixelSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height))
    }

    /// The planes of a picture and the bytes from one row to the next of each.
    var planes: (pointers: [UnsafeMutablePointer<UInt8>?], strides: [Int32]) {
        let frame = unsafe pointer.pointee
        return unsafe (
            [frame.data.0, frame.data.1, frame.data.2], [frame.linesize.0, frame.linesize.1, frame.linesize.2]
        )
    }

    /// Gives it memory of its own again in case an encoder still holds what it was given; call it before filling it.
    func prepare() throws(MediaEncodingError) {
        try checkStatus(unsafe av_frame_make_writable(pointer), .codecFailed, "memory for a frame")
    }
}
