import MediaFormats
import Persistence

/// An open file as the readers of media formats want it; every read blocks.
struct FileSource: ByteSource {
    let byteCount: Int
    private let file: any OpenFile

    /// Opens a file; it is closed with the value.
    ///
    /// - Throws: `PersistenceError`.
    init(_ path: Path, in fileSystem: any FileSystem) throws {
        file = try fileSystem.open(path, .read)
        byteCount = Int(clamping: try file.byteCount())
    }

    func bytes(in range: FileRange) throws -> [UInt8] {
        try file.read(range.length, at: Int64(range.offset))
    }
}
