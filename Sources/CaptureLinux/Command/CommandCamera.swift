package import Capture
import PhotoModel
import SystemPackage

/// A camera whose pictures a program writes to a pipe: one of libcamera's, or any that some program reads.
///
/// The program runs as long as the camera is open. When it ends, stops writing or is stopped from outside after it has
/// given pictures, it is started anew, after pauses that grow as long as it gives up soon.
package struct CommandCamera: FrameSource {
    /// What it is and what it offers.
    package let device: CaptureDevice
    let clock: any CaptureClock
    let limits: CameraProgram.Limits
    let calls: any DeviceWaiting
    private let program: @Sendable (CaptureFormat) throws(CaptureError) -> CameraProgram

    /// A camera that does not run yet.
    ///
    /// - Parameters:
    ///   - device: what it is, with its formats.
    ///   - clock: what frames are stamped with.
    ///   - limits: how long the program may take.
    ///   - calls: waits.
    ///   - program: what is to be run for a format; asked before each start, on a thread that may wait.
    package init(
        _ device: CaptureDevice,
        clock: any CaptureClock,
        limits: CameraProgram.Limits = CameraProgram.Limits(),
        calls: any DeviceWaiting = ProgramWaiting(),
        program: @escaping @Sendable (CaptureFormat) throws(CaptureError) -> CameraProgram
    ) {
        self.device = device
        self.clock = clock
        self.limits = limits
        self.calls = calls
        self.program = program
    }

    /// Looks whether the program is there, without running it.
    ///
    /// - Throws: `unsupported` when there is no such program.
    package func checkProgram() throws(CaptureError) {
        guard let format = device.formats.first else { return }
        _ = try program(format).resolved()
    }

    /// Starts the program and waits for its first whole picture, which tells the size.
    package func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream {
        let waker: Waker
        do throws(Errno) {
            waker = try calls.makeWaker()
        } catch {
            throw CaptureError(.deviceFailed, "its program cannot be waited for", deviceID: device.id, cause: error)
        }
        defer { calls.close(waker) }
        let result = await withTaskCancellationHandler {
            do throws(CaptureError) {
                return Result<_, CaptureError>.success(
                    try await NamedThread.value("tt-open") { () throws(CaptureError) in
                        let program = try program(format)
                        let reader = try start(program)
                        return (reader, try firstFormat(of: reader, program, format, waker))
                    }
                )
            } catch {
                return .failure(error)
            }
        } onCancel: {
            calls.wake(waker)
        }
        let (reader, granted) = try result.get()
        return CommandStream(self, reader: reader, format: granted)
    }

    /// Starts a program anew for a format that was granted before.
    ///
    /// - Throws: `deviceLost` when the camera is not there any more, `deviceFailed` when the program cannot be started.
    func restart(_ format: CaptureFormat) throws(CaptureError) -> ProgramReader {
        try start(program(format))
    }

    private func start(_ program: CameraProgram) throws(CaptureError) -> ProgramReader {
        try ProgramReader(program, limits: limits, clock: clock, deviceID: device.id)
    }

    /// The format by the first picture; what was read stays to be taken.
    private func firstFormat(
        of reader: ProgramReader,
        _ program: CameraProgram,
        _ wanted: CaptureFormat,
        _ waker: Waker
    ) throws(CaptureError) -> CaptureFormat {
        let deadline = clock.reading().monotonic.advanced(by: limits.start)
        var pictures: [ProgramPicture] = []
        while true {
            switch reader.next(waker, until: deadline) {
            case .picture(let picture):
                guard let size = picture.size(program.pictures) else {
                    // They are counted when the stream runs; a program that writes nothing else has no end.
                    if pictures.count < 64 { pictures.append(picture) }
                    continue
                }
                reader.putBack(pictures + [picture])
                return CaptureFormat(
                    pixelFormat: program.pictures.pixelFormat,
                    size: size,
                    frameInterval: wanted.frameInterval
                )
            case .woken:
                throw CaptureError(.cancelled, "opening the camera was cancelled", deviceID: device.id)
            case .ended(let error): throw error
            case .silence:
                let codec = program.pictures == .motionJPEG ? "JPEGs" : "raw pictures"
                let name = program.command.first ?? ""
                let what = reader.hasOutput ? "something, but no whole picture: does it write \(codec)?" : "nothing"
                throw CaptureError(.deviceFailed, "\(name) wrote \(what) in \(limits.start)", deviceID: device.id)
            }
        }
    }
}

/// The calls for waiting, which need no device here.
package struct ProgramWaiting: SystemWaiting {
    /// Waits by the kernel's calls.
    package init() {}
}
