import LibraryAPI
import LibraryStore
import Synchronization

/// A file within an archive.
///
/// It is opened only when its bytes are due, so an archive of thousands holds no descriptors. Its checksum is known
/// once all its bytes have been read, either to send them or for a range that starts after them.
final class ArchivedFile: Sendable {
    /// Its length, promised before it is opened.
    let byteCount: Int64
    private let opening: @Sendable () async throws -> ServedFile
    private let noted: @Sendable (UInt32) -> Void
    private let known: Mutex<UInt32?>

    /// A file not yet opened: `opening` must deliver the same bytes each time, and `noted` receives the checksum once
    /// it is computed.
    init(
        byteCount: Int64,
        checksum: UInt32? = nil,
        noted: @escaping @Sendable (UInt32) -> Void = { _ in },
        opening: @escaping @Sendable () async throws -> ServedFile
    ) {
        self.byteCount = byteCount
        self.noted = noted
        self.opening = opening
        known = Mutex(checksum)
    }

    /// Opens it.
    ///
    /// - Throws: what opening throws; `storageDamaged` if its length is not the promised one.
    func open() async throws -> ServedFile {
        let file = try await opening()
        guard file.byteCount == byteCount else {
            throw StoreError(.storageDamaged, "A file of the archive has changed: request the archive again.")
        }
        return file
    }

    /// Records the checksum of all its bytes.
    func note(checksum: UInt32) {
        known.withLock { $0 = checksum }
        noted(checksum)
    }

    /// The checksum; reads the file if it is not known yet.
    ///
    /// - Throws: what reading throws.
    func checksum() async throws -> UInt32 {
        if let known = known.withLock({ $0 }) { return known }
        var reader = ServedFileReader([.file(self, 0..<byteCount)])
        while try await reader.next() != nil {}
        return known.withLock { $0 } ?? 0
    }
}

extension ServedFile {
    /// Files in one archive; the tag must change whenever any byte or name does.
    static func archive(
        of files: [(entry: StoredArchive.Entry, file: ArchivedFile)],
        tag: String,
        filename: String
    ) -> ServedFile {
        let archive = StoredArchive(files.map(\.entry))
        var pieces: [Piece] = []
        for (index, part) in files.enumerated() {
            pieces.append(.bytes(archive.header(index)))
            pieces.append(.file(part.file, 0..<part.file.byteCount))
            let length = part.entry.descriptorByteCount
            pieces.append(
                .made(byteCount: length, 0..<length) {
                    archive.descriptor(index, checksum: try await part.file.checksum())
                }
            )
        }
        let length = archive.directoryByteCount
        pieces.append(
            .made(byteCount: length, 0..<length) {
                var checksums: [UInt32] = []
                for part in files { checksums.append(try await part.file.checksum()) }
                return archive.directory { checksums[$0] }
            }
        )
        return ServedFile(pieces: pieces, tag: tag, contentType: "application/zip", filename: filename)
    }
}
