import MediaFormats
import Persistence
import Synchronization

/// A file in a ZIP archive, read in place: nothing is unpacked to the disk.
///
/// A deflated file can only be read from its beginning. Its last 64 MiB stay in memory, so that readers of media formats may
/// go back; going further back starts over. Read in order to the end, as for a hash, its CRC-32 is checked.
final class ArchivedFile: OpenFile {
    /// The inflated bytes that are kept.
    static let windowByteCount = 64 << 20
    /// The bytes inflated at once.
    private static let chunkByteCount = 1 << 20

    private struct State: ~Copyable {
        var inflater: Inflater?
        var chunks: [[UInt8]] = []
        var windowStart = 0
        var windowEnd = 0
        var checksum = RunningChecksum()

        mutating func beginAnew(_ inflater: consuming Inflater) {
            self.inflater = consume inflater
            chunks = []
            (windowStart, windowEnd) = (0, 0)
        }
    }

    private let entry: ZIPDirectory.Entry
    private let archive: any OpenFile
    private let data: FileRange
    private let path: Path
    /// The most recently inflated bytes.
    private let windowByteCount: Int
    private let state = Mutex(State())

    /// A file of an open archive, with the place of its bytes there, and how many inflated ones are kept.
    init(
        _ entry: ZIPDirectory.Entry,
        at data: FileRange,
        in archive: any OpenFile,
        _ path: Path,
        windowByteCount: Int = ArchivedFile.windowByteCount
    ) {
        self.entry = entry
        self.data = data
        self.archive = archive
        self.path = path
        self.windowByteCount = windowByteCount
    }

    func byteCount() throws(PersistenceError) -> Int64 { Int64(entry.byteCount) }

    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
        guard let start = Int(exactly: offset), 0..<entry.byteCount ~= start, count > 0 else { return [] }
        let end = start + min(count, entry.byteCount - start)
        return try state.withLock { state throws(PersistenceError) in
            let bytes =
                entry.method == .stored
                ? try archive.read(end - start, at: Int64(data.offset + start)) : try inflated(start..<end, &state)
            state.checksum.add(bytes, at: start)
            if state.checksum.byteCount == entry.byteCount, state.checksum.value != entry.checksum {
                throw PersistenceError(.damaged, "read", path.text, "its bytes in the archive are damaged")
            }
            return bytes
        }
    }

    private func inflated(_ range: Range<Int>, _ state: inout State) throws(PersistenceError) -> [UInt8] {
        if state.inflater == nil || range.lowerBound < state.windowStart {
            let (archive, data) = (archive, data)
            state.beginAnew(
                try Inflater { count, offset throws(PersistenceError) in
                    try archive.read(min(count, data.length - offset), at: Int64(data.offset + offset))
                }
            )
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var chunkStart = state.windowStart
        for chunk in state.chunks {
            append(chunk, at: chunkStart, of: range, to: &bytes)
            chunkStart += chunk.count
        }
        while state.windowEnd < range.upperBound {
            let limit = min(Self.chunkByteCount, entry.byteCount - state.windowEnd)
            guard let (chunk, isAtEnd) = try state.inflater?.next(limit), chunk.count == limit || !isAtEnd else {
                throw PersistenceError(.damaged, "read", path.text, "it is shorter than the archive says")
            }
            append(chunk, at: state.windowEnd, of: range, to: &bytes)
            state.chunks.append(chunk)
            state.windowEnd += chunk.count
            while state.windowEnd - state.windowStart > windowByteCount {
                state.windowStart += state.chunks.removeFirst().count
            }
        }
        return bytes
    }

    private func append(_ chunk: [UInt8], at start: Int, of range: Range<Int>, to bytes: inout [UInt8]) {
        let part = range.clamped(to: start..<start + chunk.count)
        if !part.isEmpty { bytes += chunk[part.lowerBound - start..<part.upperBound - start] }
    }

    func close() throws(PersistenceError) {}

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) { throw readOnly("write") }
    func synchronize() throws(PersistenceError) { throw readOnly("synchronise") }
    func truncate(to byteCount: Int64) throws(PersistenceError) { throw readOnly("truncate") }

    private func readOnly(_ operation: String) -> PersistenceError {
        PersistenceError(.notPermitted, operation, path.text, "it is in an archive, which is read-only")
    }
}
