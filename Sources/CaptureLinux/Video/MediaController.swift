import Capture

/// A part of a media controller that receives a sensor's pictures.
///
/// Its nodes deliver raw sensor data, without exposure control, white balance or lens correction: those are up to
/// libcamera, which drives all parts of the controller together. Otherwise the nodes look like a camera's, and some
/// list formats that the sensor does not have.
package struct MediaController: Hashable, Sendable {
    /// The kernel's driver, such as `rp1-cfe`.
    package let driver: String
    /// The bus and the device on it, such as `platform:1f00110000.csi`.
    package let place: String

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
    /// What a node is for, judging by its driver.
    enum Purpose: Hashable, Sendable {
        /// Usable pictures; whether it really delivers them is known once it is open.
        case pictures
        /// Raw sensor data, for libcamera.
        case sensor
        /// A processing step between other nodes, such as scaling or encoding.
        case processing
    }

    /// Drivers that receive from sensors: those that libcamera's pipeline handlers match (`src/libcamera/pipeline`).
    private static let receivers = [
        "unicam", "bcm2835-unicam", "rp1-cfe", "ipu3-cio2", "intel-ipu", "rkisp1", "rkcif", "mali-c55", "vimc",
        "dcmipp", "imx7-csi", "mxc-isi", "qcom-camss", "sun6i-csi", "sun4i-csi", "j721e-csi2rx", "omap3isp",
    ]
    /// Drivers that process what others received.
    private static let processors = ["bcm2835-isp", "bcm2835-codec", "pispbe", "rpivid", "rpi-hevc-dec", "ipu3-imgu"]

    /// What the node is for.
    ///
    /// Nodes of USB devices and nodes created by programs are not judged by their names, which anybody may choose.
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
