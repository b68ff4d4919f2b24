import FoundationEssentials
import GRDB
import LibraryAPI
import Persistence
package import PhotoModel

extension AgentStore {
    /// Takes a capture in; when this returns, it survives a power cut.
    ///
    /// Order: files written and synchronised in `spool/<asset id>/`, then `entry.json`, the folder synchronised, renamed
    /// to `originals/<asset id>/`, both parents synchronised, then the row. The asset's identifier is in the folder's name
    /// from the first byte on, so every retry and every recovery makes the same asset.
    ///
    /// - Parameters:
    ///   - draft: the capture.
    ///   - limits: how much room the queue may take.
    ///   - now: the box's clock.
    /// - Returns: the entry; when the asset is here already, the one that is.
    /// - Throws: `full` before anything is damaged, `retiring`, `invalid`, `storage`.
    @discardableResult
    package func add(_ draft: CaptureDraft, limits: SpaceLimits = SpaceLimits(), now: WallTime) throws -> QueueEntry {
        let asset = draft.manifest.id
        if let entry = try entry(asset) { return entry }
        try add([draft], limits: limits, now: now) { _ in }
        guard let entry = try entry(asset) else { throw AgentStoreError(.notFound, asset, "its row was not written") }
        return entry
    }

    /// Takes captures in together with changes of the view: all of them, or nothing when one fails.
    ///
    /// A power cut in the middle keeps what is whole, as after any capture. Several captures share the waits for the disk.
    ///
    /// - Parameters:
    ///   - drafts: the captures; one that is here already stays as it is.
    ///   - limits: how much room the queue may take.
    ///   - now: the box's clock.
    ///   - change: changes the view, in the transaction that makes the entries.
    /// - Throws: `full` before anything is damaged, `retiring`, `invalid`, `storage`, and what the closure throws.
    package func add(
        _ drafts: [CaptureDraft],
        limits: SpaceLimits = SpaceLimits(),
        now: WallTime,
        with change: (Transaction) throws -> Void
    ) throws {
        guard isGuest, !drafts.isEmpty else { return try takeIn(drafts, limits, now: now, with: change) }
        try asGuest { try takeIn(drafts, limits, now: now, with: change) }
    }

    private func takeIn(
        _ drafts: [CaptureDraft],
        _ limits: SpaceLimits,
        now: WallTime,
        with change: (Transaction) throws -> Void
    ) throws {
        var made: [Path] = []
        var moved: [Path] = []
        var records: [AssetID: EntryRecord] = [:]
        do {
            let new = try drafts.filter { try fileSystem.status(folder(of: $0.manifest.id)) == nil }
            if !new.isEmpty {
                try requireWelcome(new.map(\.manifest.id))
                try unsettle()
                try makeSpace(for: new, limits)
                for draft in new { made += [spoolFolder(of: draft), folder(of: draft.manifest.id)] }
                records = try write(new)
            }
            moved = new.flatMap(\.resources).compactMap(\.content.movedFrom)
            try database.write { database in
                // Once more, where nothing comes between: the list of a box that is being retired may have closed meanwhile.
                try Self.requireWelcome(new.map(\.manifest.id), database)
                for draft in drafts {
                    let asset = draft.manifest.id
                    try (records[asset] ?? record(in: folder(of: asset))).insert(into: database, now: now)
                }
                try change(Transaction(database: database))
            }
        } catch {
            // What cannot be removed is taken in by the next start: keeping is the safe side.
            for folder in made { try? fileSystem.removeTree(folder) }
            let asset = drafts.first?.manifest.id
            switch error {
            case let error as Persistence.PersistenceError: throw AgentStoreError(error, asset)
            case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
                throw AgentStoreError(.full, asset, "the disk has no room for the queue: free space", cause: error)
            default: throw error
            }
        }
        // Only now: until here a failure gives everything back.
        for path in moved where try fileSystem.status(path) != nil { try fileSystem.unlink(path) }
    }

    /// A transaction of the store, for what is written together with captures.
    package struct Transaction {
        let database: Database
    }

    /// Writes the spool folders, makes them durable, and moves them into place.
    ///
    /// - Returns: what their records say.
    private func write(_ drafts: [CaptureDraft]) throws -> [AssetID: EntryRecord] {
        let isAlone = drafts.count == 1
        let records = try drafts.concurrentMap { try prepare($0, isDurable: isAlone) }
        // One wait for all of them: bytes, records and names.
        if !isAlone { try fileSystem.synchronizeAll(root) }
        for draft in drafts { try fileSystem.rename(spoolFolder(of: draft), to: folder(of: draft.manifest.id)) }
        try fileSystem.synchronizeDirectory(root.appending("originals"))
        try fileSystem.synchronizeDirectory(spool)
        return Dictionary(records.map { ($0.manifest.id, $0) }) { first, _ in first }
    }

    /// Writes a spool folder.
    ///
    /// - Returns: what its record says.
    private func prepare(_ draft: CaptureDraft, isDurable: Bool) throws -> EntryRecord {
        let asset = draft.manifest.id
        let folder = spoolFolder(of: draft)
        try fileSystem.removeTree(folder)
        try fileSystem.createDirectory(folder)
        var manifest = draft.manifest
        manifest.resources = []
        for resource in draft.resources {
            manifest.resources.append(try write(resource, into: folder, isDurable: isDurable))
        }
        if let problem = AssetResource.problem(in: manifest.resources) {
            throw AgentStoreError(.invalid, asset, "the capture makes no asset: \(problem)")
        }
        let isIncomplete = manifest.captureFacts?.isLivePhotoIncomplete ?? false
        let record = EntryRecord(manifest: manifest, isIncompleteLivePhoto: isIncomplete)
        let bytes = try Self.json(record)
        guard bytes.count <= APILimits.manifestByteCount else {
            throw AgentStoreError(
                .invalid,
                asset,
                "what describes the capture has \(bytes.count) bytes, more than the \(APILimits.manifestByteCount) that a "
                    + "library takes: shorten its texts"
            )
        }
        let path = folder.appending(EntryRecord.fileName)
        if isDurable {
            try fileSystem.writeAtomically(path, bytes)
        } else {
            _ = try write(bytes, to: path, isDurable: false)
        }
        return record
    }

    private func spoolFolder(of draft: CaptureDraft) -> Path { spool.appending(draft.manifest.id.description) }

    /// Puts one resource's bytes into a folder under the name of their digest.
    private func write(
        _ resource: CaptureDraft.Resource,
        into folder: Path,
        isDurable: Bool
    ) throws -> AssetResource {
        let temporary = folder.appending("\(resource.id).part")
        let content =
            switch resource.content {
            case .bytes(let bytes): try write(bytes, to: temporary, isDurable: isDurable)
            case .copy(let path): try copy(path, to: temporary, isDurable: isDurable)
            case .move(let path, let hashed):
                try link(path, to: temporary, hashed) ?? copy(path, to: temporary, isDurable: isDurable)
            case .staged(let file): try link(file, to: temporary, isDurable: isDurable)
            }
        let written = AssetResource(
            id: resource.id,
            type: resource.type,
            digest: content.digest,
            byteCount: content.byteCount,
            contentType: resource.contentType,
            originalFilename: resource.originalFilename
        )
        try fileSystem.rename(temporary, to: folder.appending(Self.fileName(of: written)))
        return written
    }

    /// Links a file into the store, so that its bytes are not written again; the first name goes when all is durable.
    ///
    /// What the file's writer computed (`hashed`) is used instead of reading it, if the length is still the same.
    ///
    /// - Returns: the file's digest and length; nil if it cannot be linked, as across file systems.
    private func link(_ source: Path, to destination: Path, _ hashed: WrittenContent?) throws -> WrittenContent? {
        let isWritten = try hashed.map { try fileSystem.status(source)?.byteCount == $0.byteCount } ?? false
        // What its writer hashed, it has made durable.
        if !isWritten { try synchronize(source) }
        do throws(Persistence.PersistenceError) {
            try fileSystem.link(source, to: destination)
        } catch {
            guard error.code != .noSpace, error.code != .inputOutput else { throw error }
            return nil
        }
        if isWritten, let hashed { return hashed }
        return try ContentHasher.digest(destination, in: fileSystem)
    }

    /// Gives a staged file its place; the folder in which it waited removes its first name.
    private func link(_ file: StagingFolder.File, to destination: Path, isDurable: Bool) throws -> WrittenContent {
        if isDurable { try synchronize(file.path) }
        try fileSystem.link(file.path, to: destination)
        return (file.digest, file.byteCount)
    }

    private func copy(_ source: Path, to destination: Path, isDurable: Bool) throws -> WrittenContent {
        let content = try fileSystem.copy(source, of: fileSystem, to: destination)
        if isDurable { try synchronize(destination) }
        return content
    }

    private func write(_ bytes: [UInt8], to path: Path, isDurable: Bool) throws -> WrittenContent {
        let file = try fileSystem.open(path, .create)
        let content = try file.fill { $0 == 0 ? bytes : [] }
        if isDurable { try file.synchronize() }
        try file.close()
        return content
    }

    private func synchronize(_ path: Path) throws {
        let file = try fileSystem.open(path, .read)
        try file.synchronize()
        try file.close()
    }

    /// What the folder of a capture that is here already says.
    private func record(in folder: Path) throws -> EntryRecord {
        guard let record = try EntryRecord.read(folder, in: fileSystem) else {
            throw AgentStoreError(.damaged, nil, "\(folder) has no readable \(EntryRecord.fileName)")
        }
        return record
    }
}
