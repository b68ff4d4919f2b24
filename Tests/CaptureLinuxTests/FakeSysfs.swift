import Foundation

/// A folder with the parts of `/sys` and `/run/udev` that tell a machine's video nodes.
final class FakeSysfs: Sendable {
    /// One video node of a machine.
    struct Node {
        let number: Int
        let name: String
        let driver: String
        /// The device in `/sys/devices`.
        let device: String
        var bus = "platform"
        var index = 0
        /// What udev found out; nil where there is no udev.
        var capabilities: String? = ":capture:"
    }

    let root: String

    init(_ nodes: [Node]) throws {
        root = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)").path
        for node in nodes { try add(node) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    private func add(_ node: Node) throws {
        let device = "\(root)/sys/devices/\(node.device)"
        let entry = "\(device)/video4linux/video\(node.number)"
        let driver = "\(root)/sys/bus/\(node.bus)/drivers/\(node.driver)"
        let classFolder = "\(root)/sys/class/video4linux"
        for folder in [entry, driver, classFolder, "\(root)/run/udev/data"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try link("\(device)/driver", to: driver)
        try link("\(device)/subsystem", to: "\(root)/sys/bus/\(node.bus)")
        try link("\(entry)/device", to: device)
        try link("\(classFolder)/video\(node.number)", to: entry)
        let number = "81:\(node.number)"
        for (name, text) in [("name", node.name), ("index", "\(node.index)"), ("dev", number)] {
            try Data("\(text)\n".utf8).write(to: URL(filePath: "\(entry)/\(name)"))
        }
        guard let capabilities = node.capabilities else { return }
        let property = "E:ID_V4L_VERSION=2\nE:ID_V4L_CAPABILITIES=\(capabilities)\n"
        try Data(property.utf8).write(to: URL(filePath: "\(root)/run/udev/data/c\(number)"))
    }

    private func link(_ path: String, to target: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }
}

extension FakeSysfs.Node {
    /// A webcam in a Raspberry Pi's USB socket, beside whatever else it has.
    static let webcam = FakeSysfs.Node(
        number: 40,
        name: "HD Pro Webcam C920",
        driver: "uvcvideo",
        device: "platform/scb/fd500000.pcie/usb1/1-1/1-1:1.0",
        bus: "usb"
    )

    private static func nodes(
        _ numbers: [Int],
        _ names: [String],
        _ driver: String,
        _ device: String
    ) -> [FakeSysfs.Node] {
        zip(numbers, names).enumerated().map { index, node in
            // udev's v4l_id finds neither capture nor output in what changes pictures in memory.
            let capabilities = driver == "bcm2835-codec" ? ":" : ":capture:"
            return FakeSysfs.Node(
                number: node.0,
                name: node.1,
                driver: driver,
                device: device,
                index: index,
                capabilities: capabilities
            )
        }
    }

    private static func codecs(_ soc: String) -> [FakeSysfs.Node] {
        let names = ["decode", "encode", "isp", "image_fx", "encode_image"].map { "bcm2835-codec-\($0)" }
        let steps = ["output0", "capture0", "capture1", "stats0"].map { "bcm2835-isp-\($0)" }
        return nodes([10, 11, 12, 18, 31], names, "bcm2835-codec", "\(soc)/bcm2835-codec")
            + nodes([13, 14, 15, 16, 20, 21, 22, 23], steps + steps, "bcm2835-isp", "\(soc)/bcm2835-isp")
    }

    /// A Raspberry Pi 3 whose firmware drives the camera and offers it as a V4L2 camera (`start_x=1`).
    static let pi3WithFirmware =
        codecs("platform/soc/3f00b840.mailbox")
        + nodes([0], ["mmal service 16.1"], "bcm2835-camera", "platform/soc/3f00b840.mailbox/bcm2835-camera")

    /// A Raspberry Pi 3 with a sensor.
    static let pi3 =
        codecs("platform/soc/3f00b840.mailbox")
        + nodes([0, 1], ["unicam-image", "unicam-embedded"], "unicam", "platform/soc/3f801000.csi")

    /// A Raspberry Pi 4 with a sensor.
    static let pi4 =
        codecs("platform/soc/fe00b840.mailbox")
        + nodes([0, 1], ["unicam-image", "unicam-embedded"], "unicam", "platform/soc/fe801000.csi")
        + nodes([19], ["rpivid"], "rpivid", "platform/scb/feb10000.codec")

    /// A Raspberry Pi 5 with a sensor at each connector.
    static let pi5 =
        receiver(0, "1f00110000.csi") + receiver(8, "1f00128000.csi")
        + nodes(Array(20...35), stages + stages, "pispbe", "platform/axi/1000880000.pisp_be")
        + nodes([19], ["rpi-hevc-dec"], "rpi-hevc-dec", "platform/axi/1000800000.codec")

    private static let stages = [
        "input", "tdn_input", "stitch_input", "output0", "output1", "tdn_output", "stitch_output", "config",
    ].map { "pispbe-\($0)" }

    private static func receiver(_ first: Int, _ device: String) -> [FakeSysfs.Node] {
        let names = ["csi2_ch0", "embedded", "csi2_ch2", "csi2_ch3", "fe_image0", "fe_image1", "fe_stats", "fe_config"]
        return nodes(
            Array(first..<first + 8),
            names.map { "rp1-cfe-\($0)" },
            "rp1-cfe",
            "platform/axi/1000120000.pcie/\(device)"
        )
    }
}
