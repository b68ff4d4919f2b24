import Crypto
import Synchronization

/// A sealed file opened for reading, at any offset, with each chunk verified.
final class SealedReader: OpenFile {
    private let base: any OpenFile
    private let path: Path
    private let format: SealedFormat
    private let plainByteCount: Int64

    init(_ base: any OpenFile, _ path: Path, key: SymmetricKey) throws(PersistenceError) {
        let header = try base.read(Int(SealedFormat.headerByteCount), at: 0)
        guard header.starts(with: SealedFormat.magic), header.count == Int(SealedFormat.headerByteCount),
            let count = SealedFormat.plainByteCount(ofSealed: try base.byteCount())
        else { throw PersistenceError(.damaged, "open", path.text, "it is not a sealed file, or was truncated") }
        self.base = base
        self.path = path
        format = SealedFormat(key, salt: Array(header[SealedFormat.magic.count...]))
        plainByteCount = count
    }

    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
        let end = min(plainByteCount, offset + Int64(max(0, count)))
        guard offset >= 0, offset < end else { return [] }
        let size = Int64(SealedFormat.chunkByteCount)
        let last = SealedFormat.chunkCount(ofPlain: plainByteCount) - 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(end - offset))
        for number in offset / size...(end - 1) / size {
            let sealed = try base.read(Int(SealedFormat.sealedChunkByteCount), at: SealedFormat.offset(ofChunk: number))
            let chunk: [UInt8]
            do {
                chunk = try format.open(sealed, number: number, isLast: number == last)
            } catch {
                throw PersistenceError(
                    .damaged,
                    "read",
                    path.text,
                    "its bytes were changed, or it was sealed with a different key"
                )
            }
            let begin = max(0, offset - number * size)
            bytes += chunk[Int(begin)..<Int(min(Int64(chunk.count), end - number * size))]
        }
        return bytes
    }

    func byteCount() throws(PersistenceError) -> Int64 { plainByteCount }

    func close() throws(PersistenceError) { try base.close() }

    func synchronize() throws(PersistenceError) { try base.synchronize() }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) {
        throw .sealed(path, "write")
    }

    func truncate(to byteCount: Int64) throws(PersistenceError) {
        throw .sealed(path, "truncate")
    }
}

/// A sealed file being written from beginning to end; once synchronised, nothing more can be written.
final class SealedWriter: OpenFile {
    private struct State {
        var byteCount: Int64 = 0
        /// The chunk not yet written: only the end of the file decides whether it is the last one.
        var pending: [UInt8] = []
        var chunks: Int64 = 0
        var isFinished = false
    }

    private let base: any OpenFile
    private let path: Path
    private let format: SealedFormat
    private let state = Mutex(State())

    init(_ base: any OpenFile, _ path: Path, key: SymmetricKey) throws(PersistenceError) {
        let salt = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Array($0) }
        try base.write((SealedFormat.magic + salt)[...], at: 0)
        self.base = base
        self.path = path
        format = SealedFormat(key, salt: salt)
    }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) {
        try state.withLock { state throws(PersistenceError) in
            guard offset == state.byteCount, !state.isFinished else { throw .sealed(path, "write") }
            state.byteCount += Int64(bytes.count)
            var rest = (state.pending + bytes)[...]
            while rest.count > SealedFormat.chunkByteCount {
                try seal(rest.prefix(SealedFormat.chunkByteCount), &state, isLast: false)
                rest = rest.dropFirst(SealedFormat.chunkByteCount)
            }
            state.pending = Array(rest)
        }
    }

    func synchronize() throws(PersistenceError) {
        try finish()
        try base.synchronize()
    }

    func close() throws(PersistenceError) {
        try finish()
        try base.close()
    }

    func byteCount() throws(PersistenceError) -> Int64 { state.withLock(\.byteCount) }

    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
        throw PersistenceError(.notPermitted, "read", path.text, "a sealed file can be read only once it is complete")
    }

    func truncate(to byteCount: Int64) throws(PersistenceError) {
        throw .sealed(path, "truncate")
    }

    private func finish() throws(PersistenceError) {
        try state.withLock { state throws(PersistenceError) in
            guard !state.isFinished else { return }
            try seal(state.pending[...], &state, isLast: true)
            state.pending = []
            state.isFinished = true
        }
    }

    private func seal(_ bytes: ArraySlice<UInt8>, _ state: inout State, isLast: Bool) throws(PersistenceError) {
        guard state.chunks < SealedFormat.chunkLimit else {
            throw PersistenceError(.noSpace, "write", path.text, "it is too long for a sealed file")
        }
        let sealed: [UInt8]
        do {
            sealed = try format.seal(bytes, number: state.chunks, isLast: isLast)
        } catch {
            throw PersistenceError(.damaged, "seal", path.text, "\(error)")
        }
        try base.write(sealed[...], at: SealedFormat.offset(ofChunk: state.chunks))
        state.chunks += 1
    }
}

extension PersistenceError {
    /// An operation that sealed files do not support.
    fileprivate static func sealed(_ path: Path, _ call: String) -> PersistenceError {
        PersistenceError(.notPermitted, call, path.text, "a sealed file can only be written once, sequentially")
    }
}
