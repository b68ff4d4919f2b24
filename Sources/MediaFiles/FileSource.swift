package import MediaFormats
package import Persistence

/// An open file as a source for the media format readers; every read blocks.
package struct FileSource: ByteSource {
    private static let shortByteCount = 128 << 10

    /// The file's length.
    package let byteCount: Int
    private let file: any OpenFile
    /// All bytes, once a short file was loaded.
    private var contents: [UInt8]?

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

    /// Reads a short file as a whole, since describing it takes half a dozen reads; blocks.
    mutating func loadIfShort() {
        if byteCount <= Self.shortByteCount { contents = try? file.read(byteCount, at: 0) }
    }

    /// Reads some bytes; blocks.
    package func bytes(in range: FileRange) throws -> [UInt8] {
        guard let contents else { return try file.read(range.length, at: Int64(range.offset)) }
        guard range.offset > 0 || range.length < contents.count else { return contents }
        return Array(contents[range.bounds.clamped(to: contents.indices)])
    }
}
