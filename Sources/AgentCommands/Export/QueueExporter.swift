import AgentCapture
import AgentStore
import Glibc
import LibraryAPI
import MediaFiles
import Persistence
import PhotoModel

/// Writes a queue's contents as plain files, one folder per asset.
///
/// Every file is written under a temporary name, made durable, and then renamed. Existing files are kept only if their
/// length and digest match: an unplugged stick, or a file system not unmounted, leaves files with the right name and
/// any content.
///
/// Files are reached through their asset's folder, which is held open: a link planted at any time cannot lead out of the
/// export.
struct QueueExporter {
    /// The result of an export.
    struct Report: Hashable, Sendable, Encodable {
        /// Assets now complete in the folder.
        var exported = 0
        /// Incomplete assets, with the reason.
        var failed: [String] = []
        /// Files written.
        var written = 0
        /// Files already there and correct.
        var unchanged = 0
        /// Files rewritten because their bytes differed.
        var rewritten: [String] = []
    }

    private static let chunkByteCount = 1 << 20

    private let store: AgentStore
    private let root: Path
    private let fileSystem: any FileSystem
    /// The result so far.
    private(set) var report = Report()

    /// Exports into a folder, which is created if missing, and may be a link.
    init(_ store: AgentStore, into root: Path, in fileSystem: any FileSystem = PosixFileSystem()) {
        self.store = store
        self.root = root
        self.fileSystem = fileSystem
    }

    /// Writes one entry's files; blocks.
    ///
    /// - Throws: `noSpace`; problems of a single entry are reported, and do not keep others from being rescued.
    mutating func export(_ entry: QueueEntry) throws {
        do {
            try fileSystem.createDirectories(Path(root.text + "/."))
            let held = try HeldFolder(root).subfolder(entry.id.description, isMade: true)
            try held?.within { folder in
                do {
                    try write(entry, as: ExportedNames(entry.manifest), to: folder)
                } catch let error as PersistenceError where Self.isAboutTheName(error) {
                    try write(entry, as: .plain(entry.manifest), to: folder)
                }
                report.exported += 1
            }
        } catch let error as PersistenceError where error.code == .noSpace {
            throw error
        } catch {
            report.failed.append("\(entry.id): \(error)")
        }
    }

    /// Whether a file system rejects the name: FAT and exFAT refuse colons and invalid UTF-8.
    private static func isAboutTheName(_ error: PersistenceError) -> Bool {
        [.system(EINVAL), .system(EILSEQ), .system(ENAMETOOLONG)].contains(error.code)
    }

    private mutating func write(_ entry: QueueEntry, as names: ExportedNames, to folder: Path) throws {
        var damaged: [String] = []
        var failure: (any Error)?
        for file in names.files {
            do {
                if try !write(file, of: entry, to: folder) { damaged.append(file.name.displayText) }
            } catch let error as PersistenceError where error.code == .noSpace || Self.isAboutTheName(error) {
                throw error
            } catch {
                // The readable files of an entry are exported anyway.
                failure = failure ?? error
            }
        }
        if let sidecar = names.sidecar, let bytes = XMPSidecar.bytes(for: entry.manifest.asset) {
            try write(bytes, as: sidecar, of: entry, to: folder)
        }
        try fileSystem.writeAtomically(folder.appending(ExportedNames.manifest), JSONText.bytes(entry.manifest))
        if let failure { throw failure }
        guard damaged.isEmpty else {
            throw PersistenceError(
                .damaged,
                "export",
                damaged.joined(separator: ", "),
                "the bytes on this box are not those that were captured: check its disk; what could be read was written"
            )
        }
    }

    /// Writes a resource under its name; false if the queue's own bytes are not the captured ones.
    private mutating func write(_ file: ExportedNames.File, of entry: QueueEntry, to folder: Path) throws -> Bool {
        let resource = file.resource
        let there = try NamedFile.find(file.name, in: folder)
        if let there, try isWhole(there.path, resource) {
            report.unchanged += 1
            return true
        }
        if there == nil, try adopt(file, of: entry, in: folder) { return true }
        var isRight = false
        try replace(file.name, of: entry, in: folder, wasThere: there != nil) { [store] temporary in
            let written = try temporary.fill {
                try store.read(resource, of: entry.id, at: $0, count: Self.chunkByteCount)
            }
            isRight = written == (resource.digest, resource.byteCount)
            // Damaged bytes are better than none, but not better than others.
            return isRight || there == nil
        }
        return isRight
    }

    /// Renames a file that an earlier version wrote under its queue name.
    private mutating func adopt(_ file: ExportedNames.File, of entry: QueueEntry, in folder: Path) throws -> Bool {
        let former = folder.appending(store.file(of: file.resource, in: entry.id).name)
        guard let status = try fileSystem.status(former), !status.isDirectory, try isWhole(former, file.resource) else {
            return false
        }
        try PosixFileSystem().rename(former, to: folder.appending(file.name))
        try fileSystem.synchronizeDirectory(folder)
        report.unchanged += 1
        return true
    }

    private mutating func write(_ bytes: [UInt8], as name: FileName, of entry: QueueEntry, to folder: Path) throws {
        let there = try NamedFile.find(name, in: folder)
        if let there, try ContentHasher.digest(there.path, in: fileSystem).digest == ContentHasher.digest(bytes) {
            report.unchanged += 1
            return
        }
        try replace(name, of: entry, in: folder, wasThere: there != nil) { temporary in
            try temporary.write(bytes[...], at: 0)
            return true
        }
    }

    private func isWhole(_ path: Path, _ resource: AssetResource) throws -> Bool {
        guard try fileSystem.status(path)?.byteCount == resource.byteCount else { return false }
        return try ContentHasher.digest(path, in: fileSystem).digest == resource.digest
    }

    /// Gives a new file the name once it is filled; one that `fill` finds worse than what is there is discarded.
    private mutating func replace(
        _ name: FileName,
        of entry: QueueEntry,
        in folder: Path,
        wasThere: Bool,
        _ fill: (any OpenFile) throws -> Bool
    ) throws {
        try discardTemporary(in: folder)
        let temporary = try fileSystem.open(folder.appending(ExportedNames.temporary), .create)
        do {
            guard try fill(temporary) else { return try discardTemporary(in: folder) }
            try temporary.synchronize()
            try temporary.close()
            try PosixFileSystem().rename(folder.appending(ExportedNames.temporary), to: folder.appending(name))
            try fileSystem.synchronizeDirectory(folder)
        } catch {
            // A stick has little space anyway; the first error is the one that matters.
            try? discardTemporary(in: folder)
            throw error
        }
        report.written += 1
        if wasThere { report.rewritten.append("\(root)/\(entry.id)/\(name.displayText)") }
    }

    private func discardTemporary(in folder: Path) throws {
        let path = folder.appending(ExportedNames.temporary)
        if try fileSystem.status(path) != nil { try fileSystem.unlink(path) }
    }
}
