package import PhotoModel

/// The library's counts and sizes, on `Endpoint.adminStatistics`.
package struct LibraryStatistics: Hashable, Sendable, Codable {
    /// Assets outside the trash.
    package var assets = 0
    /// Assets in the trash.
    package var trashed = 0
    /// Albums.
    package var albums = 0
    /// Distinct contents.
    package var contents = 0
    /// Bytes of all contents.
    package var contentBytes: Int64 = 0
    /// Contents whose bytes are gone or damaged, and are requested from the devices that saved them.
    package var missing = 0
    /// Uploads in progress.
    package var uploads = 0
    /// Contents in quarantine.
    package var quarantined = 0
    /// Devices.
    package var devices = 0
    /// Free bytes on the originals' disk.
    package var freeBytes: Int64?
    /// Bytes of them that uploads must leave free.
    package var reservedBytes: Int64?
    /// The resulting room for uploads; nil while unknown.
    package var room: Room?
    /// The last admitted change.
    package var lastChange = ChangeNumber.zero
    /// The change up to which a backup is complete; nil without a backup.
    package var backupWatermark: ChangeNumber?
    /// When that backup was started.
    package var backupTime: WallTime?

    /// Where rows and originals are stored; nil while unknown.
    package var storage: Storage?
    /// The servers over the library's rows; nil if rows are in a file, which only one opens.
    package var servers: [Server]?

    /// The statistics of an empty library.
    package init() {}
}

extension LibraryStatistics {
    /// Where a library's rows and originals are stored.
    package struct Storage: Hashable, Sendable, Codable {
        /// The durability of the changes that a database server confirms.
        package enum Replication: String, Hashable, Sendable, Codable, CaseIterable {
            /// They are on its own disk; there is no standby.
            case none
            /// They are on its own disk; a standby that takes over may lack some.
            case asynchronous
            /// They are on a standby's disk too.
            case synchronous
        }

        /// The engine of the rows, with its version, for example `PostgreSQL 15.18`.
        package var rows: String
        /// The durability of confirmed changes; nil for an engine without a server.
        package var replication: Replication?
        /// Where the originals are: `folder`, or a bucket with its host.
        package var originals = ""
        /// Why originals cannot be reached now; nil if they can.
        package var problem: String?

        package init(rows: String, replication: Replication? = nil) {
            self.rows = rows
            self.replication = replication
        }
    }

    /// One of the servers over a library's rows.
    package struct Server: Hashable, Sendable, Codable {
        /// The clock difference above which a warning is logged.
        package static let notedClockDifference = Duration.seconds(2)
        /// The clock difference above which a server is not ready.
        package static let refusedClockDifference = Duration.seconds(10)

        /// Identifies its run.
        package let id: String
        /// The machine's name.
        package let host: String
        /// The library's folder on that machine.
        package let folder: String
        /// The program's version.
        package let version: String
        /// When it last announced that it is alive, by the database's clock.
        package let seen: WallTime
        /// Whether that was recent enough to count as alive.
        package let isAlive: Bool
        /// How far its clock is ahead of the database's; negative if behind, nil until measured.
        package let clockAheadMilliseconds: Int64?
        /// What it does for the library: `library`, `upkeep`, `sweep`, `maintenance`; nil from a server of an older version.
        package let duties: [String]?

        package init(
            id: String,
            host: String,
            folder: String,
            version: String,
            seen: WallTime,
            isAlive: Bool,
            clockAheadMilliseconds: Int64?,
            duties: [String]? = nil
        ) {
            self.id = id
            self.host = host
            self.folder = folder
            self.version = version
            self.seen = seen
            self.isAlive = isAlive
            self.clockAheadMilliseconds = clockAheadMilliseconds
            self.duties = duties
        }
    }

    /// How much more the library can store.
    package enum Room: String, Hashable, Sendable, Codable, CaseIterable {
        /// Enough.
        case ample
        /// Little: somebody should free space.
        case low
        /// No space: uploads are refused, and devices keep their captures.
        case full
    }

    /// Below this many bytes above the reserve, room is low: 5 GiB.
    package static let lowByteCount: Int64 = 5 << 30

    /// Records the free space of the originals' disk.
    ///
    /// - Parameters:
    ///   - freeBytes: free bytes.
    ///   - reservedBytes: bytes that uploads leave free.
    package mutating func setRoom(freeBytes: Int64, reservedBytes: Int64) {
        self.freeBytes = freeBytes
        self.reservedBytes = reservedBytes
        let (left, isFull) = freeBytes.subtractingReportingOverflow(reservedBytes)
        room = isFull || left <= 0 ? .full : left < Self.lowByteCount ? .low : .ample
    }
}
