import LibraryAPI
import Persistence
import PhotoModel

/// Shots that version 0.1 left unfinished in `capturing/<asset id>/`, with a `capture.json` and a file `lock`.
///
/// The next version no longer looks for them.
struct FormerShots {
    /// `capture.json`.
    fileprivate struct Record: Decodable {
        struct Cause: Decodable {
            var kind: String
            var name: String?
        }

        var trigger: Cause
        var isLivePhoto: Bool
        var requestedTime: CaptureTime
        var album: String?
        var location: Location?
        var burst: BurstMembership?
    }

    let root: Path
    let fileSystem: any FileSystem

    /// Moves them to the spool as shots of this version, except those that a process of version 0.1 is still taking.
    func moveToSpool() throws {
        let former = root.appending("capturing")
        guard try fileSystem.status(former) != nil else { return }
        for name in try fileSystem.list(former) {
            guard let asset = AssetID(name) else { continue }
            let folder = former.appending(name)
            let lockPath = folder.appending("lock")
            let lock: any FileLock
            do throws(PersistenceError) {
                lock = try fileSystem.lock(lockPath)
            } catch {
                guard error.code == .locked else { throw error }
                continue
            }
            defer { lock.release() }
            try convert(asset, folder)
            try fileSystem.unlink(lockPath)
            // Version 0.1 had begun to copy there; its own files stay complete until the row exists.
            let spooled = root.appending("spool").appending(name)
            try fileSystem.removeTree(spooled)
            try fileSystem.rename(folder, to: spooled)
        }
        if try fileSystem.list(former).isEmpty { try fileSystem.removeDirectory(former) }
    }

    private func convert(_ asset: AssetID, _ folder: Path) throws {
        let path = folder.appending("capture.json")
        guard let bytes = try fileSystem.readAll(path) else { return }
        if let record = try? AgentStore.value(Record.self, from: bytes) {
            try EntryRecord(record, asset).write(into: folder, in: fileSystem)
        }
        try fileSystem.unlink(path)
    }
}

extension EntryRecord {
    fileprivate init(_ record: FormerShots.Record, _ asset: AssetID) {
        var manifest = AssetManifest(
            id: asset,
            mediaType: .image,
            captureTime: record.requestedTime,
            desiredAlbum: record.album.map { .title($0) },
            resources: []
        )
        manifest.captureFacts = CaptureFacts(
            trigger: record.trigger.name.map { "\(record.trigger.kind) \($0)" } ?? record.trigger.kind
        )
        manifest.location = record.location
        manifest.burst = record.burst
        self.init(manifest, isIncompleteLivePhoto: record.isLivePhoto)
    }
}
