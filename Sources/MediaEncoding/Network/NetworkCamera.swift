package import Capture
import PhotoModel

/// A network camera, or a recording, read by libavformat.
///
/// Motion JPEG goes into the ring unchanged; H.264 and the like are decoded, and compressed like a raw camera's frames.
package struct NetworkCamera: FrameSource {
    /// Its identity: the address without user and password.
    package let device: CaptureDevice
    private let address: CameraAddress
    private let repeats: Bool
    private let clock: any CaptureClock

    /// Creates a camera without connecting.
    ///
    /// - Parameters:
    ///   - address: its address.
    ///   - repeats: whether a recording restarts at its end, instead of ending like an unplugged camera.
    ///   - clock: the clock that stamps frames.
    package init(_ address: CameraAddress, repeats: Bool = false, clock: any CaptureClock) {
        self.address = address
        self.repeats = repeats
        self.clock = clock
        // The actual format is known once it is open.
        let expected = CaptureFormat(
            pixelFormat: .motionJPEG,
            size: PixelSize(width: 1920, height: 1080),
            frameInterval: .thirtiethSecond
        )
        device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: "network:\(address)"),
            capability: .camera,
            model: address.isLive ? "Network Camera" : "Recording",
            formats: [expected]
        )
    }

    /// Connects, which may take up to fifteen seconds; the format is the camera's own.
    package func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream {
        let interruption = Interruption(clock: clock)
        let reader = NetworkReader(address, clock: clock, interruption: interruption)
        let result = await withTaskCancellationHandler {
            await Result.awaiting { () throws(MediaEncodingError) in try await reader.connect() }
        } onCancel: {
            interruption.stop()
        }
        do throws(MediaEncodingError) {
            let description = try result.get()
            return NetworkStream(
                format: CaptureFormat(
                    pixelFormat: description.isMotionJPEG ? .motionJPEG : .i420,
                    size: description.size,
                    frameInterval: description.frameInterval
                ),
                reader: reader,
                interruption: interruption,
                clock: clock,
                deviceID: device.id,
                reconnects: address.isLive || repeats
            )
        } catch {
            throw CaptureError(network: error, deviceID: device.id)
        }
    }
}

/// One run of a network camera, across reconnections.
private final class NetworkStream: FrameStream {
    let format: CaptureFormat
    private let reader: NetworkReader
    private let interruption: Interruption
    private let clock: any CaptureClock
    private let deviceID: CaptureDevice.ID
    private let reconnects: Bool
    private let ended = Latch()

    init(
        format: CaptureFormat,
        reader: NetworkReader,
        interruption: Interruption,
        clock: any CaptureClock,
        deviceID: CaptureDevice.ID,
        reconnects: Bool
    ) {
        self.format = format
        self.reader = reader
        self.interruption = interruption
        self.clock = clock
        self.deviceID = deviceID
        self.reconnects = reconnects
    }

    func stop() {
        interruption.stop()
        ended.open()
    }

    func run(_ receiver: any FrameReceiver) async throws(CaptureError) {
        let result = await withTaskCancellationHandler {
            await Result.awaiting { () throws(CaptureError) in
                try await ended.cancelling { [self] () throws(CaptureError) in try await follow(receiver) }
            }
        } onCancel: {
            interruption.stop()
        }
        try result.get()
    }

    /// Delivers frames, and waits and reconnects after each lost connection.
    private func follow(_ receiver: any FrameReceiver) async throws(CaptureError) {
        var delays = ReconnectionDelays()
        while true {
            let before = await reader.deliveredCount
            var failure: MediaEncodingError?
            do throws(MediaEncodingError) {
                try await reader.deliver(to: receiver)
            } catch {
                failure = error
            }
            if interruption.wasStopped { return }
            if await reader.deliveredCount > before { delays.reset() }
            guard reconnects, failure?.code != .unsupported, let delay = delays.next() else {
                if let failure { throw CaptureError(network: failure, deviceID: deviceID) }
                throw CaptureError(.deviceLost, "the recording is over", deviceID: deviceID)
            }
            let due = clock.reading().monotonic.advanced(by: delay)
            guard (try? await clock.sleep(until: due)) != nil else { return }
        }
    }
}

extension CaptureError {
    /// Why a network camera delivers no frames.
    fileprivate init(network error: MediaEncodingError, deviceID: CaptureDevice.ID) {
        let code: Code = error.code == .unsupported ? .unsupported : .deviceLost
        self.init(code, "the network camera cannot be read", deviceID: deviceID, cause: error)
    }
}
