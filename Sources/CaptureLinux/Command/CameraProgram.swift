package import Capture
import Glibc
package import PhotoModel

/// A program that writes a camera's pictures to its standard output, one after the other.
package struct CameraProgram: Hashable, Sendable {
    /// The format of the program's output.
    package enum Pictures: Hashable, Sendable {
        /// JPEGs.
        case motionJPEG
        /// 4:2:0 planes without padding (``PixelFormat/i420``), whose size determines each picture's length.
        case planes(PixelSize, isFullRange: Bool)

        /// The pictures' memory layout.
        var pixelFormat: PixelFormat {
            switch self {
            case .motionJPEG: .motionJPEG
            case .planes: .i420
            }
        }

        /// The size of all pictures; nil if each states its own.
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

    /// The program's timeouts.
    package struct Limits: Hashable, Sendable {
        /// From starting it to the first whole picture.
        package var start = Duration.seconds(15)
        /// Between whole pictures; at least five frame intervals.
        package var silence = Duration.seconds(5)
        /// From SIGTERM to SIGKILL.
        package var end = Duration.seconds(2)
        /// For a frame's timestamp, which follows the frame.
        package var metadata = Duration.milliseconds(50)

        /// The defaults for cameras.
        package init() {}
    }

    /// Stands for the metadata file in an argument, which the program writes as `rpicam-vid --metadata` does.
    package static let metadataPlaceholder = "{metadata}"
    /// The longest JPEG: some 60 megapixels.
    package static let longestJPEG = 32 << 20
    /// The longest raw picture: some 44 megapixels.
    package static let longestPlanes = 64 << 20

    /// The program's path, or its name for a search in `PATH`, and its arguments.
    package let command: [String]
    /// The format of its output.
    package let pictures: Pictures

    package init(command: [String], pictures: Pictures) {
        self.command = command
        self.pictures = pictures
    }

    /// Whether it reports when frames were taken.
    var hasMetadata: Bool { command.contains { $0.contains(Self.metadataPlaceholder) } }

    /// The command line to run: the program's path, and its arguments with a descriptor for the metadata.
    ///
    /// - Throws: `unsupported` if there is no such program.
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
