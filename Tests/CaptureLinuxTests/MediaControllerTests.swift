import PhotoModel
import Synchronization
import SystemPackage
import Testing

@testable import Capture
@testable import CaptureLinux

struct MediaControllerTests {
    /// What is found on a machine with some nodes.
    private struct Found {
        let models: [String]
        let sensors: [MediaController]
        let hasEncoder: Bool

        init(_ nodes: [FakeSysfs.Node]) throws {
            let sysfs = try FakeSysfs(nodes)
            let discovery = VideoCameraDiscovery(calls: SystemVideoCalls(root: sysfs.root), clock: StandingClock())
            (models, sensors) = (discovery.cameras().map(\.device.model), discovery.sensors())
            hasEncoder = discovery.hasEncoder
            withExtendedLifetime(sysfs) {}
        }
    }

    @Test(
        "None of the nodes of a Raspberry Pi's sensor is a camera; each sensor is told once, with what to install",
        arguments: [
            (FakeSysfs.Node.pi3, ["platform:3f801000.csi"], "unicam"),
            (FakeSysfs.Node.pi4, ["platform:fe801000.csi"], "unicam"),
            (FakeSysfs.Node.pi5, ["platform:1f00110000.csi", "platform:1f00128000.csi"], "rp1-cfe"),
        ],
        [":capture:", nil]
    )
    func sensors(machine: (nodes: [FakeSysfs.Node], places: [String], driver: String), udev: String?) throws {
        let nodes = machine.nodes.map { node in
            var node = node
            node.capabilities = udev
            return node
        }
        let bare = try Found(nodes)
        #expect(bare.models.isEmpty)
        #expect(bare.sensors == machine.places.map { MediaController(driver: machine.driver, place: $0) })
        for sensor in bare.sensors {
            #expect(sensor.advice.contains(sensor.place) && sensor.advice.contains("rpicam-apps"))
        }
        let both = try Found(nodes + [.webcam])
        #expect(both.models == ["HD Pro Webcam C920"])
        #expect(both.sensors == bare.sensors)
    }

    @Test("A Pi's nodes without a sensor are neither cameras nor told; its encoder is still found")
    func noSensor() throws {
        let found = try Found(FakeSysfs.Node.pi4.filter { $0.driver != "unicam" })
        #expect(found.models.isEmpty && found.sensors.isEmpty)
        #expect(found.hasEncoder)
    }

    @Test("A camera that the Pi's firmware drives is one like any other")
    func firmware() throws {
        let found = try Found(FakeSysfs.Node.pi3WithFirmware)
        #expect(found.models == ["mmal service 16.1"])
        #expect(found.sensors.isEmpty)
    }

    @Test(
        "A name that a person or a USB device chose makes no sensor of a camera",
        arguments: [
            ("virtual", nil), ("usb:1-3:1.0", USBFunction(device: "/x", interface: "1.0", serialNumber: nil)),
        ] as [(String, USBFunction?)]
    )
    func chosenNames(place: String, usb: USBFunction?) {
        let node = VideoNode(path: "/dev/video0", name: "unicam-image", place: place, usb: usb)
        let device = ScriptedDevice { $0.nodes = [node] }
        let found = VideoCameraDiscovery(calls: device, clock: StandingClock())
        #expect(found.cameras().count == 1 && found.sensors().isEmpty)
    }

    @Test("A camera that was decided about before its node was known as a sensor's is refused without being opened")
    func knownBefore() async throws {
        let node = ScriptedDevice.camera("/dev/video0")
        let device = ScriptedDevice { $0.nodes = [VideoNode(path: node.path, name: "x", place: "platform:x.csi")] }
        let camera = try VideoCameraDiscovery.first(device)
        device.state.withLock { state in
            state.nodes = [VideoNode(path: node.path, name: "x", driver: "unicam", place: "platform:x.csi")]
        }
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.examined() }
        #expect(error?.code == .unsupported && error?.message.contains("rpicam-apps") == true)
        #expect(device.state.withLock(\.openedPaths) == [])
    }

    @Test("A node that says it waits for a media controller is no camera, whatever its driver is called")
    func inputOutputByController() async throws {
        let device = ScriptedDevice {
            let flags: VideoCapabilities.Flags = [.videoCapture, .streaming, .mediaController, .deviceCapabilities]
            $0.capabilities = VideoCapabilities(card: "x", busInfo: "y", flags: flags, deviceFlags: flags)
        }
        #expect(device.state.withLock(\.capabilities.interface) == nil)
        let camera = try VideoCameraDiscovery.first(device)
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.examined() }
        #expect(error?.code == .unsupported && error?.message.contains("libcamera") == true)
        #expect(device.leaks == [])
    }

    @Test(
        "A sensor's raw samples are listed last, and never chosen for a picture",
        arguments: [PixelFormat("BG10"), PixelFormat("pBAA"), PixelFormat("RGGB"), PixelFormat("BYR2")]
    )
    func bayer(format: PixelFormat) async throws {
        let device = ScriptedDevice { $0.formats = [(format, false)] }
        let camera = try VideoCameraDiscovery.first(device)
        let alone = try await camera.examined().formats
        #expect(Set(alone.map(\.pixelFormat)) == [format])
        #expect(FormatChoice().format(among: alone) == nil)
        var raw = FormatChoice()
        raw.pixels = .bayer
        #expect(raw.format(among: alone)?.pixelFormat == format)
        device.state.withLock { $0.formats.append((.yuyv, false)) }
        let both = try await camera.examined().formats
        #expect(both.first?.pixelFormat == .yuyv && both.last?.pixelFormat == format)
        #expect(FormatChoice().format(among: both)?.pixelFormat == .yuyv)
        #expect(device.leaks == [])
    }

    @Test("Raw samples that nobody here can unpack are refused with what to do")
    func unknownBayer() async throws {
        let format = PixelFormat("ip3b")
        let device = ScriptedDevice { $0.formats = [(format, false)] }
        let camera = try VideoCameraDiscovery.first(device)
        var error = await #expect(throws: CaptureError.self) { _ = try await camera.examined() }
        #expect(error?.code == .unsupported && error?.message.contains("libcamera") == true)
        let size = PixelSize(width: 64, height: 48)
        let wanted = CaptureFormat(pixelFormat: format, size: size, frameInterval: .thirtiethSecond)
        error = await #expect(throws: CaptureError.self) { _ = try await camera.open(wanted) }
        #expect(error?.code == .unsupported && error?.message.contains("libcamera") == true)
        #expect(device.state.withLock { !$0.calls.contains("setFormat") })
        #expect(device.leaks == [])
    }
}
