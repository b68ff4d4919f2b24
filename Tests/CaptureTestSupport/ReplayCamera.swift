package import Capture
package import PhotoModel

/// A camera that shows recorded JPEG frames over and over at their rate.
package struct ReplayCamera: FrameSource {
    /// What it claims to be.
    package let device: CaptureDevice
    private let clock: any CaptureClock
    private let frame: @Sendable (Int) -> [UInt8]?

    /// A camera of frames in memory; nil without a frame.
    ///
    /// - Parameters:
    ///   - frames: one JPEG each, as a camera delivered it.
    ///   - size: their width and height.
    ///   - frameInterval: the time from one to the next.
    ///   - clock: when frames are due.
    ///   - name: tells several of them apart.
    package init?(
        frames: [[UInt8]],
        size: PixelSize,
        frameInterval: FrameInterval = .thirtiethSecond,
        clock: any CaptureClock,
        name: String = "replay-camera"
    ) {
        guard !frames.isEmpty else { return nil }
        self.init(size: size, frameInterval: frameInterval, clock: clock, name: name) { frames[$0 % frames.count] }
    }

    /// A camera of frames that are read when they are due.
    ///
    /// - Parameters:
    ///   - size: width and height of all frames.
    ///   - frameInterval: the time from one to the next.
    ///   - clock: when frames are due.
    ///   - name: tells several of them apart.
    ///   - frame: frame `n` as a camera delivered it; nil for one that it did not.
    package init(
        size: PixelSize,
        frameInterval: FrameInterval = .thirtiethSecond,
        clock: any CaptureClock,
        name: String = "replay-camera",
        frame: @escaping @Sendable (_ number: Int) -> [UInt8]?
    ) {
        device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: name),
            capability: .camera,
            model: "Replay",
            formats: [CaptureFormat(pixelFormat: .motionJPEG, size: size, frameInterval: frameInterval)]
        )
        self.clock = clock
        self.frame = frame
    }

    /// Opens one more stream; there is no limit.
    package func open(_ format: CaptureFormat) throws(CaptureError) -> any FrameStream {
        guard device.formats.contains(format) else {
            throw CaptureError(.unsupported, "the recording has another format", deviceID: device.id)
        }
        return PacedFrameStream(format: format, clock: clock, isFullRange: true) { [frame] number, _ in
            frame(number)
        }
    }
}
