import AgentStore
import LibraryAPI
import MediaFiles
import Persistence
import PhotoModel

/// A new asset on its way into the queue.
struct ImportItem: Sendable {
    /// Its files.
    let group: MediaCollection.Group
    /// The files whose bytes become its resources.
    let files: [NamedFile]
    /// The draft for the queue.
    let draft: CaptureDraft
    /// Sidecars applied to it.
    let sidecarCount: Int
    /// Why it is not part of another asset; nil if it is one.
    var remark: String?
}

/// A group of files whose photo or movie was hashed, and which are staged in the store if useful.
struct StagedGroup: Sendable {
    /// The primary file's digest, which identifies the asset.
    let digest: ContentDigest
    /// Its staged files by their source; empty if the files were only hashed.
    let files: [Path: Intake.File]
    /// The intake that stages them, and anything else that becomes a resource of the asset.
    let intake: Intake

    init(digest: ContentDigest, files: [Path: Intake.File], in intake: Intake) {
        self.digest = digest
        self.files = files
        self.intake = intake
    }

    /// Reads a group, staged in the intake or only hashed; blocks.
    ///
    /// - Throws: `otherFileSystem`, and the file system's errors.
    init(_ group: MediaCollection.Group, _ importer: Importer, in intake: Intake?) throws {
        let transfer = importer.options.transfer
        for file in group.files where transfer != .copy {
            guard let obstacle = file.linkObstacle else { continue }
            throw PersistenceError(.notPermitted, "link", file.displayPath, obstacle)
        }
        guard let intake else {
            let primary = group.primary
            let digest = try primary.digest ?? ContentHasher.digest(primary.path, in: importer.fileSystem).digest
            self.init(digest: digest, files: [:], in: importer.store.makeIntake())
            return
        }
        let primary = try intake.stage(group.primary.path, by: transfer, from: importer.fileSystem)
        var files = [group.primary.path: primary]
        for file in group.files.dropFirst() {
            files[file.path] = try intake.stage(file.path, by: transfer, from: importer.fileSystem)
        }
        self.init(digest: primary.digest, files: files, in: intake)
    }
}

extension MediaCollection.Group {
    /// The files whose bytes may become resources of its asset; a sidecar contributes only its texts.
    var files: [NamedFile] {
        [primary.file] + partners.map(\.file) + [adjustment].compactMap(\.self)
    }
}

extension ImportableAsset.Part {
    /// The file with its bytes; nil if they are part of another one.
    fileprivate var path: Path? {
        if case .file(let path) = content { path } else { nil }
    }
}

extension ImportCourse {
    /// A group's new items: known files are only counted, except those that came later beside them.
    mutating func items(of group: MediaCollection.Group, _ staged: StagedGroup) throws -> [ImportItem] {
        let id = AssetID.derived(from: staged.digest)
        guard let taken = try seen[id] ?? importer.known(entry(id)) else {
            return [try newItem(of: group, staged)]
        }
        report.known += 1
        if let album = albums[id] { tell(group.albums.filter { $0 != album }, of: group) }
        guard group.hasPartners else { return [] }
        let asset = try importer.asset(group, staged, album: nil)
        report.tell(unreadable: asset)
        let latecomers = taken.latecomers(of: group, as: asset)
        report.late += latecomers.sidecars.map { "\($0.path): \($0.reason)" }
        // An asset's description never changes: standalone files become assets, and no bytes are left behind.
        var items: [ImportItem] = []
        for partner in latecomers.partners {
            let alone = StagedGroup(digest: partner.digest, files: staged.files, in: staged.intake)
            for var item in try self.items(of: group.alone(partner.file), alone) {
                item.remark = "\(partner.remark.path): \(partner.remark.reason)"
                items.append(item)
            }
        }
        return items
    }

    private func entry(_ id: AssetID) throws -> QueueEntry? {
        if let found = lookedUp[id] { return found }
        return try importer.store.entry(id)
    }

    private mutating func newItem(of group: MediaCollection.Group, _ staged: StagedGroup) throws -> ImportItem {
        let asset = try importer.asset(group, staged, album: importer.album(of: group))
        var manifest = asset.manifest
        if let date = asset.captureDateOverride { manifest.captureTime.wall = date }
        let draft = try importer.draft(manifest, asset.parts, staged)
        report.tell(unreadable: asset)
        seen[manifest.id] = TakenAsset(manifest)
        if importer.options.keepsAlbums {
            albums[manifest.id] = group.albums.first ?? ""
            tell(group.albums.dropFirst(), of: group)
        }
        let taken = asset.parts.compactMap(\.path)
        return ImportItem(
            group: group,
            files: group.files.filter { taken.contains($0.path) },
            draft: draft,
            sidecarCount: [group.sidecar, group.adjustment].count { $0 != nil } - (asset.unreadable == nil ? 0 : 1)
        )
    }
}

extension ImportCourse {
    private mutating func tell(_ titles: some Sequence<String>, of group: MediaCollection.Group) {
        report.leftBehind += titles.map {
            "\(group.primary.file.displayPath): it is also in the album “\($0)”; a box names one album for a photo"
        }
    }
}

extension Importer {
    /// Makes items durable in the queue, and records sets of files that need not be read again.
    ///
    /// - Returns: sets that are not recorded: their assets were known, and forgotten since, as the library may lack them.
    func add(_ items: [ImportItem], _ sets: [(set: FileSet, assets: [AssetID])]) throws -> [FileSet] {
        var forgotten: [FileSet] = []
        try store.add(items.map(\.draft), limits: limits, now: now()) { transaction in
            var known: [FileSet] = []
            for (set, assets) in sets {
                if try transaction.hasEntries(of: assets) { known.append(set) } else { forgotten.append(set) }
            }
            try ledger.remember(known, in: transaction)
        }
        if !items.isEmpty { taken() }
        return forgotten
    }

    /// Whether a file still has its name.
    func isThere(_ file: NamedFile) -> Bool { (try? fileSystem.status(file.path)) != nil }

    /// An asset of the queue; nil if it is not there.
    ///
    /// - Throws: `damaged` if the queue lost its bytes: the file may be the last copy, and must not count as known.
    fileprivate func known(_ entry: QueueEntry?) throws -> TakenAsset? {
        guard let entry else { return nil }
        // What has a receipt is in the library, and may have been freed since it was looked up.
        if entry.receipt == nil, let reason = try store.shortfall(of: entry),
            try store.entry(entry.id)?.receipt == nil
        {
            throw AgentStoreError(.damaged, entry.id, "keep this file, whose copy in the queue is lost: \(reason)")
        }
        return TakenAsset(entry.manifest)
    }

    fileprivate func asset(
        _ group: MediaCollection.Group,
        _ staged: StagedGroup,
        album: DesiredAlbum?
    ) throws -> ImportableAsset {
        try ImportableAsset(
            group,
            primaryDigest: staged.digest,
            digests: staged.files.mapValues(\.digest),
            album: album,
            in: fileSystem
        )
    }

    fileprivate func album(of group: MediaCollection.Group) -> DesiredAlbum? {
        guard options.makesAlbumsOfFolders, let folder = group.folder else {
            return options.keepsAlbums ? group.albums.first.map { .title($0) } ?? album : album
        }
        var title = folder.displayText[...]
        while title.utf8.count > Album.maximumTitleByteCount { title.removeLast() }
        return .title(String(title))
    }

    /// The draft for the queue; a dry run writes nothing.
    fileprivate func draft(
        _ manifest: AssetManifest,
        _ parts: [ImportableAsset.Part],
        _ staged: StagedGroup
    ) throws -> CaptureDraft {
        var draft = CaptureDraft(manifest)
        guard !options.isDryRun else { return draft }
        let waiting = parts.filter { part in part.path.map { staged.files[$0] == nil } ?? true }
        if !waiting.isEmpty {
            try store.requireWelcome([manifest.id])
            try store.makeSpace(for: waiting.reduce(0) { $0 + $1.resource.byteCount }, limits)
        }
        for part in parts {
            draft.append(
                try file(part, staged),
                id: part.resource.id,
                type: part.resource.type,
                contentType: part.resource.contentType,
                originalFilename: part.resource.originalFilename
            )
        }
        return draft
    }

    private func file(_ part: ImportableAsset.Part, _ staged: StagedGroup) throws -> Intake.File {
        switch part.content {
        case .bytes(let bytes): return try staged.intake.write(bytes)
        case .file(let path):
            let file = try staged.files[path] ?? staged.intake.stage(path, by: options.transfer, from: fileSystem)
            // The asset's identifier is of the bytes that were hashed, and its description of those that were examined.
            guard file.digest == part.resource.digest, file.byteCount == part.resource.byteCount else {
                throw PersistenceError.changed(path)
            }
            return file
        }
    }
}
