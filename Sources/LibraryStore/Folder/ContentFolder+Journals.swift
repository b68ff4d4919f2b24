import Persistence
import PhotoModel

extension ContentFolder {
    /// The prefix of files in `staging` that settling writes; nothing ever resumes them.
    static var settlingPrefix: String { "batch-" }

    /// Creates `journals/<name>`.
    func beginJournal(_ name: String) throws -> ContentJournal {
        try ContentJournal(layout.journals.appending(name), in: files)
    }

    /// Unlinks `journals/<name>`.
    func discardJournal(_ name: String) throws {
        shelf.remove(name)
        try unlink(layout.journals.appending(name))
    }

    /// The digests that closed journals still hold.
    func journaledDigests() -> [String: [ContentDigest]] {
        shelf.closed().mapValues { $0.map(\.record.address.digest) }
    }

    /// Writes plain files of the needed contents of closed journals, durable with one sync for all, and removes the
    /// journals.
    func settle(_ wanted: [String: Set<ContentDigest>]) throws -> Int {
        let closed = shelf.closed().filter { wanted[$0.key] != nil }
        guard !closed.isEmpty else { return 0 }
        var made: Set<Path> = []
        var count = 0
        for (name, places) in closed where !places.isEmpty {
            let journal = try files.open(layout.journals.appending(name), .read)
            for place in places where wanted[name]?.contains(place.record.address.digest) ?? false {
                try settle(place, from: journal, &made)
                count += 1
            }
            try journal.close()
        }
        if count > 0 { try files.synchronizeAll(layout.originals) }
        for name in closed.keys { try discardJournal(name) }
        return count
    }

    /// Writes a plain file of one content, not durable yet.
    private func settle(_ place: JournalIndex.Place, from journal: any OpenFile, _ made: inout Set<Path>) throws {
        let record = place.record
        let destination = record.address.path(in: layout.originals)
        let temporary = layout.staging.appending("\(Self.settlingPrefix)\(place.journal)-\(record.offset)")
        try unlink(temporary)
        let file = try files.open(temporary, .create)
        var offset: Int64 = 0
        while offset < record.byteCount {
            let wanted = Int(min(Int64(StagingFile.chunkByteCount), record.byteCount - offset))
            let bytes = try journal.read(wanted, at: record.offset + offset)
            guard bytes.count == wanted else {
                throw PersistenceError(.damaged, "settle", place.journal, "the journal was truncated")
            }
            try file.write(bytes[...], at: offset)
            offset += Int64(wanted)
        }
        try file.close()
        try files.makeReadOnly(temporary)
        try makeDirectory(destination.parent, &made)
        try shelf.ifStill(place) { try files.rename(temporary, to: destination) }
        // Something is left only if the content was published elsewhere meanwhile.
        if shelf.place(of: record.address) != place { try unlink(temporary) }
    }

    /// Moves one content out of its journal at once, durably; does nothing if no journal has it.
    func settleNow(_ address: ContentAddress) throws {
        guard let place = shelf.place(of: address) else { return }
        var made: Set<Path> = []
        let journal = try files.open(layout.journals.appending(place.journal), .read)
        try settle(place, from: journal, &made)
        try journal.close()
        try files.synchronizeAll(layout.originals)
        shelf.forget(address)
    }

    /// Reads the journals left by an earlier process: sealed ones are published again, each content hashed first; the
    /// others were never confirmed by a receipt, and are removed.
    func recoverJournals() throws -> (contents: Int, dropped: Int) {
        var (contents, dropped) = (0, 0)
        for name in try files.list(layout.journals) {
            let path = layout.journals.appending(name)
            let file = try files.open(path, .read)
            guard let records = try ContentJournal.records(in: file) else {
                try file.close()
                try discardJournal(name)
                dropped += 1
                continue
            }
            for record in records {
                let slice = JournalSlice(record, of: file)
                let digest = try ContentHasher.digest(byteCount: record.byteCount) { try slice.read($1, at: $0) }
                guard digest == record.address.digest else { continue }
                shelf.publish(JournalIndex.Place(journal: name, record: record))
                contents += 1
            }
            try file.close()
            shelf.close(name)
        }
        return (contents, dropped)
    }

    /// Opens a content in its journal; nil if no journal has it.
    func openJournaled(_ address: ContentAddress) throws -> (any OpenFile)? {
        guard let place = shelf.place(of: address) else { return nil }
        do {
            return JournalSlice(place.record, of: try files.open(layout.journals.appending(place.journal), .read))
        } catch  where error.code == .notFound {
            // It became a plain file just now.
            return nil
        }
    }
}
