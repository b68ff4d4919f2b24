import Capture
import MediaFormats
import PhotoModel
import Synchronization
import SystemPackage

/// One run of a command camera, across restarts of its program.
final class CommandStream: FrameStream {
    /// A program that ran this long is known to work.
    private static let steadyTime = Duration.seconds(10)

    private let camera: CommandCamera
    private let current: Mutex<CaptureFormat>
    private let thread: DeviceThread<ProgramReader>

    /// Creates a stream from a running program.
    init(_ camera: CommandCamera, reader: ProgramReader, format: CaptureFormat) {
        self.camera = camera
        current = Mutex(format)
        let id = camera.device.id
        thread = DeviceThread(
            name: "tt-command",
            opened: reader,
            calls: camera.calls,
            clock: camera.clock,
            close: { $0.close() },
            failure: { CaptureError(.deviceFailed, "cannot wait for its program", deviceID: id, cause: $0) }
        )
    }

    var format: CaptureFormat { current.withLock(\.self) }

    func run(_ receiver: any FrameReceiver) async throws(CaptureError) {
        try await thread.run { self.work(receiver) }
    }

    func stop() {
        thread.stop()
    }

    private func work(_ receiver: any FrameReceiver) -> DeviceThread<ProgramReader>.Work {
        var stamper = FrameStamper()
        var isFirstRun = true
        return DeviceThread.Work(
            stream: { [clock = camera.clock] reader, waker in
                let start = clock.reading().monotonic
                stamper.beginRun()
                let (ending, count) = self.deliver(reader, waker, receiver, &stamper)
                // A program that keeps ending soon after its first picture must not be restarted in a tight loop.
                let isSteady = clock.reading().monotonic.duration(since: start) >= Self.steadyTime
                defer { isFirstRun = false }
                return (ending, isSteady || isFirstRun ? count : 0)
            },
            interrupted: receiver.interrupted,
            reopen: { () throws(CaptureError) in try self.camera.restart(self.format) }
        )
    }

    /// Delivers pictures until the program ends, stalls or is stopped.
    private func deliver(
        _ reader: ProgramReader,
        _ waker: Waker,
        _ receiver: any FrameReceiver,
        _ stamper: inout FrameStamper
    ) -> (ending: StreamRecovery.Ending, deliveredCount: Int) {
        let silence = max(camera.limits.silence, format.frameInterval.duration * 5)
        var deliveredCount = 0
        var limit = camera.limits.start
        var deadline = camera.clock.reading().monotonic.advanced(by: limit)
        while true {
            switch reader.next(waker, until: deadline) {
            case .woken: return (.stopped, deliveredCount)
            case .ended(let error): return (.failed(error), deliveredCount)
            case .silence:
                let message = "the camera is stuck: its program wrote no whole picture for \(limit)"
                return (.failed(CaptureError(.deviceFailed, message, deviceID: camera.device.id)), deliveredCount)
            case .picture(let picture):
                let info = info(of: picture, reader.program.pictures, isFirst: deliveredCount == 0, &stamper)
                picture.bytes.withBytes { receiver.receive($0, info) }
                guard !info.isDamaged else { continue }
                deliveredCount += 1
                limit = silence
                deadline = picture.arrival.monotonic.advanced(by: limit)
            }
        }
    }

    /// A picture's frame information; the first whole picture of a run determines the size of all.
    private func info(
        of picture: ProgramPicture,
        _ pictures: CameraProgram.Pictures,
        isFirst: Bool,
        _ stamper: inout FrameStamper
    ) -> FrameInfo {
        let size = picture.size(pictures)
        let format = current.withLock { format in
            if isFirst, let size { format.size = size }
            return format
        }
        let buffer = DequeuedBuffer(
            index: 0,
            planes: [],
            sequence: picture.number,
            timestamp: picture.exposure ?? MonotonicTime(nanoseconds: 0),
            timestampClock: picture.exposure == nil ? .unknown : .monotonic
        )
        let stamp = stamper.stamp(buffer, dequeued: picture.arrival.monotonic, interval: format.frameInterval.duration)
        return FrameInfo(
            sequence: stamp.number,
            timestamp: stamp.timestamp,
            pixelFormat: pictures.pixelFormat,
            size: format.size,
            bytesPerLine: pictures.pixelFormat.isJPEG ? 0 : format.size.width,
            isFullRange: pictures.isFullRange,
            clock: picture.arrival,
            // A smaller one may be the thumbnail of a truncated picture.
            isDamaged: size != format.size
        )
    }
}
