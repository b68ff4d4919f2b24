import Crypto
package import PhotoModel
import Synchronization

/// A file that grows from its front, hashed while it is written, and resumed by hashing again what is there.
///
/// Bytes before `durableByteCount` survive a power cut. All calls block; the mutex is only taken on the blocking pool's
/// threads, and keeps bytes, hash and count of one file together.
package final class StagingFile: Sendable {
    private struct State {
        var hasher = SHA256()
        var byteCount: Int64 = 0
        var durableByteCount: Int64 = 0
        /// What makes the file's name durable; nil once it is.
        var synchronizeName: (@Sendable () throws(PersistenceError) -> Void)?
    }

    /// Where the file is.
    package let path: Path
    private let file: any OpenFile
    private let state: Mutex<State>

    /// Bytes that are read at once when a file is hashed.
    package static let chunkByteCount = 1 << 20

    /// Opens a file, new or to be continued.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - durableByteCount: bytes that were promised; what follows them may be torn, and is cut off.
    ///   - fileSystem: where it is.
    /// - Throws: `damaged` when fewer bytes are there than were promised; what the file system says.
    package init(_ path: Path, durableByteCount: Int64, in fileSystem: some FileSystem) throws(PersistenceError) {
        self.path = path
        file = try fileSystem.open(path, .update)
        let found = try file.byteCount()
        guard found >= durableByteCount else {
            throw PersistenceError(
                .damaged,
                "resume",
                path.text,
                "\(found) bytes are there, \(durableByteCount) were promised: send the resource again"
            )
        }
        if found > durableByteCount { try file.truncate(to: durableByteCount) }
        var state = State(byteCount: durableByteCount, durableByteCount: durableByteCount)
        try ContentHasher.update(&state.hasher, from: file, byteCount: durableByteCount, path: path)
        // Nothing was promised yet, so nothing says that the name is durable.
        if durableByteCount == 0 {
            state.synchronizeName = { () throws(PersistenceError) in try fileSystem.synchronizeDirectory(path.parent) }
        }
        self.state = Mutex(state)
    }

    /// Bytes that were written.
    package var byteCount: Int64 { state.withLock(\.byteCount) }

    /// Bytes that survive a power cut.
    package var durableByteCount: Int64 { state.withLock(\.durableByteCount) }

    /// The digest of everything written so far.
    package var digest: ContentDigest? { state.withLock { ContentDigest(bytes: Array($0.hasher.finalize())) } }

    /// Writes bytes at the end.
    package func append(_ bytes: ArraySlice<UInt8>) throws(PersistenceError) {
        try state.withLock { state throws(PersistenceError) in
            try file.write(bytes, at: state.byteCount)
            // The disk works while the processor hashes, and while the next piece is on its way.
            file.beginWriting(bytes.count, at: state.byteCount)
            unsafe bytes.withUnsafeBytes { unsafe state.hasher.update(bufferPointer: $0) }
            state.byteCount += Int64(bytes.count)
        }
    }

    /// Makes everything written durable.
    ///
    /// - Returns: the bytes that survive a power cut from now on.
    /// - Throws: what failed; after that only what was durable before is believed.
    @discardableResult
    package func synchronize() throws(PersistenceError) -> Int64 {
        try state.withLock { state throws(PersistenceError) in
            if state.durableByteCount != state.byteCount || state.synchronizeName != nil {
                try file.synchronize()
                // After the bytes: the file system's journal has the name by then, mostly, and nothing waits twice.
                try state.synchronizeName?()
                state.synchronizeName = nil
                state.durableByteCount = state.byteCount
            }
            return state.durableByteCount
        }
    }

    /// The writing as it stands, to come back to.
    package func mark() -> Mark {
        state.withLock { Mark(hasher: $0.hasher, byteCount: $0.byteCount) }
    }

    /// Forgets what was written after a mark.
    package func revert(to mark: Mark) throws(PersistenceError) {
        try state.withLock { state throws(PersistenceError) in
            try file.truncate(to: mark.byteCount)
            state.hasher = mark.hasher
            state.byteCount = mark.byteCount
            state.durableByteCount = min(state.durableByteCount, mark.byteCount)
        }
    }

    /// Closes the file; it stays where it is.
    package func close() throws(PersistenceError) {
        try file.close()
    }

    /// A place in the writing of a file.
    package struct Mark: Sendable {
        fileprivate let hasher: SHA256
        /// Bytes written at that place.
        package let byteCount: Int64
    }
}
