/// A camera with settings of its own, such as exposure or focus, which can also be locked.
package protocol ControllableCamera: FrameSource {
    /// The camera's current controls, with menu items; querying them opens it.
    ///
    /// - Throws: `notAuthorized`, and why it cannot be opened.
    func controls(_ consent: CaptureConsent) async throws(CaptureError) -> [CaptureControl]

    /// The current values of those that have one, by control number; drivers often report stale ones while an automatic
    /// is on.
    ///
    /// - Throws: `notAuthorized`, `deviceLost` and the like.
    func controlValues(_ consent: CaptureConsent) async throws(CaptureError) -> [UInt32: Int32]

    /// Sets a control of this camera to a value in its range, for a menu an item, even while streaming; switch
    /// automatic modes off before setting manual values.
    ///
    /// - Throws: `unsupported` if it does not accept the value or the driver refuses it, `deviceLost` and the like.
    func set(_ control: CaptureControl, to value: Int32) async throws(CaptureError)

    /// Freezes automatics, so that pictures stay alike, and freezes them again at the same values whenever the camera
    /// returns; ``restore(_:)`` takes the previous control values.
    ///
    /// - Throws: `unsupported` if the camera cannot; nothing has changed then.
    @discardableResult
    func lock(_ automatics: Set<CameraAutomatic>) async throws(CaptureError) -> ControlSnapshot

    /// Restores values and removes any lock.
    ///
    /// - Throws: the first refusal, after everything else was restored.
    func restore(_ snapshot: ControlSnapshot) async throws(CaptureError)
}

/// An automatic adjustment of a camera.
package enum CameraAutomatic: String, Hashable, Sendable, Codable, CaseIterable {
    /// Exposure time and gain.
    case exposure
    /// The white balance.
    case whiteBalance
    /// The focus distance.
    case focus
}

/// A camera's control values at one moment.
package struct ControlSnapshot: Hashable, Sendable {
    /// The values of the settable ones, by control number.
    package let values: [UInt32: Int32]

    package init(values: [UInt32: Int32]) {
        self.values = values
    }
}
