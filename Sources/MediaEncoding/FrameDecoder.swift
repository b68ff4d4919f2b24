import Capture
import PhotoModel

/// Decodes the JPEGs of one movie into pictures for its encoder, on a thread that may be kept busy.
///
/// Two pictures take turns: while the encoder works on one, the next is decoded into the other.
actor FrameDecoder {
    private let executor: QueueExecutor
    private let maximumWidth: Int
    private let decoder: PictureDecoder
    private var pictures: [CodecFrame] = []
    private var pictureSize: PixelSize?
    private var turn = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// A decoder that makes pictures at most so wide, which costs less than scaling them afterwards.
    init(maximumWidth: Int, on executor: QueueExecutor) throws(MediaEncodingError) {
        self.executor = executor
        self.maximumWidth = maximumWidth
        decoder = try PictureDecoder()
    }

    /// Decodes a frame.
    ///
    /// - Parameter frame: a JPEG.
    /// - Returns: the picture, which is filled anew in the call after the next; nil when the frame is damaged.
    /// - Throws: `codecFailed` when there is no memory.
    func picture(of frame: Frame) throws(MediaEncodingError) -> CodecFrame? {
        try frame.buffer.withBytes { bytes throws(MediaEncodingError) in
            guard let whole = decoder.size(of: bytes) else { return nil }
            let size = JPEGDecoder.size(whole, scaledDownTo: maximumWidth)
            let picture = try nextPicture(size)
            let (planes, strides) = unsafe picture.planes
            do throws(MediaEncodingError) {
                try unsafe decoder.decode(bytes, into: planes, strides: strides, size: size)
            } catch {
                guard error.code == .damagedInput else { throw error }
                return nil
            }
            picture.timestamp = frame.timestamp
            return picture
        }
    }

    private func nextPicture(_ size: PixelSize) throws(MediaEncodingError) -> CodecFrame {
        if pictureSize != size {
            pictures = [try CodecFrame(picture: size), try CodecFrame(picture: size)]
            pictureSize = size
        }
        turn = (turn + 1) % pictures.count
        try pictures[turn].prepare()
        return pictures[turn]
    }
}
