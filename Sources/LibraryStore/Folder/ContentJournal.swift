import Persistence
import PhotoModel
import Synchronization

/// One file with many small contents, one after the other, made durable with one sync.
///
/// Making ten thousand plain files durable costs ten thousand waits for the disk; a journal of 256 contents costs one.
/// So receipts for a batch rest on its journal, whose contents become plain files afterwards; the journal is kept until
/// those are durable.
///
/// The file begins with `TTJOURN1`. Then follow records, each with
/// - one byte `C`;
/// - the announced SHA-256, 32 bytes;
/// - the length of the file extension, one byte, and the extension;
/// - the content's length, eight bytes, most significant first, and the content;
///
/// and at the end one byte `S`, the seal, written before the sync that makes everything durable. Without a seal nothing
/// in a journal was confirmed by a receipt. A journal with a seal may still be torn if power was lost during that sync;
/// then nothing in it was confirmed either, so after a restart each content is hashed before it is trusted.
final class ContentJournal: Sendable {
    /// A content's place in a journal.
    struct Record: Hashable, Sendable {
        /// Its destination.
        let address: ContentAddress
        /// The offset of its bytes in the journal.
        let offset: Int64
        /// Their number.
        let byteCount: Int64
    }

    private struct State {
        var byteCount: Int64 = 0
        /// The bytes after the last whole page.
        ///
        /// Only whole pages are written before the end, so that they can bypass the cache.
        var tail: [UInt8]
        var open: Record?
        var hasher = ContentHasher.Running()
        var ended: [(record: Record, isWhole: Bool)] = []
    }

    static let magic: [UInt8] = Array("TTJOURN1".utf8)
    static let recordMark = UInt8(ascii: "C")
    static let seal = UInt8(ascii: "S")

    /// The journal's name, which is its file's.
    let name: String
    private let file: any OpenFile
    private let state: Mutex<State>

    /// Creates a journal's file, durable in its directory; leaves nothing behind on failure.
    init(_ path: Path, in fileSystem: some FileSystem) throws {
        name = path.name
        file = try fileSystem.open(path, .create)
        do {
            try fileSystem.synchronizeDirectory(path.parent)
        } catch {
            // Nobody knows its name, so it would stay there until the next start.
            try? fileSystem.unlink(path)
            throw error
        }
        state = Mutex(State(byteCount: Int64(Self.magic.count), tail: Self.magic))
    }

    /// Writes the whole pages of steps with one call, and hashes the contents on the way.
    ///
    /// Blocks.
    ///
    /// - Parameter steps: the steps, in order.
    /// - Throws: the file system's error.
    func take(_ steps: [BatchStep]) throws {
        try state.withLock { state in
            var bytes = state.tail
            // Not by doubling: some hundred small contents come at once.
            bytes.reserveCapacity(bytes.count + steps.reduce(0) { $0 + Self.byteCount($1) })
            let start = state.byteCount - Int64(bytes.count)
            for step in steps {
                switch step {
                case .begin(let address, let byteCount):
                    bytes += Self.head(address, byteCount: byteCount)
                    let offset = start + Int64(bytes.count)
                    state.open = Record(address: address, offset: offset, byteCount: byteCount)
                    state.hasher = ContentHasher.Running()
                case .bytes(let content):
                    bytes += content
                    state.hasher.update(content[...])
                case .end:
                    guard let record = state.open else { preconditionFailure("a content ends after it began") }
                    let isComplete = start + Int64(bytes.count) == record.offset + record.byteCount
                    let isWhole = isComplete && state.hasher.digest == record.address.digest
                    state.ended.append((record, isWhole))
                    state.open = nil
                }
            }
            let whole = bytes.count & ~(PosixFileSystem.pageByteCount - 1)
            try file.write(bytes[..<whole], at: start)
            state.byteCount = start + Int64(bytes.count)
            state.tail = Array(bytes[whole...])
        }
    }

    /// Makes everything durable.
    ///
    /// Blocks.
    ///
    /// - Returns: the contents in order, each with whether its bytes match their digest.
    /// - Throws: the file system's error; then nothing counts as durable.
    func finish() throws -> [(record: Record, isWhole: Bool)] {
        try state.withLock { state in
            try file.write((state.tail + [Self.seal])[...], at: state.byteCount - Int64(state.tail.count))
            try file.synchronize()
            try file.close()
            state.byteCount += 1
            return state.ended
        }
    }

    /// At most as many bytes as a step adds to the file.
    private static func byteCount(_ step: BatchStep) -> Int {
        switch step {
        case .begin: 1 + ContentDigest.byteCount + 1 + Int(UInt8.max) + 8
        case .bytes(let bytes): bytes.count
        case .end: 0
        }
    }

    private static func head(_ address: ContentAddress, byteCount: Int64) -> [UInt8] {
        let fileExtension = Array(address.fileExtension.utf8)
        return [recordMark] + address.digest.bytes + [UInt8(fileExtension.count)] + fileExtension
            + byteCount.bigEndianBytes
    }

    /// Reads a journal left by an earlier process.
    ///
    /// - Returns: the records in order; nil without a seal. Their bytes are not checked.
    /// - Throws: the file system's error.
    static func records(in file: any OpenFile) throws -> [Record]? {
        let total = try file.byteCount()
        guard try file.read(magic.count, at: 0) == magic else { return nil }
        var records: [Record] = []
        var offset = Int64(magic.count)
        while true {
            // Mark, digest, and the extension's length; then at most 8 bytes each of extension and length.
            let head = try file.read(50, at: offset)
            if head.first == seal { return offset + 1 == total ? records : nil }
            guard head.count > 34, head[0] == recordMark, let digest = ContentDigest(bytes: Array(head[1..<33])),
                head.count >= 34 + Int(head[33]) + 8,
                let address = ContentAddress(
                    fileName: "\(digest).\(String(decoding: head[34..<34 + Int(head[33])], as: UTF8.self))"
                )
            else { return nil }
            let start = 34 + Int(head[33])
            let byteCount = UInt64(bigEndianBytes: head[start..<start + 8])
            let begin = offset + Int64(start) + 8
            guard byteCount <= UInt64(max(0, total - begin)) else { return nil }
            records.append(Record(address: address, offset: begin, byteCount: Int64(byteCount)))
            offset = begin + Int64(byteCount)
        }
    }
}
