import AgentStore
import Persistence
import PhotoModel

/// The imported files of a watched folder, so that a restart does not read them again.
///
/// One line per file: length, modification time in microseconds, name, separated by spaces. Lines are appended without
/// syncing: one lost in a power cut costs reading the file once more, and the queue recognises its bytes. The first line
/// counts how often the queue has forgotten photos: then all files are read again, since one of them may be new to it.
struct TakenLedger {
    private let path: Path
    private let forgettingCount: UInt64?
    private let fileSystem: any FileSystem
    private let maximumByteCount: Int

    /// The ledger in a file; one that would become longer starts over.
    init(
        _ path: Path,
        forgettingCount: UInt64? = nil,
        in fileSystem: any FileSystem = PosixFileSystem(),
        maximumByteCount: Int = 64 << 20
    ) {
        self.path = path
        self.forgettingCount = forgettingCount
        self.fileSystem = fileSystem
        self.maximumByteCount = maximumByteCount
    }

    /// The ledger of a profile's folder, as of what the queue knows now.
    ///
    /// - Throws: `storage`.
    init(ofProfile profile: String, in store: AgentStore) throws {
        self.init(store.root.appending("watched").appending(profile), forgettingCount: try store.fact(.forgettingCount))
    }

    /// Whether the queue has forgotten nothing since.
    ///
    /// - Throws: `storage`.
    func isCurrent(in store: AgentStore) throws -> Bool { try store.fact(.forgettingCount) == forgettingCount }

    /// Reads the ledger, and rewrites it without files that are gone from the folder or have changed; one from before the
    /// queue forgot photos is removed.
    ///
    /// - Throws: `PersistenceError`.
    func load(keeping isThere: (FolderIntake.Mark) -> Bool) throws -> Set<FolderIntake.Mark> {
        guard let bytes = try contents() else { return [] }
        guard bytes.starts(with: header) else {
            try fileSystem.unlink(path)
            return []
        }
        let lines = bytes.dropFirst(header.count).split(separator: UInt8(ascii: "\n"))
        let marks = Set(lines.compactMap(Self.mark))
        let kept = marks.filter(isThere)
        if kept.count < lines.count {
            let left = kept.sorted { $0.name < $1.name }.flatMap(Self.line)
            try fileSystem.writeAtomically(path, header + left)
        }
        return kept
    }

    /// The ledger's bytes; nil if it does not exist, or is longer than one can become, and was removed.
    private func contents() throws -> [UInt8]? {
        do throws(PersistenceError) {
            return try fileSystem.readAll(path, maximumByteCount: maximumByteCount)
        } catch {
            guard error.code == .damaged else { throw error }
            try fileSystem.unlink(path)
            return nil
        }
    }

    /// Adds files.
    func append(_ marks: [FolderIntake.Mark]) throws {
        try fileSystem.createDirectories(path.parent)
        let file = try fileSystem.open(path, .update)
        var bytes = marks.flatMap(Self.line)
        var end = try file.byteCount()
        // A folder whose files come and go has ever new ones; those that are there are read once more.
        if end + Int64(bytes.count) > Int64(maximumByteCount) {
            try file.truncate(to: 0)
            end = 0
        }
        if end == 0 { bytes = header + bytes }
        try file.write(bytes[...], at: end)
        try file.close()
    }

    private var header: [UInt8] { forgettingCount.map { Array("forgotten \($0)\n".utf8) } ?? [] }

    /// A name with a line break has no line: its file is read again.
    private static func line(_ mark: FolderIntake.Mark) -> [UInt8] {
        guard !mark.file.bytes.contains(UInt8(ascii: "\n")) else { return [] }
        let facts = "\(mark.byteCount) \(mark.modified.microsecondsSince1970) "
        return Array(facts.utf8) + mark.file.bytes + [UInt8(ascii: "\n")]
    }

    /// A damaged line is ignored.
    private static func mark(_ line: ArraySlice<UInt8>) -> FolderIntake.Mark? {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let file = FileName(bytes: parts[2]),
            let byteCount = Int64(String(decoding: parts[0], as: UTF8.self)),
            let modified = Int64(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        return FolderIntake.Mark(
            file: file,
            byteCount: byteCount,
            modified: WallTime(microsecondsSince1970: modified)
        )
    }
}
