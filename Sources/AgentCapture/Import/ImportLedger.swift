import AgentStore
import Glibc
import MediaFiles

/// Remembers the appearance of files in the queue, so that an unchanged folder is imported again without reading it.
///
/// It is written together with the files' entries: files it does not know are read, and recognised by their bytes.
struct ImportLedger: Sendable {
    let store: AgentStore

    /// What is known of a folder; empty if that cannot be determined.
    var memory: MediaCollection.Memory {
        { [store] folder in
            let parts = (try? store.imports(of: Self.key(folder))) ?? []
            let records = FileSet.Record.records(in: Array(parts.joined()))
            return Dictionary(records.map { ($0.mark, $0) }) { _, last in last }
        }
    }

    /// Remembers imported sets.
    func remember(_ sets: [FileSet], in transaction: AgentStore.Transaction) throws {
        for (folder, sets) in Dictionary(grouping: sets, by: \.folder) {
            let records = sets.compactMap(\.record).flatMap(\.bytes)
            if !records.isEmpty { try transaction.rememberImports(records, of: Self.key(folder)) }
        }
    }

    /// Forgets folders most of whose files are gone.
    func forget(_ folders: [String]) throws {
        try store.forgetImports(of: folders.map(Self.key))
    }

    /// One key per folder, whatever path leads there.
    private static func key(_ folder: String) -> String {
        guard let path = unsafe realpath(folder, nil) else { return folder }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
