import GRDB
import LibraryAPI
import Persistence
package import PhotoModel

extension AgentStore {
    /// Opens the folder for a shot's files, before the shutter; the record is stored, so that the shot can be completed
    /// after a crash.
    ///
    /// A box being retired accepts no new shots. The folder is created first: a shot admitted here is included when the
    /// list of remaining captures is closed.
    ///
    /// - Throws: `draining`, `full`, `storage`.
    package func openIntake(for record: EntryRecord) throws -> Intake {
        let intake = Intake(record.manifest.id.description, in: spool, of: fileSystem)
        do {
            try intake.open()
            try synchronizeNewFolders()
            if try draining() != nil { throw AgentStoreError.draining(nil) }
            try record.write(into: intake.path, in: fileSystem)
        } catch let error as Persistence.PersistenceError {
            throw AgentStoreError(error, record.manifest.id)
        }
        return intake
    }

    /// A folder for files whose assets are not known yet; created with its first file.
    package func makeIntake() -> Intake {
        Intake("\(Intake.prefix)\(UInt64.random(in: 0 ... .max))", in: spool, of: fileSystem)
    }

    /// Adds a capture, or returns the existing entry of its asset; when this returns, it survives a power cut.
    ///
    /// The asset's identifier is in its folder's name, so every retry and recovery produces the same asset. The files
    /// and their names are durable in `spool/<asset id>/` before the row, which repeats `entry.json`. The row's
    /// transaction renames the folder to `originals/<asset id>/`; if a power cut undoes that rename, or the renames of
    /// a recorder's files, the next start repeats them. From the shutter on, a shot waits for the disk once per file,
    /// including its name, and once for the row.
    ///
    /// - Throws: `full` before anything is damaged, `draining`, `invalid`, `storage`; the draft's folder has then been
    ///   removed.
    @discardableResult
    package func add(_ draft: CaptureDraft, limits: SpaceLimits = SpaceLimits(), now: WallTime) throws -> QueueEntry {
        let asset = draft.manifest.id
        if let entry = try entry(asset) { return entry }
        try add([draft], limits: limits, now: now) { _ in }
        guard let entry = try entry(asset) else { throw AgentStoreError(.notFound, asset, "its row was not written") }
        return entry
    }

    /// Adds captures together with changes of the view, made in the transaction that creates the entries: all of them,
    /// or nothing if one fails.
    ///
    /// After a power cut, complete captures are kept, as after `add` of one; existing ones are left unchanged. Several
    /// captures share the disk flushes.
    ///
    /// - Throws: `full` before anything is damaged, `draining`, `invalid`, `storage`, and what the closure throws.
    package func add(
        _ drafts: [CaptureDraft],
        limits: SpaceLimits = SpaceLimits(),
        now: WallTime,
        with change: (Transaction) throws -> Void
    ) throws {
        func commit() throws {
            try self.commit(drafts, limits) { database, records in
                for draft in drafts {
                    if let (record, manifest) = records[draft.manifest.id] {
                        try record.insert(manifest, into: database, now: now)
                    } else {
                        try record(of: draft, database)?.insert(into: database, now: now)
                    }
                }
                try change(Transaction(database: database))
            }
        }
        // A recorder's shot is its own process's; imported bytes may come by two ways at once, as one and the same asset.
        guard !drafts.isEmpty, isGuest || !drafts.allSatisfy(isRecorded) else { return try commit() }
        let turn = try Self.stored { () throws(Persistence.PersistenceError) in try fileSystem.lockWriters(of: root) }
        defer { turn.release() }
        try commit()
    }

    /// A transaction of the store, for rows written together with captures.
    package struct Transaction {
        let database: Database
    }

    /// A record whose files are in its folder, and its manifest as JSON.
    private typealias Prepared = (record: EntryRecord, manifest: [UInt8])

    private func commit(
        _ drafts: [CaptureDraft],
        _ limits: SpaceLimits,
        _ write: (Database, [AssetID: Prepared]) throws -> Void
    ) throws {
        var made: [Path] = []
        do {
            let new = try drafts.filter { try fileSystem.status(folder(of: $0.manifest.id)) == nil }
            let assets = new.map(\.manifest.id)
            var records: [AssetID: Prepared] = [:]
            if !new.isEmpty {
                made = assets.flatMap { [spoolFolder(of: $0), folder(of: $0)] }
                try requireWelcome(assets)
                try unsettle()
                try makeSpace(for: new, limits)
                let prepared = try new.concurrentMap { try prepare($0, isDurable: new.count == 1) }
                records = Dictionary(prepared.map { ($0.record.manifest.id, $0) }) { first, _ in first }
                // One flush for several: bytes, records and names. A single one does not wait for other programs'
                // writes.
                if new.count > 1 { try fileSystem.synchronizeAll(root) }
            }
            try database.write { database in
                // Checked again within the transaction: the list of a box being retired may have closed meanwhile.
                try Self.requireWelcome(assets, database)
                try write(database, records)
                // Within the transaction: nobody sees an entry without its files, or a shot that is neither begun nor
                // in the queue.
                for asset in assets { try fileSystem.rename(spoolFolder(of: asset), to: folder(of: asset)) }
            }
        } catch {
            // What cannot be removed is added by the next start: keeping is the safe choice.
            for folder in made { try? fileSystem.removeTree(folder) }
            throw Self.failure(error, drafts.first?.manifest.id)
        }
        // Only now: until here a failure leaves the sources in place. One that cannot be removed is in the queue all the same.
        for source in drafts.flatMap(\.files).compactMap(\.movedFrom) {
            guard let status = try? fileSystem.status(source.path), status == source.status else { continue }
            try? fileSystem.unlink(source.path)
        }
    }

    private static func failure(_ error: any Error, _ asset: AssetID?) -> any Error {
        switch error {
        case let error as Persistence.PersistenceError: AgentStoreError(error, asset)
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
            AgentStoreError(.full, asset, "the disk has no room for the queue: free space", cause: error)
        default: error
        }
    }

    /// Completes an asset's folder in the spool, and makes its files and their names durable if asked to.
    private func prepare(_ draft: CaptureDraft, isDurable: Bool) throws -> Prepared {
        let asset = draft.manifest.id
        let record = EntryRecord(of: draft)
        let (bytes, manifest) = try record.checkedBytes()
        let folder = spoolFolder(of: asset)
        let isNew = !isRecorded(draft)
        if isNew {
            try fileSystem.removeTree(folder)
            try fileSystem.createDirectory(folder)
            if isDurable { try synchronizeNewFolders() }
        }
        // A recorder's files have durable names that recovery knows, as long as renames stay in order.
        var areNamesDurable = FileSystemKind.namesWhatIsSynced(in: spool)
        for (resource, file) in zip(record.manifest.resources, draft.files) {
            let path = folder.appending(Self.fileName(of: resource))
            let isRecorded = try fileSystem.place(file.path, at: path) && file.isDurable
            if isDurable, !isRecorded { try fileSystem.synchronize(path) }
            areNamesDurable = areNamesDurable && isRecorded
        }
        try EntryRecord.write(bytes, into: folder, isNew: isNew, in: fileSystem)
        if isDurable, !areNamesDurable { try fileSystem.synchronizeDirectory(folder) }
        return (record, manifest)
    }

    /// Makes the names of new folders in the spool durable, where syncing them does not.
    private func synchronizeNewFolders() throws(Persistence.PersistenceError) {
        if !FileSystemKind.namesWhatIsSynced(in: spool) { try fileSystem.synchronizeDirectory(spool) }
    }

    private func spoolFolder(of asset: AssetID) -> Path { spool.appending(asset.description) }

    /// Whether a recorder wrote a draft's files into its asset's own folder, which it holds locked.
    private func isRecorded(_ draft: CaptureDraft) -> Bool {
        let folder = spoolFolder(of: draft.manifest.id)
        return draft.files.contains { $0.path.parent == folder }
    }

    /// The record of a capture whose files are already here; nil if it has a row.
    private func record(of draft: CaptureDraft, _ database: Database) throws -> EntryRecord? {
        let sql = "SELECT 1 FROM entries WHERE asset_id = ?"
        let asset = draft.manifest.id
        if try Row.fetchOne(database, sql: sql, arguments: [asset.description]) != nil { return nil }
        let folder = folder(of: asset)
        let found = try EntryRecord.read(folder, in: fileSystem)
        // A power cut may leave a torn record beside whole files.
        let record = found ?? EntryRecord(of: draft)
        guard record.manifest.id == asset, try record.isWhole(in: folder, of: fileSystem) else {
            throw AgentStoreError(.damaged, asset, "move \(folder) elsewhere, whose files are damaged, and try again")
        }
        if found == nil { try EntryRecord.write(record.checkedBytes().record, into: folder, in: fileSystem) }
        return record
    }
}
