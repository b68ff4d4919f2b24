package import Capture
import PhotoModel

/// Makes small grey pictures of frames with libjpeg-turbo, one after the other on a thread of its own.
package actor TurboGreyDecoder: GreyDecoder {
    private let executor = QueueExecutor(label: "tintype.motion")
    private let decoder: JPEGDecoder

    /// The thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// A decoder.
    ///
    /// - Throws: `codecFailed` when there is no memory.
    package init() throws(MediaEncodingError) {
        decoder = try JPEGDecoder()
    }

    /// Decodes the luma of a frame at an eighth of its size, which spares most of the work but reading the codes.
    package func greyPicture(of frame: Frame) -> GreyPicture? {
        frame.buffer.withBytes { bytes in
            guard let whole = try? decoder.header(of: bytes).size else { return nil }
            let size = JPEGDecoder.size(whole, scaledDownTo: (whole.width + 7) / 8)
            guard let samples = try? decoder.grey(of: bytes, size: size) else { return nil }
            return GreyPicture(size: size, samples: samples)
        }
    }
}
