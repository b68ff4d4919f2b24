package import Capture
import Glibc
import PhotoModel
import SystemPackage

/// The cameras that libcamera drives, such as a Raspberry Pi's own, through `rpicam-vid` (formerly `libcamera-vid`).
///
/// libcamera itself is not linked: its API changes with each release, the program's command line does not.
package struct LibcameraCameras: Hashable, Sendable {
    /// The program's output format.
    package enum Codec: String, Hashable, Sendable, CaseIterable {
        /// The program compresses.
        case mjpeg
        /// The agent compresses.
        case yuv420
    }

    /// How long the program may take to list its cameras.
    static let listingLimit = Duration.seconds(10)
    private static let longestList = 256 << 10
    /// Options that the agent sets: the program refuses one given twice.
    private static let ownOptions: Set<Substring> = [
        "--list-cameras", "--camera", "--timeout", "-t", "--nopreview", "-n", "--codec", "--width", "--height",
        "--framerate", "--output", "-o", "--flush", "--metadata", "--metadata-format", "--frames", "--segment",
        "--split", "--circular", "--signal", "-s", "--keypress", "-k", "--pause", "--initial", "-i", "--config", "-c",
    ]

    /// The program's path, or its name for a search in `PATH`.
    package let program: String
    /// Its output format.
    package let codec: Codec
    /// Additional arguments, which configure the camera.
    package let arguments: [String]

    package init(program: String, codec: Codec = .mjpeg, arguments: [String] = []) {
        self.program = program
        self.codec = codec
        self.arguments = arguments
    }

    /// The first of the arguments that the agent sets itself; nil if none is.
    package var refusedArgument: String? {
        arguments.first { Self.ownOptions.contains($0.prefix { $0 != "=" }) }
    }

    /// Runs the program to list the cameras currently present with their formats, without taking pictures; blocks.
    ///
    /// The limits apply once a camera is open.
    ///
    /// - Throws: `unsupported` if there is no such program, `deviceFailed` if listing fails, `deviceLost` if it finds
    ///   no camera.
    package func cameras(
        clock: any CaptureClock,
        limits: CameraProgram.Limits = CameraProgram.Limits()
    ) throws(CaptureError) -> [CommandCamera] {
        let listed = try list()
        guard !listed.isEmpty else {
            let message = """
                \(program) lists no camera: see the cable and the camera's overlay, and whether this user and the service \
                may use the media nodes (docs/install.md, "Raspberry Pi cameras")
                """
            throw CaptureError(.deviceLost, message)
        }
        return listed.map { camera in
            var device = CaptureDevice(id: camera.deviceID, capability: .camera, model: camera.model)
            device.formats = camera.formats(codec)
            return CommandCamera(device, clock: clock, limits: limits) { format throws(CaptureError) in
                try command(for: camera.deviceID, format)
            }
        }
    }

    /// The command for a camera, whose place in the list may have changed.
    private func command(for id: CaptureDevice.ID, _ format: CaptureFormat) throws(CaptureError) -> CameraProgram {
        guard let camera = try list().first(where: { $0.deviceID == id }) else {
            throw CaptureError(.deviceLost, "\(program) no longer lists the camera", deviceID: id)
        }
        var command = [
            program, "--camera", "\(camera.index)", "--timeout", "0", "--nopreview",
            "--codec", codec.rawValue, "--width", "\(format.size.width)", "--height", "\(format.size.height)",
            "--framerate", "\(format.frameInterval.framesPerSecond)",
            "--metadata", CameraProgram.metadataPlaceholder, "--metadata-format", "json", "--flush", "--output", "-",
        ]
        // The program's own default is half of that: fine for viewing, not for keeping.
        let setsQuality = arguments.contains { $0 == "-q" || $0.hasPrefix("--quality") }
        if codec == .mjpeg, !setsQuality { command += ["--quality", "93"] }
        return CameraProgram(
            command: command + arguments,
            pictures: codec == .mjpeg ? .motionJPEG : .planes(format.size, isFullRange: true)
        )
    }

    /// Runs the program to its end and reads its list.
    private func list() throws(CaptureError) -> [ListedCamera] {
        let command = try CameraProgram(command: [program, "--list-cameras"], pictures: .motionJPEG).resolved()
        let child = try ChildProgram.start(command)
        let (text, words) = Self.output(of: child)
        let status = child.end(patience: .seconds(2))
        guard status == 0, let text else {
            let reason = text == nil ? "did not end in \(Self.listingLimit)" : "ended with status \(status)"
            let line = words.isEmpty ? "" : ": \(words)"
            throw CaptureError(.deviceFailed, "\(program) --list-cameras \(reason)\(line)")
        }
        return ListedCamera.cameras(in: text)
    }

    /// A program's output until it ends, truncated if too long; nil if it takes too long.
    private static func output(of child: ChildProgram) -> (text: String?, words: String) {
        let deadline = ContinuousClock.now.advanced(by: listingLimit)
        var text: [UInt8] = []
        var words = LastLine()
        var sources = [child.output, child.errors]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while sources != [-1, -1] {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return (nil, words.text) }
            var descriptors = sources.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard (try? pollDescriptors(&descriptors, atMost: left)) != nil else { return (nil, words.text) }
            for index in sources.indices where descriptors[index].revents != 0 {
                let count = unsafe read(sources[index], &buffer, buffer.count)
                if count <= 0 { sources[index] = -1 }
                let bytes = buffer.prefix(max(0, count))
                if index == 0 { text += bytes.prefix(longestList - text.count) } else { words.append(bytes) }
            }
        }
        _ = child.hasEnded(within: .seconds(1))
        return (String(decoding: text, as: UTF8.self), words.text)
    }
}
