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
    /// Bytes there that uploads leave free.
    package var reservedBytes: Int64?
    /// What the two mean for whoever saves; nil while they are not known.
    package var room: Room?
    /// The last change that was admitted.
    package var lastChange = ChangeNumber.zero
    /// The change up to which a backup holds everything; nil without a backup.
    package var backupWatermark: ChangeNumber?
    /// When that backup was begun.
    package var backupTime: WallTime?

    /// A library in which nothing has happened yet.
    package init() {}
}

extension LibraryStatistics {
    /// How much more the library can take in.
    package enum Room: String, Hashable, Sendable, Codable, CaseIterable {
        /// Enough.
        case ample
        /// Little: somebody should make room.
        case low
        /// None: uploads are refused, and devices keep what they have.
        case full
    }

    /// Above the reserve, with fewer bytes than these there is little room: 5 GiB.
    package static let lowByteCount: Int64 = 5 << 30

    /// Notes how the disk of the originals is.
    ///
    /// - Parameters:
    ///   - freeBytes: bytes that are free.
    ///   - reservedBytes: bytes that uploads leave free.
    package mutating func setRoom(freeBytes: Int64, reservedBytes: Int64) {
        self.freeBytes = freeBytes
        self.reservedBytes = reservedBytes
        let (left, isFull) = freeBytes.subtractingReportingOverflow(reservedBytes)
        room = isFull || left <= 0 ? .full : left < Self.lowByteCount ? .low : .ample
    }
}
