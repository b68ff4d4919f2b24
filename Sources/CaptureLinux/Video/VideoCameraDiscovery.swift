package import Capture
import SystemPackage

/// Finds the cameras of this machine in the kernel's sysfs, without opening a node.
///
/// Whether a node delivers pictures is known from udev, which queried it when it was plugged in. Without udev, each
/// node counts as a camera until it is opened with consent and turns out not to be one.
package struct VideoCameraDiscovery: Sendable {
    private let calls: any VideoDeviceCalls
    private let clock: any CaptureClock

    package init(calls: any VideoDeviceCalls = SystemVideoCalls(), clock: any CaptureClock) {
        self.calls = calls
        self.clock = clock
    }

    /// The cameras currently present, by name and position; their formats require consent.
    package func cameras() -> [VideoCamera] {
        calls.nodes().filter { $0.purpose == .pictures && $0.isCapture ?? true }.map { node in
            let device = CaptureDevice(
                id: node.id,
                capability: .camera,
                manufacturer: node.usb?.manufacturer,
                model: node.name,
                serialNumber: node.usb?.serialNumber
            )
            return VideoCamera(device: device, calls: calls, clock: clock)
        }
    }

    /// The bare camera sensors currently present, each once; only libcamera can make cameras of them.
    package func sensors() -> [MediaController] {
        calls.nodes().filter { $0.purpose == .sensor }.map(\.mediaController).withoutRepetitions
    }

    /// Whether a driver names one of its nodes like an encoder: `bcm2835-codec-encode`, `mtk-vcodec-enc`.
    package var hasEncoder: Bool {
        calls.nodes().contains { $0.isCapture != true && $0.name.lowercased().contains("enc") }
    }

    /// Opens a camera's current node, which changes with each replug, and no other node; the caller closes it.
    ///
    /// - Throws: `deviceLost` if it is absent, `unsupported` if it delivers no pictures, or why opening failed.
    func open(_ id: CaptureDevice.ID) throws(CaptureError) -> (VideoDescriptor, VideoCapabilities) {
        let device = VideoDevice(id: id, calls: calls, clock: clock)
        let absence = CaptureError(.deviceLost, "the camera is not plugged in", deviceID: id)
        guard let node = calls.nodes().first(where: { $0.id == id }) else { throw absence }
        guard node.purpose == .pictures else {
            throw CaptureError(.unsupported, node.mediaController.advice, deviceID: id)
        }
        let descriptor = try device.calling("open") { () throws(Errno) in try calls.open(node.path) }
        do throws(CaptureError) {
            // An open node keeps its number: whatever has the number now is what was opened.
            guard calls.nodes().contains(where: { $0.path == node.path && $0.id == id }) else { throw absence }
            let capabilities = try device.calling("query") { () throws(Errno) in
                try calls.capabilities(descriptor)
            }
            if capabilities.nodeFlags.contains(.mediaController) {
                throw CaptureError(.unsupported, node.mediaController.advice, deviceID: id)
            }
            guard let interface = capabilities.interface else {
                throw CaptureError(.unsupported, "it delivers no pictures that can be streamed", deviceID: id)
            }
            return (descriptor.speaking(interface), capabilities)
        } catch {
            calls.close(descriptor)
            throw error
        }
    }
}
