package import PhotoModel

/// A field's value that lost to a concurrent one: people can see it, and restore it by editing.
package struct SupersededEdit: Hashable, Sendable, Codable {
    /// The edit that restores it; it names one field.
    package var edit: AssetEdit
    /// When it was written, by the writer's clock.
    package var time: WallTime
    /// The device that wrote it; nil for operators, and if the replica is no longer known.
    package var deviceID: DeviceID?

    package init(edit: AssetEdit, time: WallTime, deviceID: DeviceID? = nil) {
        self.edit = edit
        self.time = time
        self.deviceID = deviceID
    }
}

/// The superseded values of one asset.
package struct SupersededEdits: Hashable, Sendable, Codable {
    /// By field, latest first; at most eight per field.
    package var superseded: [SupersededEdit]

    package init(superseded: [SupersededEdit]) { self.superseded = superseded }
}
