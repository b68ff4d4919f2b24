import AgentStore
import Persistence
import PhotoModel

/// The imported files of a watched folder, so that a restart does not read them again.
///
/// One line per file: length, modification time in microseconds, name, separated by spaces. Lines are appended without
/// syncing: one lost in a power cut costs reading the file once more, and the queue recognises its bytes.
struct TakenLedger {
    private static let maximumByteCount = 64 << 20

    private let path: Path
    private let fileSystem: any FileSystem

    init(_ path: Path, in fileSystem: any FileSystem = PosixFileSystem()) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// The ledger of a profile's folder.
    init(ofProfile profile: String, in store: AgentStore) {
        self.init(store.root.appending("watched").appending(profile))
    }

    /// Reads the ledger, and rewrites it without files that are gone from the folder or have changed.
    ///
    /// - Throws: `PersistenceError`.
    func load(keeping isThere: (FolderIntake.Mark) -> Bool) throws -> Set<FolderIntake.Mark> {
        guard let bytes = try fileSystem.readAll(path, maximumByteCount: Self.maximumByteCount) else { return [] }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let marks = Set(lines.compactMap { Self.mark(String(decoding: $0, as: UTF8.self)) })
        let kept = marks.filter(isThere)
        if kept.count < lines.count {
            let text = kept.sorted { $0.name < $1.name }.map(Self.line).joined()
            try fileSystem.writeAtomically(path, Array(text.utf8))
        }
        return kept
    }

    /// Adds files.
    func append(_ marks: [FolderIntake.Mark]) throws {
        try fileSystem.createDirectories(path.parent)
        let file = try fileSystem.open(path, .update)
        try file.write(Array(marks.map(Self.line).joined().utf8)[...], at: try file.byteCount())
        try file.close()
    }

    private static func line(_ mark: FolderIntake.Mark) -> String {
        "\(mark.byteCount) \(mark.modified.microsecondsSince1970) \(mark.name)\n"
    }

    /// A damaged line is ignored.
    private static func mark(_ line: String) -> FolderIntake.Mark? {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let byteCount = Int64(parts[0]), let modified = Int64(parts[1]) else { return nil }
        return FolderIntake.Mark(
            name: String(parts[2]),
            byteCount: byteCount,
            modified: WallTime(microsecondsSince1970: modified)
        )
    }
}
