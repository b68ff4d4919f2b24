import FoundationEssentials
import GRDB
package import LibraryAPI
import Persistence
import PhotoModel

/// `entry.json` in an asset's folder: before a shot, what is known of it; in the queue, everything needed to recreate
/// its row.
package struct EntryRecord: Codable, Hashable, Sendable {
    static let fileName = "entry.json"

    /// The manifest; that of a shot that has only begun has no resources, and the requested moment as its time.
    package var manifest: AssetManifest
    /// Whether it is a Live Photo without its movie, as every one is at first.
    package var isIncompleteLivePhoto: Bool

    package init(_ manifest: AssetManifest, isIncompleteLivePhoto: Bool) {
        self.manifest = manifest
        self.isIncompleteLivePhoto = isIncompleteLivePhoto
    }

    /// The record of a draft.
    init(of draft: CaptureDraft) {
        self.init(draft.manifest, isIncompleteLivePhoto: draft.manifest.captureFacts?.isLivePhotoIncomplete ?? false)
    }

    /// Validates and encodes an asset: its record, and the manifest within it, which its row needs.
    ///
    /// - Throws: `invalid` for an invalid asset, or one too large for a library.
    func checkedBytes() throws -> (record: [UInt8], manifest: [UInt8]) {
        if let problem = AssetResource.problem(in: manifest.resources) {
            throw AgentStoreError(.invalid, manifest.id, "the capture is not a valid asset: \(problem)")
        }
        let inner = try AgentStore.json(manifest)
        let head = #"{"isIncompleteLivePhoto":\#(isIncompleteLivePhoto),"manifest":"#
        let bytes = Array(head.utf8) + inner + [UInt8(ascii: "}")]
        guard bytes.count <= APILimits.manifestByteCount else {
            throw AgentStoreError(
                .invalid,
                manifest.id,
                "the capture's manifest has \(bytes.count) bytes, more than the \(APILimits.manifestByteCount) that a "
                    + "library accepts: shorten its texts"
            )
        }
        return (bytes, inner)
    }

    /// Writes the record into a folder, replacing an older one; does not sync.
    func write(into folder: Path, in fileSystem: any FileSystem) throws {
        try Self.write(AgentStore.json(self), into: folder, in: fileSystem)
    }

    /// Writes an encoded record into a folder, replacing an older one; does not sync.
    ///
    /// In a new folder there is nothing to replace, and a torn record counts as none.
    static func write(
        _ bytes: [UInt8],
        into folder: Path,
        isNew: Bool = false,
        in fileSystem: any FileSystem
    ) throws {
        let path = folder.appending(fileName)
        if isNew {
            try fileSystem.write(bytes, to: path)
            return
        }
        let temporary = folder.appending(".\(fileName).new")
        if try fileSystem.status(temporary) != nil { try fileSystem.unlink(temporary) }
        try fileSystem.write(bytes, to: temporary)
        try fileSystem.rename(temporary, to: path)
    }

    /// Reads a folder's record; nil if absent or unreadable.
    static func read(_ folder: Path, in fileSystem: any FileSystem) throws -> EntryRecord? {
        let path = folder.appending(fileName)
        do throws(Persistence.PersistenceError) {
            guard let bytes = try fileSystem.readAll(path) else { return nil }
            return try? AgentStore.value(EntryRecord.self, from: bytes)
        } catch {
            // A sealed record that was truncated.
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Writes the record into a folder, and removes what is not the asset's; does not sync.
    func claim(_ folder: Path, in fileSystem: any FileSystem) throws {
        try write(into: folder, in: fileSystem)
        let names = Set(manifest.resources.map(AgentStore.fileName) + [Self.fileName])
        for name in try fileSystem.list(folder) where !names.contains(name) {
            try fileSystem.unlink(folder.appending(name))
        }
    }

    /// Whether every resource is in the folder, with its length and digest.
    func isWhole(in folder: Path, of fileSystem: any FileSystem) throws -> Bool {
        try wholeResources(in: folder, of: fileSystem) == manifest.resources
            && AssetResource.problem(in: manifest.resources) == nil
    }

    /// The resources that are in the folder, with their length and digest.
    private func wholeResources(in folder: Path, of fileSystem: any FileSystem) throws -> [AssetResource] {
        try manifest.resources.filter { resource in
            let path = folder.appending(AgentStore.fileName(of: resource))
            guard try fileSystem.status(path)?.byteCount == resource.byteCount else { return false }
            return try ContentHasher.digest(path, in: fileSystem).digest == resource.digest
        }
    }

    /// The record of a shot's still, if that is whole, without a damaged movie or raw file; nil also for an import, whose
    /// files are still where they came from.
    func withoutDamage(in folder: Path, of fileSystem: any FileSystem) throws -> EntryRecord? {
        var record = self
        record.manifest.resources = try wholeResources(in: folder, of: fileSystem)
        let types = record.manifest.resources.map(\.type)
        guard manifest.captureFacts != nil, types.contains(.photo) else { return nil }
        if manifest.mediaSubtypes.contains(.photoLive), !types.contains(.pairedVideo) {
            record.manifest.mediaSubtypes.remove(.photoLive)
            record.manifest.durationMicroseconds = nil
            record.markIncomplete()
        }
        return record
    }

    /// Records that it is a Live Photo without its movie.
    mutating func markIncomplete() {
        isIncompleteLivePhoto = true
        var facts = manifest.captureFacts ?? CaptureFacts()
        facts.isLivePhotoIncomplete = true
        manifest.captureFacts = facts
    }

    /// Creates the row, unless it exists; a manifest encoded before is not encoded again.
    func insert(_ encoded: [UInt8]? = nil, into database: Database, now: WallTime) throws {
        let bytes = try encoded ?? AgentStore.json(manifest)
        var document = Data(bytes)
        // A capture belongs to the box's device at that time; before its first enrolment it has none.
        let device = try (manifest.deviceID ?? AgentStore.device(database))?.description
        if manifest.deviceID == nil, let device {
            document = Data(#"{"deviceID":"\#(device)","#.utf8) + bytes.dropFirst()
        }
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO entries (
                    asset_id, device_id, state, manifest, byte_count, is_incomplete_live_photo, boot_id, added_at
                ) VALUES (?, ?, 'captured', ?, ?, ?, ?, ?) ON CONFLICT (asset_id) DO NOTHING
                """
        )
        try statement.execute(
            arguments: [
                manifest.id.description, device, document,
                manifest.resources.reduce(0) { $0 + $1.byteCount }, isIncompleteLivePhoto,
                manifest.captureTime.bootID?.description, now.microsecondsSince1970,
            ]
        )
    }
}
