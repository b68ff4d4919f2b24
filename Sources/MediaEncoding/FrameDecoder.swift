import Capture
import PhotoModel

/// Decodes one movie's JPEGs into pictures for its encoder, on a thread that may be kept busy.
///
/// Two pictures alternate: while the encoder works on one, the next is decoded into the other.
actor FrameDecoder {
    private let executor: QueueExecutor
    private let maximumWidth: Int
    private let decoder: PictureDecoder
    private var pictures: [CodecFrame] = []
    private var pictureSize: PixelSize?
    private var turn = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Creates a decoder with a maximum picture width, which is cheaper than scaling afterwards.
    init(maximumWidth: Int, on executor: QueueExecutor) throws(MediaEncodingError) {
        self.executor = executor
        self.maximumWidth = maximumWidth
        decoder = try PictureDecoder()
    }

    /// Decodes a JPEG to a picture, which is overwritten by the call after the next; nil if the frame is damaged.
    ///
    /// - Throws: `codecFailed` if out of memory.
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
