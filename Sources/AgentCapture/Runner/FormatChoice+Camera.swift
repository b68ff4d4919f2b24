import Capture
import CaptureLinux
import PhotoModel

extension FormatChoice {
    /// The best of a camera's formats.
    ///
    /// - Throws: `unsupported` with what to do if it has none that will do.
    func format(of camera: CaptureDevice) throws(CaptureError) -> CaptureFormat {
        if let format = format(among: camera.formats) { return format }
        if pixels == .any, let bayer = camera.formats.first, camera.formats.allSatisfy(\.pixelFormat.isBayer) {
            throw CaptureError(.unsupported, bayer.pixelFormat.refusal, deviceID: camera.id)
        }
        let size = self.size.map { "\($0)" } ?? "any size"
        let pixels =
            switch pixels {
            case .any: size
            case .uncompressed: "uncompressed frames of \(size), which shot.format: png needs"
            case .bayer: "a sensor's raw samples of \(size), which shot.format: dng and shot.raw need"
            }
        throw CaptureError(
            .unsupported,
            "the camera does not offer \(pixels): see tintype-agent cameras --all",
            deviceID: camera.id
        )
    }
}
