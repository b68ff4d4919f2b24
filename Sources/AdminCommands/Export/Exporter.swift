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
/// made durable, and only then linked to its name: a name never refers to half a file. An existing file is replaced
/// only by the library's next version of it (an edit, a sidecar), and only if the export wrote it and nobody changed it.
/// Written files are in the folder's ledger, so that an export resumes where it ended.
///
/// Every access reopens a file's folders one by one, from the export folder down, and follows no links: a link planted
/// at any time cannot lead out of the export.
final class Exporter {
    private let client: LibraryClient
    private let folder: Path
    private let fileSystem: any FileSystem
    private let ledger: ExportLedger
    private(set) var report = Report()

    /// An exporter into a folder, which is created if missing, and may be a link.
    init(_ client: LibraryClient, into folder: Path, in fileSystem: any FileSystem) throws {
        try fileSystem.createDirectories(Path(folder.text + "/."))
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
    ///   - deletesRest: whether its other files are deleted, such as a reverted edit, once all of the plan's are there.
    /// - Throws: if the library or the folder fails; failures of single files are reported.
    func export(_ asset: Asset, _ plan: ExportPlan, to names: [String], deletesRest: Bool = false) async throws {
        let base = try base(for: asset, plan, names)
        let failureCount = report.failed.count
        for file in plan.files {
            let target = Target(asset: asset.id, base: base, path: base + file.suffix)
            try await reporting(target) { try await write(file.source, to: target) }
        }
        guard deletesRest, report.failed.count == failureCount else { return }
        // Some file systems ignore case.
        let planned = Set(plan.files.map { (base + $0.suffix).lowercased() })
        try remove(ledger.entries(of: asset.id).filter { $0.base == base && !planned.contains($0.path.lowercased()) })
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
            let target = Target(asset: asset.id, base: base, path: "\(base)/\(name.displayText)")
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
    func remove(_ asset: AssetID) throws { try remove(ledger.entries(of: asset)) }

    private func remove(_ entries: [ExportLedger.Entry]) throws {
        for entry in entries {
            do {
                let isOurs = try at(entry.path) { place in
                    guard let status = try fileSystem.status(place), !status.isDirectory,
                        status.byteCount == entry.byteCount,
                        try ContentHasher.digest(place, in: fileSystem).digest == entry.digest
                    else { return false }
                    try fileSystem.unlink(place)
                    return true
                }
                if isOurs == true {
                    report.removed += 1
                    removeEmptyFolders(above: entry.path)
                }
                try ledger.remove(entry)
            } catch let error as PersistenceError where error.code != .noSpace {
                report.failed.append(.init(asset: entry.asset, path: entry.path, reason: "\(error)"))
            }
        }
    }

    private func removeEmptyFolders(above path: String) {
        var names = ((try? names(on: path)) ?? []).dropLast()
        while !names.isEmpty, (try? at(names.joined(separator: "/"), fileSystem.removeDirectory)) != nil {
            names.removeLast()
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
        let names = try names(on: target.base)
        if let byteCount = try inFolder(names, { try NamedFile.byteCount(of: name, in: $0) }) {
            let isSame = byteCount == resource.byteCount && ledger[target.path]?.digest == resource.digest
            return try keep(target, isSame: isSame, resource.digest, byteCount)
        }
        let client = client
        let written = try await fetch(target, upTo: resource.byteCount) { take in
            try await client.download(target.asset, resource.id, take)
        } isRight: {
            $0 == resource.digest && $1 == resource.byteCount
        } publish: { temporary in
            try inFolder(names, makesFolders: true) { folder in
                try NamedFile.link(temporary, as: name, in: folder)
                try fileSystem.synchronizeDirectory(folder)
            }
        }
        try count(written, target)
    }

    /// Where one file goes.
    private struct Target {
        let asset: AssetID
        let base: String
        let path: String
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
        // If it cannot be looked at, writing it says why.
        guard let status = try? status(of: path) else { return true }
        let (digest, byteCount): (ContentDigest, Int64)
        switch source {
        case .resource(let resource): (digest, byteCount) = (resource.digest, resource.byteCount)
        case .sidecar(let bytes): (digest, byteCount) = (ContentHasher.digest(bytes), Int64(bytes.count))
        case .motionPhoto: return false
        }
        guard !status.isDirectory, status.byteCount == byteCount else { return false }
        return (try? self.digest(of: path)) == digest
    }

    private func write(_ source: ExportPlan.Source, to target: Target) async throws {
        let status = try status(of: target.path)
        switch source {
        case .resource(let resource):
            if let status {
                if try isOurs(target, status, resource) {
                    return try keep(target, isSame: true, resource.digest, resource.byteCount)
                }
                try requireUnchanged(target)
            }
            let (client, asset) = (client, target.asset)
            let written = try await fetch(target, upTo: resource.byteCount) { take in
                try await client.download(asset, resource.id, take)
            } isRight: {
                $0 == resource.digest && $1 == resource.byteCount
            } publish: {
                if status == nil { try link($0, to: target.path) } else { try replace(target, with: $0) }
            }
            try count(written, target, isUpdate: status != nil)
        case .motionPhoto(let maximumByteCount):
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
            let written = try await fetch(target, upTo: maximumByteCount) { take in
                try await client.downloadMotionPhoto(asset, take)
            } isRight: {
                $1 > 0
            } publish: {
                try link($0, to: target.path)
            }
            try count(written, target)
        case .sidecar(let bytes): try writeSidecar(bytes, to: target, isThere: status != nil)
        }
    }

    /// Keeps the present file, if it is ours.
    private func keep(_ target: Target, isSame: Bool, _ digest: ContentDigest, _ byteCount: Int64) throws {
        guard isSame else { throw Self.foreign(target) }
        report.unchanged += 1
        if ledger[target.path]?.digest != digest { try note((digest, byteCount), target) }
    }

    /// Only the export's own file may be replaced.
    private func requireUnchanged(_ target: Target) throws {
        guard let entry = ledger[target.path], entry.asset == target.asset,
            try digest(of: target.path) == entry.digest
        else { throw Self.foreign(target) }
    }

    private static func foreign(_ target: Target) -> PersistenceError {
        PersistenceError(.exists, "write", target.path, "something else is there, and stays")
    }

    private func isOurs(_ target: Target, _ status: FileStatus, _ resource: AssetResource) throws -> Bool {
        guard !status.isDirectory, status.byteCount == resource.byteCount else { return false }
        let entry = ledger[target.path]
        if let entry, entry.digest == resource.digest || entry.asset != target.asset {
            return entry.digest == resource.digest
        }
        // Perhaps an export was interrupted before it recorded the file.
        return try digest(of: target.path) == resource.digest
    }

    /// A sidecar is rewritten when its texts change; one that somebody else changed is kept.
    private func writeSidecar(_ bytes: [UInt8], to target: Target, isThere: Bool) throws {
        let digest = ContentHasher.digest(bytes)
        let written = (digest, Int64(bytes.count))
        if isThere {
            let found = try self.digest(of: target.path)
            if found == digest { return try keep(target, isSame: true, digest, written.1) }
            guard ledger[target.path]?.digest == found else {
                throw PersistenceError(.exists, "write", target.path, "somebody changed the sidecar, and it stays")
            }
        }
        try at(target.path, makesFolders: true) { try fileSystem.writeAtomically($0, bytes) }
        try count(written, target, isUpdate: isThere)
    }

    /// Fetches bytes into a temporary file, and publishes it once they are verified and durable.
    private func fetch(
        _ target: Target,
        upTo maximumByteCount: Int64,
        _ download: (@escaping @Sendable ([UInt8]) throws -> Void) async throws -> Void,
        isRight: (ContentDigest, Int64) -> Bool,
        publish: (Path) throws -> Void
    ) async throws -> (ContentDigest, Int64) {
        let temporary = folder.appending(".tintype-export.part")
        if try fileSystem.status(temporary) != nil { try fileSystem.unlink(temporary) }
        let file = try fileSystem.open(temporary, .create)
        let state = Mutex((hasher: ContentHasher.Running(), byteCount: Int64(0)))
        let damage = PersistenceError(
            .damaged,
            "fetch",
            target.path,
            "the bytes are not those that the library promised"
        )
        do {
            try await download { bytes in
                try state.withLock { state in
                    let offset = state.byteCount
                    state.byteCount += Int64(bytes.count)
                    guard state.byteCount <= maximumByteCount else { throw damage }
                    try file.write(bytes[...], at: offset)
                    state.hasher.update(bytes[...])
                }
            }
        } catch  where state.withLock({ $0.byteCount > maximumByteCount }) {
            // The download was stopped above; what came is judged below.
        }
        let (digest, byteCount) = state.withLock { ($0.hasher.digest, $0.byteCount) }
        guard byteCount <= maximumByteCount, isRight(digest, byteCount) else {
            try fileSystem.unlink(temporary)
            throw damage
        }
        try file.synchronize()
        try file.close()
        try publish(temporary)
        if try fileSystem.status(temporary) != nil { try fileSystem.unlink(temporary) }
        return (digest, byteCount)
    }

    /// Gives a temporary file its name: unlike a rename, a link never replaces an existing file.
    private func link(_ temporary: Path, to path: String) throws {
        try at(path, makesFolders: true) { place in
            try fileSystem.link(temporary, to: place)
            try fileSystem.synchronizeDirectory(place.parent)
        }
    }

    /// Replaces the export's own file, unless somebody changed it while the bytes were fetched.
    private func replace(_ target: Target, with temporary: Path) throws {
        try requireUnchanged(target)
        try at(target.path) { place in
            try fileSystem.rename(temporary, to: place)
            try fileSystem.synchronizeDirectory(place.parent)
        }
    }

    private func count(_ written: (ContentDigest, Int64), _ target: Target, isUpdate: Bool = false) throws {
        try note(written, target)
        guard !isUpdate else { return report.updated += 1 }
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

    private func status(of path: String) throws -> FileStatus? { try at(path) { try fileSystem.status($0) } }

    private func digest(of path: String) throws -> ContentDigest? {
        try at(path) { try ContentHasher.digest($0, in: fileSystem).digest }
    }

    /// Calls back with where a file lies, in its held folder; nil without that folder.
    @discardableResult
    private func at<Value>(
        _ path: String,
        makesFolders: Bool = false,
        _ body: (Path) throws -> Value?
    ) throws -> Value? {
        var names = try names(on: path)
        let name = names.removeLast()
        return try inFolder(names, makesFolders: makesFolders) { try body($0.appending(name)) }
    }

    /// Calls back with a folder below the export's, held so that no link leads there; nil without it.
    @discardableResult
    private func inFolder<Value>(
        _ names: [String],
        makesFolders: Bool = false,
        _ body: (Path) throws -> Value?
    ) throws -> Value? {
        var held: HeldFolder? = try HeldFolder(folder)
        for name in names { held = try held?.subfolder(name, isMade: makesFolders) }
        return try held?.within(body)
    }

    /// The names on a path, which may come from a ledger that somebody changed.
    private func names(on path: String) throws -> [String] {
        // By bytes: a name may begin with a combining mark, which would hide the slash before it.
        let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard !names.isEmpty, names.allSatisfy({ FileName($0) != nil }) else {
            throw PersistenceError(.damaged, "open", path, "it is no path in the export")
        }
        return names
    }
}
