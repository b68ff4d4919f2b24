import Capture
import Glibc

/// The exposure of a Video4Linux camera, switched to manual at the time and gain that its automatic had chosen.
struct VideoExposure: HeldExposure {
    let camera: VideoCamera
    let consent: CaptureConsent
    /// The exposure time that the biases refer to, in the driver's units of 100 microseconds.
    let time: Int32
    /// The exposure times that the driver accepts.
    let range: ClosedRange<Int64>
    /// The values to put back.
    let before: ControlSnapshot

    func setBias(_ bias: Double) async throws(CaptureError) -> Double {
        let wanted = (Double(time) * exp2(bias)).rounded()
        let value = min(max(wanted, Double(range.lowerBound)), Double(range.upperBound))
        guard let value = Int32(exactly: value), value > 0 else {
            throw CaptureError(
                .unsupported,
                "this camera has no exposure time for \(bias) EV",
                deviceID: camera.device.id
            )
        }
        try await camera.setExposureTime(value)
        return log2(Double(value) / Double(time))
    }

    func release() async {
        // The camera may no longer be opened.
        guard !consent.isWithdrawn else { return }
        await camera.putBack(before)
    }
}

extension CameraControls {
    /// Switches the automatic exposure off and keeps what it had chosen, within the driver's range.
    ///
    /// - Throws: `unsupported` if the exposure time cannot be set; nothing has changed then.
    func holdExposure() throws(CaptureError) -> (time: Int32, range: ClosedRange<Int64>, before: ControlSnapshot) {
        let ids = Set(
            (CameraAutomatic.exposure.switches.map(\.control) + CameraAutomatic.exposure.manualControls).map(\.id)
        )
        let before = ControlSnapshot(values: try snapshot().values.filter { ids.contains($0.key) })
        let chosen = CameraAutomatic.exposure.manualControls.compactMap { control in
            (try? device.calls.value(descriptor, ofControl: control.id)).map { (control, $0) }
        }
        do throws(CaptureError) {
            for (control, off) in CameraAutomatic.exposure.switches where before.values[control.id] != nil {
                try set(control.id, "\(control)", to: off)
            }
            // Only now do these accept a value.
            let settable = all.map(\.control).filter(\.isWritable)
            for (control, value) in chosen where settable.contains(where: { $0.id == control.id }) {
                try set(control.id, "\(control)", to: value)
            }
            guard let control = settable.first(where: { $0.id == CameraControl.exposureTime.id }),
                let time = chosen.first(where: { $0.0 == .exposureTime })?.1, time > 0
            else { throw CaptureError.fixedExposure(of: device.id) }
            return (time, control.range, before)
        } catch {
            try? restore(before)
            throw error
        }
    }
}
