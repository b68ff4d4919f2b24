import AgentStore
import Glibc
import LibraryAPI
import MediaFiles
import Persistence
import PhotoModel

/// Writes what a queue holds as plain files into a folder, a folder an asset.
///
/// Every file is written under a passing name first, made durable, and then given its own. What is there already is left
/// alone only where its length and digest are the ones that the queue promises: a stick that was pulled out, or a file
/// system that was not closed, leaves files of the right name and of any content.
struct QueueExporter {
    /// What an export did.
    struct Report: Hashable, Sendable, Encodable {
        /// Assets that are in the folder now, whole.
        var exported = 0
        /// Assets that are not, with the reason.
        var failed: [String] = []
        /// Files that were written.
        var written = 0
        /// Files that were there already, as they should be.
        var unchanged = 0
        /// Files that were there with other bytes, and were written again.
        var rewritten: [String] = []
    }

    private static let chunkByteCount = 1 << 20

    private let store: AgentStore
    private let root: Path
    private let fileSystem: any FileSystem
    /// What was done.
    private(set) var report = Report()

    /// An exporter into a folder, which is made when missing.
    init(_ store: AgentStore, into root: Path, in fileSystem: any FileSystem = PosixFileSystem()) {
        self.store = store
        self.root = root
        self.fileSystem = fileSystem
    }

    /// Writes one entry's files; blocks.
    ///
    /// - Parameter entry: the entry.
    /// - Throws: `noSpace`; what is wrong with one entry is reported, and keeps no other from being rescued.
    mutating func export(_ entry: QueueEntry) throws {
        do {
            let folder = root.appending(entry.id.description)
            try fileSystem.createDirectories(folder)
            do {
                try write(entry, as: ExportedNames(entry.manifest), to: folder)
            } catch let error as PersistenceError where Self.isAboutTheName(error) {
                try write(entry, as: .plain(entry.manifest), to: folder)
            }
            report.exported += 1
        } catch let error as PersistenceError where error.code == .noSpace {
            throw error
        } catch {
            report.failed.append("\(entry.id): \(error)")
        }
    }

    /// Whether a file system does not hold names as they are: FAT and exFAT refuse colons and what is no UTF-8.
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
                // What can be read of the others is not left behind.
                failure = failure ?? error
            }
        }
        if let sidecar = names.sidecar, let bytes = XMPSidecar.bytes(for: entry.manifest.asset) {
            try write(bytes, as: sidecar, to: folder)
        }
        try fileSystem.writeAtomically(
            folder.appending(ExportedNames.manifest),
            JSONText.bytes(entry.manifest)
        )
        if let failure { throw failure }
        guard damaged.isEmpty else {
            throw PersistenceError(
                .damaged,
                "export",
                damaged.joined(separator: ", "),
                "the bytes on this box are not those that were captured: check its disk; what there is was written"
            )
        }
    }

    /// Writes a resource under its name; false where the queue's own bytes are not those that were captured.
    private mutating func write(_ file: ExportedNames.File, of entry: QueueEntry, to folder: Path) throws -> Bool {
        let resource = file.resource
        let there = try NamedFile.find(file.name, in: folder)
        if let there, try isWhole(there.path, resource) {
            report.unchanged += 1
            return true
        }
        if there == nil, try adopt(file, of: entry, in: folder) { return true }
        let temporary = try create(in: folder)
        do {
            var offset: Int64 = 0
            var hasher = ContentHasher.Running()
            while true {
                let bytes = try store.read(resource, of: entry.id, at: offset, count: Self.chunkByteCount)
                if bytes.isEmpty { break }
                try temporary.write(bytes[...], at: offset)
                hasher.update(bytes[...])
                offset += Int64(bytes.count)
            }
            let isRight = offset == resource.byteCount && hasher.digest == resource.digest
            // Damaged bytes are better than none, and no better than other ones.
            if !isRight, there != nil {
                try discardTemporary(in: folder)
                return false
            }
            try publish(temporary, as: file.name, in: folder)
            count(file.name, wasThere: there != nil, in: folder)
            return isRight
        } catch {
            // A stick has little room as it is; the error that matters is the first one.
            try? discardTemporary(in: folder)
            throw error
        }
    }

    /// Gives a file its own name that an earlier version has written under the one that it has in the queue.
    private mutating func adopt(_ file: ExportedNames.File, of entry: QueueEntry, in folder: Path) throws -> Bool {
        let former = folder.appending(store.file(of: file.resource, in: entry.id).name)
        guard let status = try fileSystem.status(former), !status.isDirectory, try isWhole(former, file.resource) else {
            return false
        }
        try NamedFile.rename(former, to: file.name, in: folder)
        try fileSystem.synchronizeDirectory(folder)
        report.unchanged += 1
        return true
    }

    private mutating func write(_ bytes: [UInt8], as name: FileName, to folder: Path) throws {
        let there = try NamedFile.find(name, in: folder)
        if let there, try ContentHasher.digest(there.path, in: fileSystem).digest == ContentHasher.digest(bytes) {
            report.unchanged += 1
            return
        }
        let temporary = try create(in: folder)
        do {
            try temporary.write(bytes[...], at: 0)
            try publish(temporary, as: name, in: folder)
        } catch {
            try? discardTemporary(in: folder)
            throw error
        }
        count(name, wasThere: there != nil, in: folder)
    }

    private func isWhole(_ path: Path, _ resource: AssetResource) throws -> Bool {
        guard try fileSystem.status(path)?.byteCount == resource.byteCount else { return false }
        return try ContentHasher.digest(path, in: fileSystem).digest == resource.digest
    }

    private func create(in folder: Path) throws -> any OpenFile {
        try discardTemporary(in: folder)
        return try fileSystem.open(folder.appending(ExportedNames.temporary), .create)
    }

    private func discardTemporary(in folder: Path) throws {
        let path = folder.appending(ExportedNames.temporary)
        if try fileSystem.status(path) != nil { try fileSystem.unlink(path) }
    }

    private func publish(_ temporary: any OpenFile, as name: FileName, in folder: Path) throws {
        try temporary.synchronize()
        try temporary.close()
        try NamedFile.rename(folder.appending(ExportedNames.temporary), to: name, in: folder)
        try fileSystem.synchronizeDirectory(folder)
    }

    private mutating func count(_ name: FileName, wasThere: Bool, in folder: Path) {
        report.written += 1
        if wasThere { report.rewritten.append("\(folder)/\(name.displayText)") }
    }
}
