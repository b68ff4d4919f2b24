package import MediaFormats
package import Persistence

/// An open file as a source for the media format readers; every read blocks.
package struct FileSource: ByteSource {
    /// The file's length.
    package let byteCount: Int
    private let file: any OpenFile

    /// Opens a file; it is closed with the value.
    ///
    /// - Throws: `PersistenceError`.
    package init(_ path: Path, in fileSystem: any FileSystem) throws {
        try self.init(fileSystem.open(path, .read))
    }

    /// Reads an open file.
    init(_ file: any OpenFile) throws {
        self.file = file
        byteCount = Int(clamping: try file.byteCount())
    }

    /// Reads some bytes; blocks.
    package func bytes(in range: FileRange) throws -> [UInt8] {
        try file.read(range.length, at: Int64(range.offset))
    }
}
