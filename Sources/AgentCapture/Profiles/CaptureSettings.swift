import Capture
package import CaptureLinux
import MediaEncoding
import Persistence
package import PhotoModel
package import Settings

/// The capture settings other than profiles.
package struct CaptureSettings: Hashable, Sendable {
    /// The folder of profiles (`capture.profileFolder`, default `/etc/tintype/profiles`).
    package var profileFolder: String
    /// The profiles that the service runs (`capture.profiles`, names of files there without `.yaml`, default none).
    package var profiles: [String]
    /// Network cameras and recordings (`capture.networkCameras`: `rtsp`, `rtsps`, `http` or `https` addresses, in which
    /// user and password may precede the host, or absolute paths; default none).
    package var networkCameras: [String]
    /// The program for cameras that libcamera drives (`capture.libcamera.program`, such as `rpicam-vid`, default none).
    ///
    /// `capture.libcamera.codec` is its output format (`mjpeg` or `yuv420`, default mjpeg), and
    /// `capture.libcamera.arguments` are additional arguments, which set the cameras' controls (default none).
    package var libcamera: LibcameraCameras?
    /// The folder of cameras whose pictures a program writes (`capture.cameraFolder`, default `/etc/tintype/cameras`).
    package var cameraFolder: String
    /// The ones in use (`capture.commandCameras`, names of files there without `.yaml`, default none).
    package var commandCameras: [String]
    /// Where the box is (`capture.location`: degrees north, degrees east and optionally metres above sea level,
    /// separated by commas; default unknown).
    package var location: Location?
    /// A gpsd that reports where the box is (`capture.positionService`, `host:port` such as `localhost:2947`, default
    /// none); without a fix, `capture.location` is used.
    package var positionService: String?
    /// A program run with `start` when the first movie begins recording, and with `stop` when the last one ends
    /// (`capture.indicator`, a path, default none).
    package var indicator: String?
    /// A lamp lit meanwhile (`capture.indicatorLine`, a GPIO chip, a line and optionally `low` for a lamp that lights
    /// when the line is low, such as `/dev/gpiochip0:17` or `/dev/gpiochip0:17:low`, default none).
    package var indicatorLine: IndicatorLine?

    /// Reads the keys below `capture`.
    package init(_ reader: inout SettingsReader) throws(SettingsError) {
        profileFolder = reader.text("capture.profileFolder", default: "/etc/tintype/profiles")
        profiles = try Self.fileNames("capture.profiles", of: "profile", &reader)
        libcamera = try Self.libcamera(&reader)
        cameraFolder = reader.text("capture.cameraFolder", default: "/etc/tintype/cameras")
        commandCameras = try Self.fileNames("capture.commandCameras", of: "camera", &reader)
        networkCameras = reader.texts("capture.networkCameras", default: [])
        for address in networkCameras {
            do throws(CaptureError) {
                _ = try CameraAddress(address)
            } catch {
                throw SettingsError(.invalidValue, "capture.networkCameras: \(error.message)")
            }
        }
        location = try reader.value(
            "capture.location",
            expected: "degrees north, degrees east and metres such as 47.3769,8.5417,408"
        ) { Location($0) }
        positionService = reader.text("capture.positionService")
        indicator = reader.text("capture.indicator")
        indicatorLine = try reader.value(
            "capture.indicatorLine",
            expected: "a chip and a line such as /dev/gpiochip0:17 or /dev/gpiochip0:17:low"
        ) { IndicatorLine($0) }
    }
}

extension CaptureSettings {
    /// Reads names of files in a folder, without `.yaml`.
    private static func fileNames(
        _ key: String,
        of kind: String,
        _ reader: inout SettingsReader
    ) throws(SettingsError) -> [String] {
        let names = reader.texts(key, default: [])
        let isName = { (name: String) in
            !name.isEmpty && name.utf8.count <= 64 && name.first != "."
                && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        }
        if let name = names.first(where: { !isName($0) }) {
            let message = "\(key) has \"\(name)\": a \(kind)'s name is letters, digits and -_."
            throw SettingsError(.invalidValue, message)
        }
        guard Set(names).count == names.count else {
            throw SettingsError(.invalidValue, "\(key) names a \(kind) twice")
        }
        return names
    }

    private static func libcamera(_ reader: inout SettingsReader) throws(SettingsError) -> LibcameraCameras? {
        let program = reader.text("capture.libcamera.program")
        let codec = try reader.choice("capture.libcamera.codec", default: LibcameraCameras.Codec.mjpeg)
        let arguments = reader.texts("capture.libcamera.arguments", default: [])
        guard let program else { return nil }
        let cameras = LibcameraCameras(program: program, codec: codec, arguments: arguments)
        if let argument = cameras.refusedArgument {
            let message = "capture.libcamera.arguments has \(argument), which the agent sets itself"
            throw SettingsError(.invalidValue, message)
        }
        return cameras
    }
}

extension Path {
    /// The text of a profile or a camera's file; the errors name its kind and the folder of samples.
    ///
    /// - Throws: `configuration` if it does not exist or cannot be read.
    func configuration(_ kind: String, samples: String) throws(AgentError) -> String {
        let bytes: [UInt8]?
        do {
            bytes = try PosixFileSystem().readAll(self)
        } catch {
            throw AgentError(.configuration, "the \(kind) \(self) cannot be read: \(error)")
        }
        guard let bytes else {
            throw AgentError(.configuration, "there is no \(kind) \(self): see \(samples) for samples")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A lamp on a line of a GPIO chip.
package struct IndicatorLine: Hashable, Sendable {
    /// The chip's device node.
    package let chip: String
    /// The line's number on it.
    package let line: UInt32
    /// Whether it lights when the line is low.
    package let isActiveLow: Bool

    /// Reads `chip:line` or `chip:line:low`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, parts[0].hasPrefix("/"), let line = UInt32(parts[1]), line < 1024,
            parts.count == 2 || parts[2] == "low"
        else { return nil }
        chip = String(parts[0])
        self.line = line
        isActiveLow = parts.count == 3
    }
}

extension Location {
    /// Reads `latitude,longitude` or `latitude,longitude,altitude`; nil for anything else.
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in Double(part.drop { $0 == " " }) }
        guard 2...3 ~= parts.count, numbers.count == parts.count else { return nil }
        self.init(latitude: numbers[0], longitude: numbers[1], altitude: numbers.count > 2 ? numbers[2] : nil)
    }
}
