package import Capture
import PhotoModel
import SystemPackage

/// A camera whose pictures a program writes to a pipe: one of libcamera's, or any that a program can read.
///
/// The program runs as long as the camera is open. If it ends, stalls or is killed after it has delivered pictures, it
/// is restarted, after pauses that grow while it keeps failing early.
package struct CommandCamera: FrameSource {
    /// Its identity and formats.
    package let device: CaptureDevice
    let clock: any CaptureClock
    let limits: CameraProgram.Limits
    let calls: any DeviceWaiting
    private let program: @Sendable (CaptureFormat) throws(CaptureError) -> CameraProgram

    /// Creates a camera without starting its program; `program` is called with the format before each start, on a
    /// thread that may block.
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

    /// Checks that the program exists, without running it.
    ///
    /// - Throws: `unsupported` if there is no such program.
    package func checkProgram() throws(CaptureError) {
        guard let format = device.formats.first else { return }
        _ = try program(format).resolved()
    }

    /// Starts the program and waits for its first whole picture, which determines the size.
    package func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream {
        let waker: Waker
        do throws(Errno) {
            waker = try calls.makeWaker()
        } catch {
            throw CaptureError(.deviceFailed, "cannot wait for its program", deviceID: device.id, cause: error)
        }
        defer { calls.close(waker) }
        let (reader, granted) = try await NamedThread.value("tt-open", onCancel: { calls.wake(waker) }) {
            () throws(CaptureError) in
            let program = try program(format)
            let reader = try start(program)
            return (reader, try firstFormat(of: reader, program, format, waker))
        }
        return CommandStream(self, reader: reader, format: granted)
    }

    /// Restarts the program in the granted format.
    ///
    /// - Throws: `deviceLost` if the camera is gone, `deviceFailed` if the program cannot be started.
    func restart(_ format: CaptureFormat) throws(CaptureError) -> ProgramReader {
        try start(program(format))
    }

    private func start(_ program: CameraProgram) throws(CaptureError) -> ProgramReader {
        try ProgramReader(program, limits: limits, clock: clock, deviceID: device.id)
    }

    /// The format of the first whole picture; everything read is put back.
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
                    // Kept to be counted once the stream runs, up to a limit: a program may write nothing else.
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

/// The waiting calls; a program needs none of a device's.
package struct ProgramWaiting: SystemWaiting {
    /// The kernel's calls.
    package init() {}
}
