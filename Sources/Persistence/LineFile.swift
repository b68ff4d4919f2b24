/// An append-only file of lines that are hints: no append waits for the disk, so a power cut may lose the last ones.
///
/// What it left of them is ignored from the first torn line on, and overwritten by the next append.
package struct LineFile: Sendable {
    private static let maximumByteCount = 1 << 30

    private let path: Path
    private let fileSystem: any FileSystem
    private var byteCount: Int64 = 0

    /// Reads a file, which need not exist, up to the first line that cannot be decoded, for which `accept` returns
    /// false.
    package init(_ path: Path, in fileSystem: any FileSystem, accept: (ArraySlice<UInt8>) -> Bool) throws {
        self.path = path
        self.fileSystem = fileSystem
        guard let bytes = try fileSystem.readAll(path, maximumByteCount: Self.maximumByteCount) else { return }
        var start = bytes.startIndex
        // Without its line feed a line is torn, even if it decodes.
        while let end = bytes[start...].firstIndex(of: 0x0A), accept(bytes[start..<end]) { start = end + 1 }
        byteCount = Int64(start)
    }

    /// Appends a line; the content contains no line feed.
    package mutating func append(_ content: some Sequence<UInt8>) throws {
        let line = content + [0x0A]
        let file = try fileSystem.open(path, .update)
        try file.truncate(to: byteCount)
        try file.write(line[...], at: byteCount)
        try file.close()
        byteCount += Int64(line.count)
    }
}
