import Capture

/// A part of a media controller that receives a sensor's pictures.
///
/// Its nodes give what the sensor sees, without exposure, white balance or lens correction: those are the work of
/// libcamera, which drives all parts of the controller together. The nodes look like those of a camera otherwise, and
/// some list formats that the sensor does not have.
package struct MediaController: Hashable, Sendable {
    /// The kernel's driver, such as `rp1-cfe`.
    package let driver: String
    /// The bus and the device on it, such as `platform:1f00110000.csi`.
    package let place: String

    /// Names a part.
    package init(driver: String, place: String) {
        self.driver = driver
        self.place = place
    }

    /// What is wrong and what to do.
    package var advice: String { "\(place) is a bare camera sensor (\(driver)). \(Self.nextStep)" }

    /// What to do with a sensor.
    static let nextStep = """
        Only libcamera can drive it: install rpicam-apps and set capture.libcamera.program to rpicam-vid, as \
        docs/install.md says under "Raspberry Pi cameras"
        """
}

extension VideoNode {
    /// What a node is for, as far as its driver tells.
    enum Purpose: Hashable, Sendable {
        /// Pictures that can be used as they are; whether it really gives some is known once it is open.
        case pictures
        /// What a sensor sees, for libcamera.
        case sensor
        /// A step between other nodes, such as scaling or encoding.
        case processing
    }

    /// Drivers that receive from sensors: those that libcamera's pipeline handlers look for (`src/libcamera/pipeline`).
    private static let receivers = [
        "unicam", "bcm2835-unicam", "rp1-cfe", "ipu3-cio2", "intel-ipu", "rkisp1", "rkcif", "mali-c55", "vimc",
        "dcmipp", "imx7-csi", "mxc-isi", "qcom-camss", "sun6i-csi", "sun4i-csi", "j721e-csi2rx", "omap3isp",
    ]
    /// Drivers that work on what others received.
    private static let processors = ["bcm2835-isp", "bcm2835-codec", "pispbe", "rpivid", "rpi-hevc-dec", "ipu3-imgu"]

    /// What the node is for.
    ///
    /// A node of a USB device or one that a program made is not judged by its name, which anybody may choose.
    var purpose: Purpose {
        guard usb == nil, place != "virtual" else { return .pictures }
        let names = [driver ?? "", name].map { $0.lowercased().replacing("_", with: "-") }
        func isNamed(_ drivers: [String]) -> Bool {
            drivers.contains { driver in names.contains { $0.hasPrefix(driver) } }
        }
        if isNamed(Self.processors) { return .processing }
        return isNamed(Self.receivers) ? .sensor : .pictures
    }

    /// The media controller that the node belongs to.
    var mediaController: MediaController { MediaController(driver: driver ?? name, place: place) }
}
