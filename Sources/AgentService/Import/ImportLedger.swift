import AgentStore
import Glibc
import MediaFiles

/// Remembers how files looked that are in the queue, so that an unchanged folder is imported again without reading it.
///
/// It is written with the entries that the files have become, and speaks for nothing else: what it does not know, or no
/// longer, is read and known by its bytes.
struct ImportLedger: Sendable {
    let store: AgentStore

    /// What is known of a folder; nothing where that cannot be told.
    var memory: MediaCollection.Memory {
        { [store] folder in
            let parts = (try? store.imports(of: Self.key(folder))) ?? []
            let records = FileSet.Record.records(in: Array(parts.joined()))
            return Dictionary(records.map { ($0.mark, $0) }) { _, last in last }
        }
    }

    /// Remembers sets that were taken.
    func remember(_ sets: [FileSet], in transaction: AgentStore.Transaction) throws {
        for (folder, sets) in Dictionary(grouping: sets, by: \.folder) {
            let records = sets.compactMap(\.record).flatMap(\.bytes)
            if !records.isEmpty { try transaction.rememberImports(records, of: Self.key(folder)) }
        }
    }

    /// Forgets folders of whose former files most are gone.
    func forget(_ folders: [String]) throws {
        try store.forgetImports(of: folders.map(Self.key))
    }

    /// One name for a folder, whatever way leads there.
    private static func key(_ folder: String) -> String {
        guard let path = unsafe realpath(folder, nil) else { return folder }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
