package import Capture
import SystemPackage

/// Finds the cameras of this machine in the kernel's sysfs; no node is opened for it.
///
/// Whether a node gives pictures is known from udev, which asked it when it was plugged in. Where there is no udev, each
/// node counts as a camera until it is opened with consent and says that it is none.
package struct VideoCameraDiscovery: Sendable {
    private let calls: any VideoDeviceCalls
    private let clock: any CaptureClock

    /// A search.
    package init(calls: any VideoDeviceCalls = SystemVideoCalls(), clock: any CaptureClock) {
        self.calls = calls
        self.clock = clock
    }

    /// The cameras there are now, known by name and place; what they offer they tell those who have consent.
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

    /// The bare camera sensors there are now, which are no cameras before libcamera drives them; each once.
    package func sensors() -> [MediaController] {
        calls.nodes().filter { $0.purpose == .sensor }.map(\.mediaController).withoutRepetitions
    }

    /// Whether a driver names one of its nodes as an encoder does: `bcm2835-codec-encode`, `mtk-vcodec-enc`.
    package var hasEncoder: Bool {
        calls.nodes().contains { $0.isCapture != true && $0.name.lowercased().contains("enc") }
    }

    /// Opens the node that a camera has now, which is another one after each replug, and no other node.
    ///
    /// - Parameter id: which camera.
    /// - Returns: the open node, to be closed by the caller, and what it says of itself.
    /// - Throws: `deviceLost` when it is not there, `unsupported` when it gives no pictures, what opening it threw.
    func open(_ id: CaptureDevice.ID) throws(CaptureError) -> (VideoDescriptor, VideoCapabilities) {
        let device = VideoDevice(id: id, calls: calls, clock: clock)
        let absence = CaptureError(.deviceLost, "the camera is not plugged in", deviceID: id)
        guard let node = calls.nodes().first(where: { $0.id == id }) else { throw absence }
        guard node.purpose == .pictures else {
            throw CaptureError(.unsupported, node.mediaController.advice, deviceID: id)
        }
        let descriptor = try device.calling("open") { () throws(Errno) in try calls.open(node.path) }
        do throws(CaptureError) {
            // An open node keeps its number: what has the number now is what was opened.
            guard calls.nodes().contains(where: { $0.path == node.path && $0.id == id }) else { throw absence }
            let capabilities = try device.calling("query") { () throws(Errno) in
                try calls.capabilities(descriptor)
            }
            if capabilities.nodeFlags.contains(.mediaController) {
                throw CaptureError(.unsupported, node.mediaController.advice, deviceID: id)
            }
            guard let interface = capabilities.interface else {
                throw CaptureError(.unsupported, "it gives no pictures that can be streamed", deviceID: id)
            }
            return (descriptor.speaking(interface), capabilities)
        } catch {
            calls.close(descriptor)
            throw error
        }
    }
}
