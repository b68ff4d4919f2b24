package import Capture
import SystemPackage

/// A Video4Linux camera.
package struct VideoCamera: ControllableCamera {
    /// Its identity and, once examined, its formats.
    package let device: CaptureDevice
    private let node: VideoDevice

    init(device: CaptureDevice, calls: any VideoDeviceCalls, clock: any CaptureClock) {
        self.init(device: device, node: VideoDevice(id: device.id, calls: calls, clock: clock))
    }

    private init(device: CaptureDevice, node: VideoDevice) {
        self.device = device
        self.node = node
    }

    /// Opens the camera just long enough to list its formats, and returns it with them and the driver's product name.
    ///
    /// - Throws: `notAuthorized`, `unsupported` if it delivers no usable pictures, and why it cannot be opened.
    package func examined(_ consent: CaptureConsent) async throws(CaptureError) -> any FrameSource {
        try consent.check(device, is: .camera)
        return try await NamedThread.value("tt-examine") { () throws(CaptureError) in
            let (descriptor, capabilities) = try node.openCamera()
            defer { node.calls.close(descriptor) }
            var known = device
            known.model = capabilities.card
            let list = FormatList(calls: node.calls, descriptor: descriptor)
            known.formats = list.formats
            guard !known.formats.isEmpty else {
                let reason = list.told.first?.refusal ?? "the camera offers no usable format"
                throw CaptureError(.unsupported, reason, deviceID: device.id)
            }
            return VideoCamera(device: known, node: node)
        }
    }

    /// Opens the node to list its controls.
    package func controls(_ consent: CaptureConsent) async throws(CaptureError) -> [CaptureControl] {
        try consent.check(device, is: .camera)
        return try await withControls { $0.described }
    }

    /// Opens the node to read its controls.
    package func controlValues(_ consent: CaptureConsent) async throws(CaptureError) -> [UInt32: Int32] {
        try consent.check(device, is: .camera)
        return try await withControls { $0.values }
    }

    /// Opens the camera at its current node and negotiates a format.
    ///
    /// The driver may grant another size or interval than requested; another pixel format is refused.
    package func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream {
        let granted = try await NamedThread.value("tt-open") { () throws(CaptureError) in try node.open(format) }
        return VideoStream(device: node, wanted: format, granted: granted)
    }

    /// Opens the node beside a running stream, which V4L2 allows.
    package func set(_ control: CaptureControl, to value: Int32) async throws(CaptureError) {
        guard control.accepts(Int64(value)) else {
            throw CaptureError(.unsupported, "\(control.name) takes \(control.range)", deviceID: device.id)
        }
        try await withControls { controls throws(CaptureError) in
            try controls.set(control.id, control.name, to: value)
        }
    }

    /// Uses `V4L2_CID_3A_LOCK` if the driver has it, else switches the automatics off at their current values.
    @discardableResult
    package func lock(_ automatics: Set<CameraAutomatic>) async throws(CaptureError) -> ControlSnapshot {
        try await withControls { controls throws(CaptureError) in
            let before = try controls.snapshot()
            do throws(CaptureError) {
                var held: [UInt32: Int32] = [:]
                for automatic in CameraAutomatic.allCases where automatics.contains(automatic) {
                    held.merge(try controls.lock(automatic)) { $1 }
                }
                controls.device.locked.withLock { $0 = held }
            } catch {
                try? controls.restore(before)
                throw error
            }
            return before
        }
    }

    /// The values of all settable controls.
    package func controlSnapshot() async throws(CaptureError) -> ControlSnapshot {
        try await withControls { controls throws(CaptureError) in try controls.snapshot() }
    }

    /// Restores automatics first, since a manual value is refused or lost while its automatic is on.
    package func restore(_ snapshot: ControlSnapshot) async throws(CaptureError) {
        node.locked.withLock { $0 = [:] }
        try await withControls { controls throws(CaptureError) in try controls.restore(snapshot) }
    }

    /// Switches to manual exposure, at the values that the automatic had chosen.
    package func holdExposure(_ consent: CaptureConsent) async throws(CaptureError) -> any HeldExposure {
        try consent.check(device, is: .camera)
        let held = try await withControls { controls throws(CaptureError) in try controls.holdExposure() }
        return VideoExposure(camera: self, consent: consent, time: held.time, range: held.range, before: held.before)
    }

    /// Sets the exposure time, in the driver's units, of a held exposure.
    func setExposureTime(_ value: Int32) async throws(CaptureError) {
        try await withControls { controls throws(CaptureError) in
            try controls.set(CameraControl.exposureTime.id, "the exposure time", to: value)
        }
    }

    /// Restores the values that the driver accepts; leaves locks alone.
    func putBack(_ snapshot: ControlSnapshot) async {
        try? await withControls { controls throws(CaptureError) in try controls.restore(snapshot) }
    }

    /// Opens the camera on its own thread, since a webcam may take long to respond.
    private func withControls<Value: Sendable>(
        _ body: @escaping @Sendable (CameraControls) throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        try await NamedThread.value("tt-controls") { () throws(CaptureError) in
            let descriptor = try node.openNode()
            defer { node.calls.close(descriptor) }
            return try body(CameraControls(device: node, descriptor: descriptor))
        }
    }
}
