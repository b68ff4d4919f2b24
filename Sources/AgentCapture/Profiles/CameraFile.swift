package import Capture
package import CaptureLinux
import Persistence
package import PhotoModel
package import Settings

/// A camera whose pictures a program writes: one file in the folder of cameras.
package struct CameraFile: Hashable, Sendable {
    /// The program's output format.
    private enum Pictures: String, CaseIterable {
        case mjpeg, yuv420
    }

    /// The value range of raw pictures.
    private enum Range: String, CaseIterable {
        case limited, full
    }

    private static let mostArguments = 256
    private static let longestArgument = 4096

    /// The camera's name, which is its file's.
    package let name: String
    /// The program with its arguments (`command`), and its output (`pictures`: `mjpeg` or `yuv420`, default mjpeg; for
    /// yuv420 also `range`: `limited` or `full`, default limited).
    ///
    /// It runs without a shell. The argument `{metadata}` stands for a file for its frames' timestamps.
    package let program: CameraProgram
    /// The size of its pictures (`size`, required for yuv420; JPEGs state their own).
    package let size: PixelSize?
    /// The frame interval (`framesPerSecond`, 0.01 to 1,000, default 30).
    package let frameInterval: FrameInterval
    /// The camera's maker, for the pictures' metadata (`manufacturer`, default none).
    package let manufacturer: String?
    /// The camera's model (`model`, default the file's name).
    package let model: String

    /// Reads the text of a camera's file.
    ///
    /// - Throws: `invalidValue`, `unknownKey`, `fileUnreadable`, each naming the camera.
    package init(name: String, yaml: String) throws(SettingsError) {
        self.name = name
        do throws(SettingsError) {
            var reader = try SettingsReader(yaml: yaml, environment: [:], flags: [])
            let command = try Self.command(&reader)
            let pictures = try reader.choice("pictures", default: Pictures.mjpeg)
            let range = try reader.choice("range", default: Range.limited)
            size = try reader.value(
                "size",
                default: nil,
                expected: "width and height such as 1920x1080, each from 2 to 16384"
            ) { text in CaptureProfile.size(text).flatMap { $0.isUsable ? .some($0) : nil } }
            frameInterval = try reader.value(
                "framesPerSecond",
                default: .thirtiethSecond,
                expected: "a number from 0.01 to 1000"
            ) { text in Double(text).flatMap { FrameInterval(framesPerSecond: $0) } }
            manufacturer = reader.text("manufacturer")
            model = reader.text("model") ?? name
            try reader.finish()
            program = CameraProgram(command: command, pictures: try Self.pictures(pictures, size, range))
        } catch {
            throw SettingsError(error.code, "camera \(name): \(error.description)")
        }
    }

    /// Finds a camera's file in the folder of cameras.
    ///
    /// - Throws: `configuration` if there is none, `SettingsError` if it is invalid.
    package init(named name: String, of settings: CaptureSettings) throws {
        let path = Path(settings.cameraFolder).appending("\(name).yaml")
        try self.init(name: name, yaml: path.configuration("camera file", samples: "config/cameras"))
    }

    /// Creates the camera without starting its program.
    package func camera(clock: any CaptureClock) -> CommandCamera {
        // The size of JPEGs is known only once the first one arrives.
        let expected = CaptureFormat(
            pixelFormat: program.pictures == .motionJPEG ? .motionJPEG : .i420,
            size: size ?? PixelSize(width: 1920, height: 1080),
            frameInterval: frameInterval
        )
        let device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: "command:\(name)"),
            capability: .camera,
            manufacturer: manufacturer,
            model: model,
            formats: [expected]
        )
        return CommandCamera(device, clock: clock) { [program] _ in program }
    }

    private static func command(_ reader: inout SettingsReader) throws(SettingsError) -> [String] {
        let command = reader.texts("command", default: [])
        guard 1...mostArguments ~= command.count, command.first != "",
            command.allSatisfy({ $0.utf8.count <= longestArgument && !$0.utf8.contains(0) })
        else {
            let advice = "list the program and its arguments, such as [ffmpeg, -i, /dev/video9, -f, mjpeg, \"-\"]"
            throw SettingsError(.invalidValue, "command is missing or too long: \(advice)")
        }
        return command
    }

    private static func pictures(
        _ pictures: Pictures,
        _ size: PixelSize?,
        _ range: Range
    ) throws(SettingsError) -> CameraProgram.Pictures {
        guard pictures == .yuv420 else { return .motionJPEG }
        guard let size, size.planesByteCount <= CameraProgram.longestPlanes else {
            let limit = "of at most \(CameraProgram.longestPlanes) bytes a picture"
            throw SettingsError(.invalidValue, "size: raw pictures need their width and height, \(limit)")
        }
        return .planes(size, isFullRange: range == .full)
    }
}

extension PixelSize {
    fileprivate var isUsable: Bool { 2...16_384 ~= width && 2...16_384 ~= height }
}

extension FrameInterval {
    fileprivate init?(framesPerSecond: Double) {
        guard 0.01...1000 ~= framesPerSecond else { return nil }
        self.init(numerator: 100, denominator: UInt32((framesPerSecond * 100).rounded()))
    }
}
