package import LibraryAPI
package import Persistence
package import PhotoModel

/// The content store in a folder: plain files, and journals for batches; see `ContentFolder`.
package struct FileContentStore<Files: FileSystem>: ContentStore {
    private let folder: ContentFolder<Files>
    private let blocking: BlockingPool
    private let marks = ReceptionMarks()

    /// - Parameters:
    ///   - layout: the library's folder.
    ///   - files: its file system.
    ///   - blocking: the threads for blocking calls.
    package init(_ layout: LibraryLayout, in files: Files, blocking: BlockingPool) {
        folder = ContentFolder(layout, in: files)
        self.blocking = blocking
    }

    /// Does nothing: the folder's own marker identifies the library.
    package func claim(_ library: LibraryID, isNew: Bool) async throws {}

    /// Opens `staging/<upload>`.
    package func receive(
        _ upload: UploadRecord,
        for announced: () async throws -> ContentAddress
    ) async throws -> any ContentReception {
        let (name, durableByteCount) = (upload.id.description, upload.durableByteCount)
        let file = try await blocking.run { [folder, marks] in
            let file = try folder.stage(name, durableByteCount: durableByteCount, from: marks.mark(of: name))
            // Even if nothing follows: it was read for that.
            marks.keep(file.mark(), of: name)
            return file
        }
        return FileReception(file, name, marks, blocking)
    }

    /// Unlinks files in `staging`.
    package func discard(_ uploads: [String]) async throws {
        marks.forget(uploads)
        try await blocking.uncancelled { [folder] in
            for upload in uploads { try folder.discard(upload) }
        }
    }

    /// Lists `staging`, without files left by settling.
    package func receptions() async throws -> [String] {
        try await blocking.run { [folder] in try folder.stagedNames() }
            .filter { !$0.hasPrefix(ContentFolder<Files>.settlingPrefix) }
    }

    /// Creates `journals/<name>`.
    package func receiveBatch(_ name: String) async throws -> any BatchReception {
        let journal = try await blocking.run { [folder] in try folder.beginJournal(name) }
        return JournalReception(journal: journal, folder: folder, blocking: blocking)
    }

    /// Links into `originals`.
    package func publish(_ publications: [Publication]) async -> [Result<ContentAddress, any Error>] {
        await publications.failingTogether {
            let results = try await blocking.uncancelled { [folder] in folder.publish(publications) }
            return zip(publications, results).map { publication, result in result.map { publication.address } }
        }
    }

    /// Opens a plain file, or a content in a journal.
    package func open(_ address: ContentAddress) async throws -> any ContentReader {
        try await blocking.run { [folder, blocking] in
            let file = try folder.open(address)
            return FileReader(file: file, byteCount: try file.byteCount(), blocking: blocking)
        }
    }

    /// Duplicates a file's descriptor.
    ///
    /// A content still in a journal is read into memory instead, so that the other process cannot see its neighbours;
    /// contents of batches are small.
    package func lend(_ address: ContentAddress) throws -> LentContent {
        let file = try folder.open(address)
        if let descriptor = try file.duplicateDescriptor() { return .descriptor(descriptor) }
        return .bytes(try file.read(Int(try file.byteCount()), at: 0))
    }

    /// The length of a plain file, or of a content in a journal.
    package func byteCount(_ address: ContentAddress) async throws -> Int64? {
        try await blocking.run { [folder] in try folder.byteCount(address) }
    }

    /// Walks the two levels of directories, one page per outer directory.
    package func visit(_ body: (_ page: [StoredContent]) async throws -> Void) async throws {
        for name in try await blocking.run({ [folder] in try folder.files.list(folder.layout.originals) }) {
            try await body(try await blocking.run { [folder] in try folder.stored(in: name) })
        }
    }

    /// Renames into `quarantine`.
    package func quarantine(_ address: ContentAddress, isDamaged: Bool) async throws -> String {
        try await blocking.uncancelled { [folder] in try folder.quarantine(address, isDamaged: isDamaged) }
    }

    /// Hashes a file in `quarantine`, and renames it back.
    package func restoreIfWhole(_ address: ContentAddress) async throws -> Bool {
        try await blocking.run { [folder] in try folder.restoreIfWhole(address) }
    }

    /// Unlinks `quarantine/<name>`.
    package func purge(_ name: String) async throws {
        try await blocking.uncancelled { [folder] in try folder.purge(name) }
    }

    /// The free space of the file system.
    package func freeByteCount() async throws -> Int64? {
        try await blocking.run { [folder] in try folder.files.freeByteCount(folder.layout.originals) }
    }

    /// Always the library's own folder.
    package var description: String { "folder" }

    /// Queries the file system.
    package func checkReadiness() async throws { _ = try await freeByteCount() }

    /// Bytes in journals from which something was published.
    package var unsettledByteCount: Int64 { folder.shelf.byteCount }

    /// Turns the contents of closed journals into plain files.
    package func settle(_ wanted: (_ digests: [ContentDigest]) async throws -> Set<ContentDigest>) async throws -> Int {
        let held = folder.journaledDigests()
        guard !held.isEmpty else { return 0 }
        let all = try await wanted(Array(Set(held.values.joined())))
        return try await blocking.uncancelled { [folder] in
            try folder.settle(held.mapValues { all.intersection($0) })
        }
    }

    /// Reads the journals that exist, and removes files that an interrupted settling left.
    package func recover() async throws -> (contents: Int, dropped: Int) {
        try await blocking.run { [folder] in
            for name in try folder.stagedNames() where name.hasPrefix(ContentFolder<Files>.settlingPrefix) {
                try folder.discard(name)
            }
            return try folder.recoverJournals()
        }
    }
}

/// A file of the library, open for reading.
struct FileReader: ContentReader {
    let file: any OpenFile
    let byteCount: Int64
    let blocking: BlockingPool

    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await blocking.run { [file] in try file.read(count, at: offset) }
    }

    func parsing<Value: Sendable>(
        _ body: @escaping @Sendable (_ read: @escaping OpenResource.Reading) throws -> Value
    ) async throws -> Value {
        try await blocking.run { [file] in try body { count, offset in try file.read(count, at: offset) } }
    }
}
