import Persistence
import PhotoModel

/// Originals arriving in a folder of content, hashed as they are written, so that damaged bytes never arrive.
struct FolderArrival: ContentArrival {
    /// The destination.
    let originals: Path
    let files: any FileSystem
    let blocking: BlockingPool
    /// Whether contents keep their copies' names, as in a backup, whose rows stay the same.
    var keepsCopies = false

    func address(of row: ContentRow) -> ContentAddress { keepsCopies ? row.address : row.address.withoutCopy }

    func has(_ row: ContentRow) async throws -> Bool {
        try await blocking.run { try files.status(path(of: row))?.byteCount == row.byteCount }
    }

    func take(_ row: ContentRow, from reader: any ContentReader) async throws -> Bool {
        try await reader.parsing { read in try copy(row, read) }
    }

    func settle(_ rows: [ContentRow]) async throws {
        try await blocking.run {
            for directory in Set(rows.map { path(of: $0).parent }) { try files.synchronizeDirectory(directory) }
        }
    }

    private func path(of row: ContentRow) -> Path { address(of: row).path(in: originals) }

    /// Copies one content durably, except for its name; call ``settle(_:)`` afterwards.
    ///
    /// - Parameters:
    ///   - row: the content.
    ///   - read: reads its bytes.
    /// - Returns: false if the bytes do not match the row; the copy is then removed.
    /// - Throws: errors of the destination.
    private func copy(_ row: ContentRow, _ read: OpenResource.Reading) throws -> Bool {
        let destination = path(of: row)
        let temporary = destination.parent.appending(".\(destination.name).part")
        try files.createDirectories(destination.parent)
        if try files.status(temporary) != nil { try files.unlink(temporary) }
        let file = try files.open(temporary, .create)
        var hasher = ContentHasher.Running()
        var offset: Int64 = 0
        while offset < row.byteCount {
            let count = Int(min(Int64(StagingFile.chunkByteCount), row.byteCount - offset))
            // The source ends or cannot be read: bad sectors are what backups are for.
            guard let bytes = try? read(count, offset), !bytes.isEmpty else { break }
            hasher.update(bytes[...])
            try file.write(bytes[...], at: offset)
            offset += Int64(bytes.count)
        }
        guard offset == row.byteCount, hasher.digest == row.address.digest else {
            try file.close()
            try files.unlink(temporary)
            return false
        }
        try file.synchronize()
        try file.close()
        try files.makeReadOnly(temporary)
        try files.rename(temporary, to: destination)
        return true
    }
}
