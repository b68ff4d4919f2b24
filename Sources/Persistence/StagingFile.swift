import Crypto
package import PhotoModel
import Synchronization

/// An append-only file, hashed while written, and resumed from a mark, or by rehashing its content.
///
/// Bytes before `durableByteCount` survive a power cut. All calls block; the mutex is only taken on the blocking pool's
/// threads, and keeps a file's bytes, hash and count consistent.
package final class StagingFile: Sendable {
    private struct State {
        var hasher = SHA256()
        var byteCount: Int64 = 0
        var durableByteCount: Int64 = 0
        /// Makes the file's name durable; nil once it is.
        var synchronizeName: (@Sendable () throws(PersistenceError) -> Void)?
    }

    /// Where the file is.
    package let path: Path
    private let file: any OpenFile
    private let state: Mutex<State>

    /// Bytes read at once for hashing.
    package static let chunkByteCount = 1 << 20

    /// Opens a new file, or resumes one after its confirmed bytes; anything after them may be torn, and is truncated.
    ///
    /// If an earlier position of the same file is where the confirmed bytes end, they are not hashed again.
    ///
    /// - Throws: `damaged` if there are fewer bytes than confirmed; the file system's error.
    package init(
        _ path: Path,
        durableByteCount: Int64,
        from mark: Mark? = nil,
        in fileSystem: some FileSystem
    ) throws(PersistenceError) {
        self.path = path
        file = try fileSystem.open(path, .update)
        let found = try file.byteCount()
        guard found >= durableByteCount else {
            throw PersistenceError(
                .damaged,
                "resume",
                path.text,
                "it has \(found) bytes, but \(durableByteCount) were confirmed: send the resource again"
            )
        }
        if found > durableByteCount { try file.truncate(to: durableByteCount) }
        var state = State(byteCount: durableByteCount, durableByteCount: durableByteCount)
        if let mark, mark.byteCount == durableByteCount {
            state.hasher = mark.hasher
        } else {
            try ContentHasher.update(&state.hasher, from: file, byteCount: durableByteCount, path: path)
        }
        // Nothing was confirmed yet, so the name may not be durable either.
        if durableByteCount == 0 {
            state.synchronizeName = { () throws(PersistenceError) in try fileSystem.synchronizeDirectory(path.parent) }
        }
        self.state = Mutex(state)
    }

    /// The number of bytes written.
    package var byteCount: Int64 { state.withLock(\.byteCount) }

    /// The number of bytes that survive a power cut.
    package var durableByteCount: Int64 { state.withLock(\.durableByteCount) }

    /// The digest of everything written so far.
    package var digest: ContentDigest? { state.withLock { ContentDigest(bytes: Array($0.hasher.finalize())) } }

    /// Appends bytes.
    package func append(_ bytes: ArraySlice<UInt8>) throws(PersistenceError) {
        try state.withLock { state throws(PersistenceError) in
            try file.write(bytes, at: state.byteCount)
            // The disk works while the processor hashes, and while the next piece is in transit.
            file.beginWriting(bytes.count, at: state.byteCount)
            unsafe bytes.withUnsafeBytes { unsafe state.hasher.update(bufferPointer: $0) }
            state.byteCount += Int64(bytes.count)
        }
    }

    /// Makes everything written durable, and returns the number of bytes that now survive a power cut.
    ///
    /// - Throws: the file system's error; only the bytes that were durable before still count.
    @discardableResult
    package func synchronize() throws(PersistenceError) -> Int64 {
        try state.withLock { state throws(PersistenceError) in
            if state.durableByteCount != state.byteCount || state.synchronizeName != nil {
                try file.synchronize()
                // After the bytes: by then the file system's journal usually has the name, and nothing waits twice.
                try state.synchronizeName?()
                state.synchronizeName = nil
                state.durableByteCount = state.byteCount
            }
            return state.durableByteCount
        }
    }

    /// The current position, to revert to.
    package func mark() -> Mark {
        state.withLock { Mark(hasher: $0.hasher, byteCount: $0.byteCount) }
    }

    /// Discards everything written after a mark.
    package func revert(to mark: Mark) throws(PersistenceError) {
        try state.withLock { state throws(PersistenceError) in
            try file.truncate(to: mark.byteCount)
            state.hasher = mark.hasher
            state.byteCount = mark.byteCount
            state.durableByteCount = min(state.durableByteCount, mark.byteCount)
        }
    }

    /// Closes the file, keeping it.
    package func close() throws(PersistenceError) {
        try file.close()
    }

    /// A position in the file.
    package struct Mark: Sendable {
        fileprivate let hasher: SHA256
        /// The number of bytes written at that position.
        package let byteCount: Int64
    }
}
