import Capture

/// The exposure time of a camera with manual exposure; in automatic modes drivers report a stale value, or none.
struct ManualExposure {
    /// How many frames after a change may still precede it: as many as there are buffers.
    static let settlingFrameCount = Int(VideoDevice.bufferCount)

    private static let controls: [CameraControl] = [.autoExposure, .exposureTime]
    /// `V4L2_EXPOSURE_MANUAL` and `V4L2_EXPOSURE_SHUTTER_PRIORITY`: in both the exposure time is fixed.
    private static let manualModes: Set<Int32> = [1, 2]

    private let device: VideoDevice
    private let descriptor: VideoDescriptor
    private var time: Duration?
    private var unsettledCount = 0

    /// Examines an open camera, and subscribes to changes.
    init(_ device: VideoDevice, _ descriptor: VideoDescriptor) {
        self.device = device
        self.descriptor = descriptor
        // A camera without these controls refuses, and has no exposure time to report.
        for control in Self.controls { try? device.calls.subscribe(descriptor, to: .control(control.id)) }
        read()
    }

    /// Re-examines the camera when a relevant control was changed.
    mutating func controlChanged(_ id: UInt32) {
        guard Self.controls.contains(where: { $0.id == id }) else { return }
        read()
        unsettledCount = Self.settlingFrameCount
    }

    /// The exposure time of the next frame; nil if not certain.
    mutating func next() -> Duration? {
        guard unsettledCount == 0 else {
            unsettledCount -= 1
            return nil
        }
        return time
    }

    private mutating func read() {
        time = nil
        guard let mode = try? device.calls.value(descriptor, ofControl: CameraControl.autoExposure.id),
            let ticks = try? device.calls.value(descriptor, ofControl: CameraControl.exposureTime.id),
            Self.manualModes.contains(mode), ticks > 0
        else { return }
        // The unit of V4L2_CID_EXPOSURE_ABSOLUTE.
        time = .microseconds(100) * Int(ticks)
    }
}
