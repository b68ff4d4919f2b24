import Capture
import PhotoModel

/// One camera in the output of `rpicam-vid --list-cameras`.
///
///     Available cameras
///     -----------------
///     0 : imx708 [4608x2592 10-bit RGGB] (/base/axi/pcie@120000/rp1/i2c@88000/imx708@1a)
///         Modes: 'SRGGB10_CSI2P' : 1536x864 [120.13 fps - (768, 432)/3072x1728 crop]
///                                  4608x2592 [14.35 fps - (0, 0)/4608x2592 crop]
///
/// The number is its place in the list; the text in brackets at the end is libcamera's name for it, which is stable: it
/// says where the sensor is connected.
struct ListedCamera: Hashable, Sendable {
    /// A readout mode of the sensor.
    struct Mode: Hashable, Sendable {
        let size: PixelSize
        let framesPerSecond: Double
    }

    private static let mostCameras = 16
    private static let mostModes = 64
    /// Common sizes, which the image processor scales any mode to.
    private static let usualSizes = [
        PixelSize(width: 1920, height: 1080), PixelSize(width: 1280, height: 720), PixelSize(width: 640, height: 480),
    ]
    /// Each picture is compressed in software; higher rates take a command camera.
    private static let highestRate = 30.0
    /// Rows of raw pictures are padded to a multiple of this.
    private static let rowAlignment = 64

    /// Its place in the list.
    let index: Int
    /// The sensor.
    let model: String
    /// libcamera's name for it.
    let id: String
    /// The sensor's readout modes.
    private(set) var modes: [Mode] = []

    /// Its stable identity.
    var deviceID: CaptureDevice.ID { CaptureDevice.ID(rawValue: "libcamera:\(id)") }

    /// Parses the list; unknown lines are skipped.
    static func cameras(in text: String) -> [ListedCamera] {
        var cameras: [ListedCamera] = []
        for line in text.split(separator: "\n") {
            if let camera = ListedCamera(line) {
                guard cameras.count < mostCameras else { break }
                cameras.append(camera)
            } else if let last = cameras.indices.last {
                cameras[last].modes += modes(in: line).prefix(mostModes - cameras[last].modes.count)
            }
        }
        return cameras
    }

    /// The formats to offer in the program's output format, one per size, best first.
    func formats(_ codec: LibcameraCameras.Codec) -> [CaptureFormat] {
        let largest = modes.map(\.size).max { $0.width * $0.height < $1.width * $1.height }
        let usual = Self.usualSizes.filter { size in
            largest.map { $0.width >= size.width && $0.height >= size.height } ?? true
        }
        var formats: [CaptureFormat] = []
        for size in modes.map(\.size) + usual {
            // Any mode that is large enough will do.
            let rates = modes.filter { $0.size.width >= size.width && $0.size.height >= size.height }
            let rate = min(Self.highestRate, rates.map(\.framesPerSecond).max() ?? Self.highestRate)
            let interval = FrameInterval(numerator: 100, denominator: UInt32(max(1, rate * 100)))
            let format = CaptureFormat(
                pixelFormat: codec == .mjpeg ? .motionJPEG : .i420,
                size: codec == .mjpeg ? size : Self.withoutPadding(size),
                frameInterval: rate == Self.highestRate ? .thirtiethSecond : interval ?? .thirtiethSecond
            )
            if format.size.width > 0, !formats.contains(where: { $0.size == format.size }) { formats.append(format) }
        }
        return formats.sorted { $0.size.width * $0.size.height > $1.size.width * $1.size.height }
    }

    /// The nearest size whose rows need no padding.
    private static func withoutPadding(_ size: PixelSize) -> PixelSize {
        PixelSize(width: size.width / rowAlignment * rowAlignment, height: size.height / 2 * 2)
    }

    private init?(_ line: Substring) {
        guard let colon = line.firstRange(of: " : "), let index = Int(line[..<colon.lowerBound].drop { $0 == " " }),
            0..<Self.mostCameras ~= index, line.last == ")", let open = line.ranges(of: " (").last
        else { return nil }
        let id = line[open.upperBound...].dropLast()
        let title = line[colon.upperBound..<max(colon.upperBound, open.lowerBound)]
        let model = title.firstRange(of: " [").map { title[..<$0.lowerBound] } ?? title
        guard !id.isEmpty, id.utf8.count <= 512, !model.isEmpty, model.utf8.count <= 64 else { return nil }
        self.index = index
        self.model = String(model)
        self.id = String(id)
    }

    /// The modes in a line: each a size followed by a rate in brackets.
    private static func modes(in line: Substring) -> [Mode] {
        let words = line.split(separator: " ")
        return zip(words, words.dropFirst()).compactMap { word, next in
            let sides = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1], 2...16_384 ~= width,
                2...16_384 ~= height, next.first == "["
            else { return nil }
            let rate = Double(next.dropFirst()).flatMap { 0.01...1000 ~= $0 ? $0 : nil }
            return Mode(size: PixelSize(width: width, height: height), framesPerSecond: rate ?? highestRate)
        }
    }
}
