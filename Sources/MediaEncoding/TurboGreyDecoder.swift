package import Capture
import PhotoModel

/// Decodes small grey pictures of frames with libjpeg-turbo, one after the other on its own thread.
package actor TurboGreyDecoder: GreyDecoder {
    private let executor = QueueExecutor(label: "tintype.motion")
    private let decoder: JPEGDecoder

    /// The executor of its thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Creates a decoder.
    ///
    /// - Throws: `codecFailed` if out of memory.
    package init() throws(MediaEncodingError) {
        decoder = try JPEGDecoder()
    }

    /// Decodes a frame's luma at an eighth of its size, which saves all work but entropy decoding.
    package func greyPicture(of frame: Frame) -> GreyPicture? {
        frame.buffer.withBytes { bytes in
            guard let whole = try? decoder.header(of: bytes).size else { return nil }
            let size = JPEGDecoder.size(whole, scaledDownTo: (whole.width + 7) / 8)
            guard let samples = try? decoder.grey(of: bytes, size: size) else { return nil }
            return GreyPicture(size: size, samples: samples)
        }
    }
}
