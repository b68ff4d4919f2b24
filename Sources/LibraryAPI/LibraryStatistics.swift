package import PhotoModel

/// The library's counts and sizes, on `Endpoint.adminStatistics`.
package struct LibraryStatistics: Hashable, Sendable, Codable {
    /// Assets that are not in the trash.
    package var assets = 0
    /// Assets in the trash.
    package var trashed = 0
    /// Albums.
    package var albums = 0
    /// Different contents.
    package var contents = 0
    /// Bytes of all contents.
    package var contentBytes: Int64 = 0
    /// Contents whose bytes are gone or wrong, and are asked of the devices that saved them.
    package var missing = 0
    /// Uploads under way.
    package var uploads = 0
    /// Contents in quarantine.
    package var quarantined = 0
    /// Devices.
    package var devices = 0
    /// Bytes that are free where originals go.
    package var freeBytes: Int64?
    /// The last change that was admitted.
    package var lastChange = ChangeNumber.zero
    /// The change up to which a backup holds everything; nil without a backup.
    package var backupWatermark: ChangeNumber?
    /// When that backup was begun.
    package var backupTime: WallTime?

    /// A library in which nothing has happened yet.
    package init() {}
}
