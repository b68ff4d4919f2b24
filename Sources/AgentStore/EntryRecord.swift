import FoundationEssentials
import GRDB
import LibraryAPI
import Persistence
import PhotoModel

/// `entry.json` in an asset's folder: everything needed to recreate its row.
struct EntryRecord: Codable, Sendable {
    static let fileName = "entry.json"

    var manifest: AssetManifest
    var isIncompleteLivePhoto: Bool

    /// Reads a folder's record; nil if absent or unreadable.
    static func read(_ folder: Path, in fileSystem: any FileSystem) throws -> EntryRecord? {
        let path = folder.appending(fileName)
        guard let bytes = try fileSystem.readAll(path) else { return nil }
        return try? AgentStore.value(EntryRecord.self, from: bytes)
    }

    /// Whether every resource is in the folder with its length and digest.
    func isWhole(in folder: Path, of fileSystem: any FileSystem) throws -> Bool {
        for resource in manifest.resources {
            let path = folder.appending(AgentStore.fileName(of: resource))
            guard let status = try fileSystem.status(path), status.byteCount == resource.byteCount,
                try digest(path, fileSystem) == resource.digest
            else { return false }
        }
        return AssetResource.problem(in: manifest.resources) == nil
    }

    /// Creates the row, unless it exists.
    func insert(into database: Database, now: WallTime) throws {
        let device = try Data.fetchOne(
            database.cachedStatement(sql: "SELECT value FROM facts WHERE name = 'device'")
        )
        var manifest = manifest
        // A capture belongs to the box's device at that time; before its first enrolment it has none.
        manifest.deviceID = manifest.deviceID ?? device.flatMap { DeviceID(String(decoding: $0, as: UTF8.self)) }
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO entries (
                    asset_id, device_id, state, manifest, byte_count, is_incomplete_live_photo, boot_id, added_at
                ) VALUES (?, ?, 'captured', ?, ?, ?, ?, ?) ON CONFLICT (asset_id) DO NOTHING
                """
        )
        try statement.execute(
            arguments: [
                manifest.id.description, manifest.deviceID?.description, try AgentStore.blob(manifest),
                manifest.resources.reduce(0) { $0 + $1.byteCount }, isIncompleteLivePhoto,
                manifest.captureTime.bootID?.description, now.microsecondsSince1970,
            ]
        )
    }

    private func digest(_ path: Path, _ fileSystem: any FileSystem) throws -> ContentDigest {
        func open(_ fileSystem: some FileSystem) throws(Persistence.PersistenceError) -> ContentDigest {
            try ContentHasher.digest(path, in: fileSystem).digest
        }
        return try open(fileSystem)
    }
}
