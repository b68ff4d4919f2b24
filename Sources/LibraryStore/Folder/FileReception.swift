import Persistence
import PhotoModel
import Synchronization

/// An upload being received into a staged file.
final class FileReception: ContentReception {
    private let file: StagingFile
    private let upload: String
    private let marks: ReceptionMarks
    private let blocking: BlockingPool
    /// The state when the file was last durable.
    private let kept: Mutex<StagingFile.Mark>

    init(_ file: StagingFile, _ upload: String, _ marks: ReceptionMarks, _ blocking: BlockingPool) {
        self.file = file
        self.upload = upload
        self.marks = marks
        self.blocking = blocking
        kept = Mutex(file.mark())
    }

    var byteCount: Int64 { file.byteCount }

    var digest: ContentDigest? { file.digest }

    var copy: String? { nil }

    func append(_ bytes: ArraySlice<UInt8>) async throws {
        try await blocking.uncancelled { [file] in try file.append(bytes) }
    }

    func keep() async throws -> Int64 {
        try await blocking.uncancelled { [self] in
            let durable = try file.synchronize()
            let mark = file.mark()
            kept.withLock { $0 = mark }
            marks.keep(mark, of: upload)
            return durable
        }
    }

    func revert() async throws {
        try await blocking.uncancelled { [self] in try file.revert(to: kept.withLock { $0 }) }
    }

    func finish(_ announced: ContentDigest) async throws -> Bool {
        guard file.digest == announced else { return false }
        try await blocking.uncancelled { [file] in
            try file.synchronize()
            try file.close()
        }
        return true
    }
}

/// A batch being received into a journal.
struct JournalReception<Files: FileSystem>: BatchReception {
    let journal: ContentJournal
    let folder: ContentFolder<Files>
    let blocking: BlockingPool

    func take(_ steps: [BatchStep]) async throws {
        try await blocking.run { [journal] in try journal.take(steps) }
    }

    func finish() async throws -> [BatchContent] {
        try await blocking.uncancelled { [journal] in try journal.finish() }.map { record, isWhole in
            let source = Publication.Source.batch(journal.name, offset: record.offset)
            let publication = Publication(source, address: record.address, byteCount: record.byteCount)
            return BatchContent(publication: publication, isWhole: isWhole)
        }
    }

    func end() { folder.shelf.close(journal.name) }

    func discard() async throws {
        try await blocking.uncancelled { [journal, folder] in try folder.discardJournal(journal.name) }
    }
}
