package import PhotoModel

/// A camera that shows recorded JPEG frames over and over at their rate.
package struct ReplayCamera: FrameSource {
    /// What it claims to be.
    package let device: CaptureDevice
    private let clock: any CaptureClock
    private let frames: [[UInt8]]

    /// A camera; nil without a frame.
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
        device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: name),
            capability: .camera,
            model: "Replay",
            formats: [CaptureFormat(pixelFormat: .motionJPEG, size: size, frameInterval: frameInterval)]
        )
        self.frames = frames
        self.clock = clock
    }

    /// Opens one more stream; there is no limit.
    package func open(_ format: CaptureFormat) throws(CaptureError) -> any FrameStream {
        guard device.formats.contains(format) else {
            throw CaptureError(.unsupported, "the recording has another format", deviceID: device.id)
        }
        return PacedFrameStream(format: format, clock: clock, isFullRange: true) { [frames] number, _ in
            frames[number % frames.count]
        }
    }
}
