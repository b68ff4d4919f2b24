import Persistence
import PhotoModel
import Synchronization

/// The contents published from journals, which are not plain files yet.
///
/// Once a content is published again, from a newer journal or as a plain file, the older journal no longer counts for
/// it, so that dropping an old journal never loses anything that is relied on.
final class JournalIndex: Sendable {
    /// A content's journal and position.
    struct Place: Hashable, Sendable {
        let journal: String
        let record: ContentJournal.Record
    }

    private struct Journal {
        var isClosed = false
        var byteCount: Int64 = 0
    }

    private struct State {
        var places: [ContentAddress: Place] = [:]
        var journals: [String: Journal] = [:]
        /// Closed journals, the oldest first.
        var closed: [String] = []
    }

    private let state = Mutex(State())

    /// Publishes a content from a journal.
    func publish(_ place: Place) {
        state.withLock { state in
            state.places[place.record.address] = place
            state.journals[place.journal, default: Journal()].byteCount += place.record.byteCount
        }
    }

    /// A content's place; nil if no journal holds it.
    func place(of address: ContentAddress) -> Place? { state.withLock { $0.places[address] } }

    /// Removes a content from the index, since it is a plain file now.
    func forget(_ address: ContentAddress) { _ = state.withLock { $0.places.removeValue(forKey: address) } }

    /// Runs `body` if a content is still at its place, which cannot change meanwhile.
    func ifStill(_ place: Place, _ body: () throws -> Void) rethrows {
        try state.withLock { state in
            if state.places[place.record.address] == place { try body() }
        }
    }

    /// Closes a journal: nothing more is published from it, and its contents may become plain files.
    func close(_ journal: String) {
        state.withLock { state in
            guard state.journals[journal, default: Journal()].isClosed == false else { return }
            state.journals[journal, default: Journal()].isClosed = true
            state.closed.append(journal)
        }
    }

    /// Bytes in journals.
    var byteCount: Int64 { state.withLock { $0.journals.values.reduce(0) { $0 + $1.byteCount } } }

    /// Closed journals and their current contents.
    func closed() -> [String: [Place]] {
        state.withLock { state in
            var places = Dictionary(uniqueKeysWithValues: state.closed.map { ($0, [Place]()) })
            for place in state.places.values where places[place.journal] != nil {
                places[place.journal]?.append(place)
            }
            return places
        }
    }

    /// Forgets a journal with its contents.
    func remove(_ journal: String) {
        state.withLock { state in
            state.places = state.places.filter { $0.value.journal != journal }
            state.journals[journal] = nil
            state.closed.removeAll { $0 == journal }
        }
    }
}

/// A content in a journal, as a file.
final class JournalSlice: OpenFile {
    private let file: any OpenFile
    private let record: ContentJournal.Record

    init(_ record: ContentJournal.Record, of file: any OpenFile) {
        self.record = record
        self.file = file
    }

    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
        let rest = max(0, record.byteCount - max(0, offset))
        return try file.read(Int(min(Int64(count), rest)), at: record.offset + offset)
    }

    func byteCount() throws(PersistenceError) -> Int64 { record.byteCount }

    func close() throws(PersistenceError) { try file.close() }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) { throw immutable("write") }

    func synchronize() throws(PersistenceError) {}

    func truncate(to byteCount: Int64) throws(PersistenceError) { throw immutable("truncate") }

    private func immutable(_ operation: String) -> PersistenceError {
        PersistenceError(.notPermitted, operation, record.address.description, "contents are never changed")
    }
}
