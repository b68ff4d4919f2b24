import Persistence
import PhotoModel

/// Copies content between content-addressed folders, hashing what it writes, so that damaged bytes never arrive.
struct ContentCopy<Files: FileSystem> {
    private static var chunkByteCount: Int { StagingFile.chunkByteCount }

    /// The destination.
    let originals: Path
    let files: Files

    /// Whether the content is already there with its full length.
    func has(_ row: ContentRow) throws -> Bool {
        try files.status(row.address.path(in: originals))?.byteCount == row.byteCount
    }

    /// Copies one content durably, except for its name; call ``synchronize(_:)`` on its directory afterwards.
    ///
    /// - Parameters:
    ///   - row: the content.
    ///   - read: reads its bytes.
    /// - Returns: false if the bytes do not match the row; the copy is then removed.
    /// - Throws: errors of the destination.
    func take(_ row: ContentRow, read: OpenResource.Reading) throws -> Bool {
        let destination = row.address.path(in: originals)
        let temporary = destination.parent.appending(".\(row.address.fileName).part")
        try files.createDirectories(destination.parent)
        if try files.status(temporary) != nil { try files.unlink(temporary) }
        let file = try files.open(temporary, .create)
        var hasher = ContentHasher.Running()
        var offset: Int64 = 0
        while offset < row.byteCount {
            guard let bytes = Self.next(read, min(Int64(Self.chunkByteCount), row.byteCount - offset), offset) else {
                break
            }
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

    /// Makes the names in the directories of these contents durable.
    func synchronize(_ addresses: [ContentAddress]) throws {
        for directory in Set(addresses.map { $0.directory(in: originals) }) {
            try files.synchronizeDirectory(directory)
        }
    }

    /// The next bytes of the source; nil if it ends or cannot be read: bad sectors are what backups are for.
    private static func next(_ read: OpenResource.Reading, _ count: Int64, _ offset: Int64) -> [UInt8]? {
        guard let bytes = try? read(Int(count), offset), !bytes.isEmpty else { return nil }
        return bytes
    }
}
