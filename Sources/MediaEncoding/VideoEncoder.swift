import CFFmpeg
import Capture
import PhotoModel

/// An H.264 encoder that a movie can be made with.
struct VideoEncoder: Sendable {
    /// libavcodec's name for it.
    let name: String
    /// Opens it for pictures of a size.
    let open: @Sendable (PixelSize, FrameInterval) throws(MediaEncodingError) -> CodecContext

    /// The machine's video engine through Video4Linux (memory-to-memory), as on a Raspberry Pi 4.
    ///
    /// To find it, libavcodec opens and queries every video node: use it only if that is allowed.
    static let videoForLinux = VideoEncoder(name: "h264_v4l2m2m") { size, interval throws(MediaEncodingError) in
        try CodecContext.videoForLinux(size: size, frameInterval: interval)
    }

    /// A graphics processor through VA-API, as in most PCs.
    static let graphics = VideoEncoder(name: "h264_vaapi") { size, interval throws(MediaEncodingError) in
        try CodecContext.graphics(size: size, frameInterval: interval)
    }

    /// x264 on the processor, which accepts every size.
    static let software = VideoEncoder(name: "libx264") { size, interval throws(MediaEncodingError) in
        try CodecContext.software(.h264, size: size, frameInterval: interval)
    }

    /// Whether it opens on this machine.
    var isAvailable: Bool {
        do throws(MediaEncodingError) {
            _ = try open(PixelSize(width: 640, height: 480), .thirtiethSecond)
            return true
        } catch {
            return false
        }
    }
}

/// Finds the machine's encoders, once each, on its own thread: opening a device may take a while.
actor VideoEncoderList {
    private let executor = QueueExecutor(label: "tintype.encoders")
    private var known: [String: Bool] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Those of the encoders that open, in the same order.
    func available(_ encoders: [VideoEncoder]) -> [VideoEncoder] {
        encoders.filter { encoder in
            if let isAvailable = known[encoder.name] { return isAvailable }
            let isAvailable = encoder.isAvailable
            known[encoder.name] = isAvailable
            return isAvailable
        }
    }
}
