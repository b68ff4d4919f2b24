import Capture
import MediaFormats
import PhotoModel
import Synchronization
import SystemPackage

/// One run of a command camera, over as many starts of its program as it takes.
final class CommandStream: FrameStream {
    /// A program that ran for so long is not one that cannot run.
    private static let steadyTime = Duration.seconds(10)

    private let camera: CommandCamera
    private let current: Mutex<CaptureFormat>
    private let thread: DeviceThread<ProgramReader>

    /// A stream of a program that was started.
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
            failure: { CaptureError(.deviceFailed, "its program cannot be waited for", deviceID: id, cause: $0) }
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
                // One that ends again and again soon after its first picture must not be started in a storm.
                let isSteady = clock.reading().monotonic.duration(since: start) >= Self.steadyTime
                defer { isFirstRun = false }
                return (ending, isSteady || isFirstRun ? count : 0)
            },
            interrupted: receiver.interrupted,
            reopen: { () throws(CaptureError) in try self.camera.restart(self.format) }
        )
    }

    /// Hands on pictures until the program ends or is silent, or somebody stops it.
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

    /// What is known of a picture; the first whole one of a run says how large all are.
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
        let stamp = stamper.stamp(
            buffer,
            dequeued: picture.arrival.monotonic,
            interval: format.frameInterval.duration
        )
        return FrameInfo(
            sequence: stamp.number,
            timestamp: stamp.timestamp,
            pixelFormat: pictures.pixelFormat,
            size: format.size,
            bytesPerLine: pictures.pixelFormat.isJPEG ? 0 : format.size.width,
            isFullRange: pictures.isFullRange,
            clock: picture.arrival,
            // A small one may be the thumbnail of a picture that broke off.
            isDamaged: size != format.size
        )
    }
}
