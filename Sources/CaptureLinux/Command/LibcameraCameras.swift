package import Capture
import Glibc
import PhotoModel
import SystemPackage

/// The cameras that libcamera drives, such as a Raspberry Pi's own, by its program `rpicam-vid` (once `libcamera-vid`).
///
/// libcamera itself is not linked: its interface changes with each release, and the program's does not.
package struct LibcameraCameras: Hashable, Sendable {
    /// How the program gives pictures.
    package enum Codec: String, Hashable, Sendable, CaseIterable {
        /// It compresses.
        case mjpeg
        /// The agent compresses.
        case yuv420
    }

    /// How long the program may take to list its cameras.
    static let listingLimit = Duration.seconds(10)
    private static let longestList = 256 << 10
    /// Options that are ours: the program refuses one that is given twice.
    private static let ownOptions: Set<Substring> = [
        "--list-cameras", "--camera", "--timeout", "-t", "--nopreview", "-n", "--codec", "--width", "--height",
        "--framerate", "--output", "-o", "--flush", "--metadata", "--metadata-format", "--frames", "--segment",
        "--split", "--circular", "--signal", "-s", "--keypress", "-k", "--pause", "--initial", "-i", "--config", "-c",
    ]

    /// The program, by its path or by a name that the search path finds.
    package let program: String
    /// How it gives pictures.
    package let codec: Codec
    /// More arguments for it: what is set on the camera.
    package let arguments: [String]

    /// Names the program.
    package init(program: String, codec: Codec = .mjpeg, arguments: [String] = []) {
        self.program = program
        self.codec = codec
        self.arguments = arguments
    }

    /// The first of the arguments that the agent gives itself; nil for none.
    package var refusedArgument: String? {
        arguments.first { Self.ownOptions.contains($0.prefix { $0 != "=" }) }
    }

    /// The cameras there are now; the program is run to list them, which takes no pictures, and blocks.
    ///
    /// - Parameters:
    ///   - clock: what frames are stamped with.
    ///   - limits: how long the program may take once a camera is open.
    /// - Returns: the cameras with their formats, of which none runs.
    /// - Throws: `unsupported` when there is no such program, `deviceFailed` when it does not list, `deviceLost` when it
    ///   lists no camera.
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

    /// What is run for a camera, whose place in the list may be another one by now.
    private func command(for id: CaptureDevice.ID, _ format: CaptureFormat) throws(CaptureError) -> CameraProgram {
        guard let camera = try list().first(where: { $0.deviceID == id }) else {
            throw CaptureError(.deviceLost, "\(program) does not list the camera now", deviceID: id)
        }
        var command = [
            program, "--camera", "\(camera.index)", "--timeout", "0", "--nopreview",
            "--codec", codec.rawValue, "--width", "\(format.size.width)", "--height", "\(format.size.height)",
            "--framerate", "\(format.frameInterval.framesPerSecond)",
            "--metadata", CameraProgram.metadataPlaceholder, "--metadata-format", "json", "--flush", "--output", "-",
        ]
        // What the program takes by itself is half of that: right for watching, not for keeping.
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

    /// What a program writes until it ends, as far as it is kept; nil when it takes too long.
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
