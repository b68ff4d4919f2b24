package import Capture
import Glibc
package import PhotoModel

/// A program that writes a camera's pictures to its standard output, one behind the other.
package struct CameraProgram: Hashable, Sendable {
    /// How the pictures lie in what it writes.
    package enum Pictures: Hashable, Sendable {
        /// JPEGs.
        case motionJPEG
        /// Planes of 4:2:0 without padding (``PixelFormat/i420``), each picture as long as its size says.
        case planes(PixelSize, isFullRange: Bool)

        /// The pictures' layout.
        var pixelFormat: PixelFormat {
            switch self {
            case .motionJPEG: .motionJPEG
            case .planes: .i420
            }
        }

        /// The size of all pictures; nil where each tells its own.
        var size: PixelSize? {
            guard case .planes(let size, _) = self else { return nil }
            return size
        }

        /// Whether luma uses 0 to 255.
        var isFullRange: Bool {
            guard case .planes(_, let isFullRange) = self else { return true }
            return isFullRange
        }
    }

    /// How long a program may take, and how long it is waited for.
    package struct Limits: Hashable, Sendable {
        /// From its start to its first whole picture.
        package var start = Duration.seconds(15)
        /// Without a whole picture, once it has written one; at least five of its frames.
        package var silence = Duration.seconds(5)
        /// From SIGTERM to SIGKILL.
        package var end = Duration.seconds(2)
        /// For the time of a frame, which comes behind it.
        package var metadata = Duration.milliseconds(50)

        /// What suits cameras.
        package init() {}
    }

    /// In an argument, stands for a file that the program writes libcamera's metadata to, as `rpicam-vid --metadata` does.
    package static let metadataPlaceholder = "{metadata}"
    /// The longest JPEG: some 60 megapixels.
    package static let longestJPEG = 32 << 20
    /// The longest raw picture: some 44 megapixels.
    package static let longestPlanes = 64 << 20

    /// The program and its arguments.
    package let command: [String]
    /// How the pictures lie in what it writes.
    package let pictures: Pictures

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - command: the program, by its path or by a name that the search path finds, and its arguments.
    ///   - pictures: how the pictures lie in what it writes.
    package init(command: [String], pictures: Pictures) {
        self.command = command
        self.pictures = pictures
    }

    /// Whether it tells when its frames were taken.
    var hasMetadata: Bool { command.contains { $0.contains(Self.metadataPlaceholder) } }

    /// What is run: the program's path, and its arguments with a descriptor for the metadata.
    ///
    /// - Throws: `unsupported` when there is no such program.
    package func resolved() throws(CaptureError) -> [String] {
        guard let name = command.first, let path = Self.path(of: name) else {
            let message = "there is no program \(command.first ?? ""): install it, or write its path"
            throw CaptureError(.unsupported, message)
        }
        return [path] + command.dropFirst().map { $0.replacing(Self.metadataPlaceholder, with: "/dev/fd/3") }
    }

    private static func path(of name: String) -> String? {
        let search = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        let folders = name.contains("/") ? [""] : search.split(separator: ":").map { "\($0)/" }
        return folders.lazy.map { $0 + name }.first { unsafe access($0, X_OK) == 0 }
    }
}
