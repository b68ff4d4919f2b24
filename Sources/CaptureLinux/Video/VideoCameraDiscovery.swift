package import Capture
import PhotoModel
import SystemPackage

/// Finds the cameras of this machine.
package struct VideoCameraDiscovery: Sendable {
    private let calls: any VideoDeviceCalls
    private let clock: any CaptureClock

    /// A search.
    package init(calls: any VideoDeviceCalls = SystemVideoCalls(), clock: any CaptureClock) {
        self.calls = calls
        self.clock = clock
    }

    /// The cameras there are now; nodes that cannot be opened or are no cameras are left out.
    package func cameras() -> [VideoCamera] {
        calls.nodes().compactMap { node in
            guard let (descriptor, capabilities) = try? openCamera(node) else { return nil }
            defer { calls.close(descriptor) }
            let id = Self.identity(capabilities, node)
            let device = CaptureDevice(
                id: id,
                capability: .camera,
                manufacturer: node.usb?.manufacturer,
                model: capabilities.card,
                serialNumber: node.usb?.serialNumber,
                formats: FormatList(calls: calls, descriptor: descriptor).formats,
                controls: CameraControls(
                    device: VideoDevice(id: id, calls: calls, clock: clock),
                    descriptor: descriptor
                ).described
            )
            guard !device.formats.isEmpty else { return nil }
            return VideoCamera(device: device, calls: calls, clock: clock)
        }
    }

    /// Opens the node that a camera has now, which is another one after each replug.
    ///
    /// - Parameter id: which camera.
    /// - Returns: the open node, to be closed by the caller.
    /// - Throws: `deviceLost` when it is not there; what opening threw where it may have been the one.
    func open(_ id: CaptureDevice.ID) throws(CaptureError) -> VideoDescriptor {
        let device = VideoDevice(id: id, calls: calls, clock: clock)
        var refusal: Errno?
        for node in calls.nodes() {
            do throws(Errno) {
                guard let (descriptor, capabilities) = try openCamera(node) else { continue }
                if Self.identity(capabilities, node) == id { return descriptor }
                calls.close(descriptor)
            } catch {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw device.failure("open", refusal) }
        throw CaptureError(.deviceLost, "the camera is not plugged in", deviceID: id)
    }

    /// Opens a node; nil when it is no camera.
    private func openCamera(_ node: VideoNode) throws(Errno) -> (VideoDescriptor, VideoCapabilities)? {
        let descriptor = try calls.open(node.path)
        do throws(Errno) {
            let capabilities = try calls.capabilities(descriptor)
            if let interface = capabilities.interface { return (descriptor.speaking(interface), capabilities) }
        } catch {
            calls.close(descriptor)
            throw error
        }
        calls.close(descriptor)
        return nil
    }

    private static func identity(_ capabilities: VideoCapabilities, _ node: VideoNode) -> CaptureDevice.ID {
        CaptureDevice.ID(place: capabilities.busInfo, usb: node.usb, index: node.index, name: capabilities.card)
    }
}
