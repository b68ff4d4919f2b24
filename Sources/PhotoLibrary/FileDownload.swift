import AgentStore
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Synchronization

/// Downloads a file from the library into a folder: streamed, resumed after interruptions, durable before it gets its
/// name.
struct FileDownload: Sendable {
    /// The file to fetch.
    struct Source: Sendable {
        var endpoint: Endpoint
        var values: [String]
        var query: [(name: String, value: String)] = []
        /// The expected digest; nil if only the library knows.
        var digest: ContentDigest?
        /// The expected size; nil if only the library knows.
        var byteCount: Int64?
        /// The longest accepted file without an expected size, in bytes.
        var byteLimit = AssetResource.maximumByteCount
    }

    /// Consecutive interruptions without a new byte before it gives up.
    private static let fruitlessAttempts = 3
    /// How often room is made, in bytes.
    private static let roomStep: Int64 = 16 << 20

    let client: LibraryClient
    let pool: BlockingPool
    /// Makes room for this many bytes, or throws if captures need it; nil for folders that captures do not share.
    var makeRoom: (@Sendable (Int64) throws -> Void)?

    /// Downloads a file.
    ///
    /// - Parameters:
    ///   - source: the file to fetch.
    ///   - folder: the destination; created if missing.
    ///   - name: its name, unless already taken.
    ///   - progress: receives the progress.
    /// - Returns: the file.
    /// - Throws: `PhotoLibraryError`, or `CancellationError`; nothing is left in the folder then.
    func run(
        _ source: Source,
        into folder: Path,
        named name: SafeFileName,
        progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> Path {
        let file = try await local { try PartFile(name, in: folder) }
        do {
            try await fetch(source, into: file, progress)
            return try await local { try file.publish(named: name, in: folder) }
        } catch {
            // The leftover is useless, and the original error is more informative.
            try? await local { try file.discard() }
            throw error
        }
    }

    private func fetch(
        _ source: Source,
        into file: PartFile,
        _ progress: (@Sendable (LoadingProgress) -> Void)?
    ) async throws {
        var fruitless = 0
        // The transport replaces what its sink throws.
        let refusal = Mutex<PhotoLibraryError?>(nil)
        while true {
            let start = file.byteCount
            do throws(LibraryClientError) {
                let answer = try await client.load(source.endpoint, source.values, query: source.query, from: start) {
                    bytes in
                    do throws(PhotoLibraryError) {
                        try accept(bytes.count, of: source, after: file.byteCount)
                    } catch {
                        refusal.withLock { $0 = error }
                        throw error
                    }
                    let byteCount = try file.append(bytes)
                    progress?(LoadingProgress(completedBytes: byteCount, totalBytes: source.byteCount))
                }
                guard start == 0 || answer.status == 206 else {
                    throw LibraryClientError(malformed: "the rest of a file was requested, but the whole file was sent")
                }
                break
            } catch {
                if let refusal = refusal.withLock(\.self) { throw refusal }
                if error.code == .transport(.cancelled) { throw CancellationError() }
                fruitless = file.byteCount > start ? 0 : fruitless + 1
                guard error.isCut, fruitless < Self.fruitlessAttempts else { throw PhotoLibraryError(error) }
            }
        }
        guard source.digest.map({ $0 == file.digest }) ?? true else {
            throw PhotoLibraryError(.damaged, "the received bytes are not the captured ones: try again")
        }
    }

    /// Throws unless these bytes belong to the file and there is room for them: an answer may never end.
    private func accept(_ count: Int, of source: Source, after byteCount: Int64) throws(PhotoLibraryError) {
        let end = byteCount + Int64(count)
        guard end <= source.byteCount ?? source.byteLimit else {
            throw PhotoLibraryError(.damaged, "the library sent more bytes than the file may have")
        }
        guard let makeRoom, end / Self.roomStep > byteCount / Self.roomStep else { return }
        do {
            try makeRoom(max(Int64(count), Self.roomStep))
        } catch let error as AgentStoreError {
            throw PhotoLibraryError(error)
        } catch {
            throw PhotoLibraryError(.storage, "\(error)", cause: error)
        }
    }

    private func local<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        do {
            return try await pool.uncancelled(call)
        } catch let error as PersistenceError {
            throw PhotoLibraryError(error)
        }
    }
}

extension LibraryClientError {
    /// Whether the connection broke, so that resuming makes sense.
    fileprivate var isCut: Bool {
        code == .transport(.interrupted) || code == .transport(.timedOut) || code == .transport(.unreachable)
    }
}
