import CFFmpeg
import Capture
import PhotoModel

/// One picture, or one chunk of sound, in memory that libavcodec takes over without copying.
///
/// It is `Sendable` because only one stage holds it at a time: the decoder fills it, hands it to the encoder, and does
/// not touch it again until the encoder is done.
@safe
final class CodecFrame: @unchecked Sendable {
    /// The library's frame; valid as long as this value.
    let pointer: UnsafeMutablePointer<AVFrame>
    /// The picture's capture time.
    var timestamp = MonotonicTime(nanoseconds: 0)

    /// Allocates a frame without memory of its own.
    init() throws(MediaEncodingError) {
        guard let frame = unsafe av_frame_alloc() else {
            throw MediaEncodingError(.codecFailed, "no memory for a frame")
        }
        unsafe pointer = unsafe frame
    }

    /// Allocates full-range 4:2:0 planes, with room for pictures of odd size.
    ///
    /// - Parameter size: the picture's size; the frame's own is even, an odd row or column is cut.
    /// - Throws: `codecFailed` if out of memory.
    convenience init(picture size: PixelSize) throws(MediaEncodingError) {
        try self.init(size: PixelSize(width: size.width + 1, height: size.height + 1), format: AV_PIX_FMT_YUV420P)
        unsafe pointer.pointee.width = Int32(clamping: size.width & ~1)
        unsafe pointer.pointee.height = Int32(clamping: size.height & ~1)
        unsafe pointer.pointee.color_range = AVCOL_RANGE_JPEG
    }

    /// Allocates a picture in any layout of one or three planes.
    convenience init(size: PixelSize, format: AVPixelFormat) throws(MediaEncodingError) {
        try self.init()
        unsafe pointer.pointee.format = format.rawValue
        unsafe pointer.pointee.width = Int32(clamping: size.width)
        unsafe pointer.pointee.height = Int32(clamping: size.height)
        try checkStatus(unsafe av_frame_get_buffer(pointer, 0), .codecFailed, "memory for a picture")
    }

    /// Allocates one codec frame's worth of sound, in the codec's own layout.
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

    /// A picture's planes and their row strides in bytes.
    var planes: (pointers: [UnsafeMutablePointer<UInt8>?], strides: [Int32]) {
        let frame = unsafe pointer.pointee
        return unsafe (
            [frame.data.0, frame.data.1, frame.data.2], [frame.linesize.0, frame.linesize.1, frame.linesize.2]
        )
    }

    /// Gives it memory of its own again, in case an encoder still holds the old one; call it before filling it.
    func prepare() throws(MediaEncodingError) {
        try checkStatus(unsafe av_frame_make_writable(pointer), .codecFailed, "memory for a frame")
    }
}
