package import PhotoModel

/// A value of a field that lost against one written at the same time: it can be seen, and put back by editing.
package struct SupersededEdit: Hashable, Sendable, Codable {
    /// The edit that would put it back; it names one field.
    package var edit: AssetEdit
    /// When it was written, by the writer's clock.
    package var time: WallTime
    /// The device that wrote it; nil for operators, and where the replica is not known any more.
    package var deviceID: DeviceID?

    package init(edit: AssetEdit, time: WallTime, deviceID: DeviceID? = nil) {
        self.edit = edit
        self.time = time
        self.deviceID = deviceID
    }
}

/// What lost on one asset.
package struct SupersededEdits: Hashable, Sendable, Codable {
    /// By field, the latest first; at most eight a field.
    package var superseded: [SupersededEdit]

    package init(superseded: [SupersededEdit]) { self.superseded = superseded }
}
