import LibraryAPI
import LibraryClient
import MediaFiles
import Persistence
import PhotoModel
import Synchronization
import Terminal

/// Writes assets as plain files into a folder.
///
/// Every file is written under a temporary name first, hashed on the way, compared with the library's digest,
/// made durable, and only then linked to its name: a name never refers to half a file, and an existing file
/// is never replaced. Written files are in the folder's ledger, so that an export resumes where it ended.
final class Exporter {
    /// The result of an export.
    struct Report: Hashable, Encodable {
        /// A file that could not be written.
        struct Failure: Hashable, Encodable {
            let asset: AssetID
            let path: String
            let reason: String
        }

        /// Files that were written.
        var written = 0
        /// Their bytes.
        var writtenBytes: Int64 = 0
        /// Files that were there already.
        var unchanged = 0
        /// Sidecars rewritten because their content changed.
        var updated = 0
        /// Files that were deleted, since their assets left the library.
        var removed = 0
        /// Files that could not be written.
        var failed: [Failure] = []
    }

    private let client: LibraryClient
    private let folder: Path
    private let fileSystem: any FileSystem
    private let ledger: ExportLedger
    private var folders: Set<String> = []
    private(set) var report = Report()

    /// An exporter into a folder, which is created if missing.
    init(_ client: LibraryClient, into folder: Path, in fileSystem: any FileSystem) throws {
        try fileSystem.createDirectories(folder)
        self.client = client
        self.folder = folder
        self.fileSystem = fileSystem
        ledger = try ExportLedger(folder: folder, in: fileSystem)
    }

    /// Writes one asset's files.
    ///
    /// - Parameters:
    ///   - asset: the asset.
    ///   - plan: its files.
    ///   - names: the folders and the base name that the template gives it.
    /// - Throws: if the library or the folder fails; failures of single files are reported.
    func export(_ asset: Asset, _ plan: ExportPlan, to names: [String]) async throws {
        let base = try base(for: asset, plan, names)
        for file in plan.files {
            let target = Target(asset: asset.id, base: base, path: base + file.suffix, place: place(base + file.suffix))
            try await reporting(target) { try await write(file.source, to: target) }
        }
    }

    /// Writes one asset's originals into its own folder, each under its original name's exact bytes, even if that is not
    /// UTF-8, contains a line break, or differs from another one only by normalisation.
    ///
    /// - Parameters:
    ///   - asset: the asset.
    ///   - plan: its files.
    ///   - names: the folders and the base name that the template gives it; the asset's identifier takes the base's place.
    /// - Throws: if the library or the folder fails; failures of single files are reported.
    func exportOwnNames(_ asset: Asset, _ plan: ExportPlan, to names: [String]) async throws {
        let base = (names.dropLast() + ["\(asset.id)"]).joined(separator: "/")
        for case .resource(let resource) in plan.files.map(\.source) {
            guard let name = resource.originalFilename ?? FileName("\(resource.id)") else { continue }
            let path = "\(base)/\(name.displayText)"
            let target = Target(asset: asset.id, base: base, path: path, place: place(base))
            try await reporting(target) { try await write(resource, as: name, to: target) }
        }
    }

    /// The work done since the last call.
    func takeReport() -> Report {
        defer { report = Report() }
        return report
    }

    /// Assets that have files here.
    var assets: Set<AssetID> { ledger.assets }

    /// Deletes an asset's files, and folders that become empty; a file that somebody changed is kept.
    func remove(_ asset: AssetID) throws {
        for entry in ledger.entries(of: asset) {
            let place = place(entry.path)
            do {
                if let status = try fileSystem.status(place), !status.isDirectory {
                    let isOurs =
                        try status.byteCount == entry.byteCount
                        && ContentHasher.digest(place, in: fileSystem).digest == entry.digest
                    if isOurs {
                        try fileSystem.unlink(place)
                        report.removed += 1
                        removeEmptyFolders(above: place)
                    }
                }
                try ledger.remove(entry)
            } catch let error as PersistenceError where error.code != .noSpace {
                report.failed.append(.init(asset: asset, path: entry.path, reason: "\(error)"))
            }
        }
    }

    private func removeEmptyFolders(above place: Path) {
        var next = place.parent
        while next.text.utf8.count > folder.text.utf8.count, (try? fileSystem.removeDirectory(next)) != nil {
            folders.remove(next.text)
            next = next.parent
        }
    }

    /// Reports a failure of one file, so that the others are still written.
    private func reporting(_ target: Target, _ write: () async throws -> Void) async throws {
        do {
            try await write()
        } catch let error as PersistenceError where error.code != .noSpace {
            report.failed.append(.init(asset: target.asset, path: target.path, reason: "\(error)"))
        } catch let error as LibraryClientError where error.problem != nil && error.problem?.status != 401 {
            report.failed.append(.init(asset: target.asset, path: target.path, reason: error.message))
        }
    }

    /// Writes an original under its own name into the target's folder.
    private func write(_ resource: AssetResource, as name: FileName, to target: Target) async throws {
        if let byteCount = try NamedFile.byteCount(of: name, in: target.place) {
            let isSame = byteCount == resource.byteCount && ledger[target.path]?.digest == resource.digest
            return try keep(target, isSame: isSame, resource.digest, byteCount)
        }
        let (client, folder) = (client, target.place)
        let written = try await fetch(to: folder.appending("own")) { take in
            try await client.download(target.asset, resource.id, take)
        } isRight: {
            $0 == resource.digest && $1 == resource.byteCount
        } publish: { temporary in
            try NamedFile.link(temporary, as: name, in: folder)
        }
        try count(written, target)
    }

    /// Where one file goes.
    private struct Target {
        let asset: AssetID
        let base: String
        let path: String
        let place: Path
    }

    /// The first base not used by other files: the template's, else with a part of the identifier, else with all of it.
    private func base(for asset: Asset, _ plan: ExportPlan, _ names: [String]) throws -> String {
        if let known = ledger.base(of: asset.id) { return known }
        let wanted = names.joined(separator: "/")
        let identifier = "\(asset.id)"
        let candidates = [wanted, "\(wanted)-\(identifier.suffix(8))", "\(wanted)-\(identifier)"]
        return try candidates.first { base in
            try plan.files.allSatisfy { file in try isFree(base + file.suffix, for: asset.id, file.source) }
        } ?? candidates[2]
    }

    /// Whether the path is free, or has exactly these bytes from an export interrupted before it recorded them.
    private func isFree(_ path: String, for asset: AssetID, _ source: ExportPlan.Source) throws -> Bool {
        if let owner = ledger.owner(of: path) { return owner == asset }
        guard let status = try fileSystem.status(place(path)) else { return true }
        let (digest, byteCount): (ContentDigest, Int64)
        switch source {
        case .resource(let resource): (digest, byteCount) = (resource.digest, resource.byteCount)
        case .sidecar(let bytes): (digest, byteCount) = (ContentHasher.digest(bytes), Int64(bytes.count))
        case .motionPhoto: return false
        }
        guard !status.isDirectory, status.byteCount == byteCount else { return false }
        return try ContentHasher.digest(place(path), in: fileSystem).digest == digest
    }

    private func write(_ source: ExportPlan.Source, to target: Target) async throws {
        let status = try fileSystem.status(target.place)
        switch source {
        case .resource(let resource):
            if let status {
                return try keep(target, isSame: isOurs(target, status, resource), resource.digest, resource.byteCount)
            }
            let (client, asset) = (client, target.asset)
            let written = try await fetch(to: target.place) { take in
                try await client.download(asset, resource.id, take)
            } isRight: {
                $0 == resource.digest && $1 == resource.byteCount
            }
            try count(written, target)
        case .motionPhoto:
            // The library makes it on request: its digest is not known in advance.
            if let status {
                let entry = ledger[target.path]
                return try keep(
                    target,
                    isSame: entry?.byteCount == status.byteCount,
                    entry?.digest ?? ContentHasher.digest([]),
                    status.byteCount
                )
            }
            let (client, asset) = (client, target.asset)
            let written = try await fetch(to: target.place) { take in
                try await client.downloadMotionPhoto(asset, take)
            } isRight: {
                $1 > 0
            }
            try count(written, target)
        case .sidecar(let bytes): try writeSidecar(bytes, to: target, isThere: status != nil)
        }
    }

    /// Keeps the present file, if it is ours.
    private func keep(_ target: Target, isSame: Bool, _ digest: ContentDigest, _ byteCount: Int64) throws {
        guard isSame else {
            throw PersistenceError(.exists, "write", target.place.text, "something else is there, and stays")
        }
        report.unchanged += 1
        if ledger[target.path] == nil { try note((digest, byteCount), target) }
    }

    private func isOurs(_ target: Target, _ status: FileStatus, _ resource: AssetResource) throws -> Bool {
        guard !status.isDirectory, status.byteCount == resource.byteCount else { return false }
        if let entry = ledger[target.path] { return entry.digest == resource.digest }
        return try ContentHasher.digest(target.place, in: fileSystem).digest == resource.digest
    }

    /// A sidecar is rewritten when its texts change; one that somebody else changed is kept.
    private func writeSidecar(_ bytes: [UInt8], to target: Target, isThere: Bool) throws {
        let digest = ContentHasher.digest(bytes)
        let written = (digest, Int64(bytes.count))
        if isThere {
            let found = try ContentHasher.digest(target.place, in: fileSystem).digest
            if found == digest { return try keep(target, isSame: true, digest, written.1) }
            guard ledger[target.path]?.digest == found else {
                throw PersistenceError(
                    .exists,
                    "write",
                    target.place.text,
                    "somebody changed the sidecar, and it stays"
                )
            }
        }
        try makeFolder(of: target.place)
        try fileSystem.writeAtomically(target.place, bytes)
        if isThere {
            report.updated += 1
            try note(written, target)
        } else {
            try count(written, target)
        }
    }

    /// Fetches bytes into a temporary file, and renames it once they are verified and durable.
    private func fetch(
        to place: Path,
        _ download: (@escaping @Sendable ([UInt8]) throws -> Void) async throws -> Void,
        isRight: (ContentDigest, Int64) -> Bool,
        publish: ((Path) throws -> Void)? = nil
    ) async throws -> (ContentDigest, Int64) {
        try makeFolder(of: place)
        let temporary = folder.appending(".tintype-export.part")
        if try fileSystem.status(temporary) != nil { try fileSystem.unlink(temporary) }
        let file = try fileSystem.open(temporary, .create)
        let state = Mutex((hasher: ContentHasher.Running(), byteCount: Int64(0)))
        try await download { bytes in
            try state.withLock { state in
                try file.write(bytes[...], at: state.byteCount)
                state.hasher.update(bytes[...])
                state.byteCount += Int64(bytes.count)
            }
        }
        let (digest, byteCount) = state.withLock { ($0.hasher.digest, $0.byteCount) }
        guard isRight(digest, byteCount) else {
            try fileSystem.unlink(temporary)
            throw PersistenceError(.damaged, "fetch", place.text, "the bytes are not those that the library promised")
        }
        try file.synchronize()
        try file.close()
        // Unlike a rename, a link never replaces an existing file.
        if let publish { try publish(temporary) } else { try fileSystem.link(temporary, to: place) }
        try fileSystem.unlink(temporary)
        try fileSystem.synchronizeDirectory(place.parent)
        return (digest, byteCount)
    }

    private func count(_ written: (ContentDigest, Int64), _ target: Target) throws {
        try note(written, target)
        report.written += 1
        report.writtenBytes += written.1
    }

    private func note(_ written: (ContentDigest, Int64), _ target: Target) throws {
        try ledger.add(
            ExportLedger.Entry(
                asset: target.asset,
                base: target.base,
                path: target.path,
                digest: written.0,
                byteCount: written.1
            )
        )
    }

    private func makeFolder(of place: Path) throws {
        guard !folders.contains(place.parent.text) else { return }
        var inner: [Path] = []
        var next = place.parent
        while next.text.utf8.count > folder.text.utf8.count {
            inner.append(next)
            next = next.parent
        }
        // Starts at the export's own folder: a link instead of a subfolder would lead files out of the export.
        for path in inner.reversed() {
            guard let status = try fileSystem.status(path) else { break }
            guard status.isDirectory else {
                throw PersistenceError(.exists, "export", path.text, "a link or a file is where a folder belongs")
            }
        }
        try fileSystem.createDirectories(place.parent)
        folders.insert(place.parent.text)
    }

    private func place(_ path: String) -> Path {
        path.split(separator: "/").reduce(folder) { $0.appending(String($1)) }
    }
}
