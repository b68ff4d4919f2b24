import LibraryAPI
import Persistence
import PhotoModel
import Synchronization

/// One request's append.
struct UploadPart: Sendable {
    let id: UploadID
    let offset: Int64
    let isLast: Bool
    let digest: ContentDigest?
}

/// Passes one request's bytes to an upload's reception, and judges them.
final class UploadReceiver: Sendable {
    /// The result of a request's bytes.
    enum Verdict: Sendable {
        /// This many bytes are durable now.
        case durable(Int64, isComplete: Bool)
        /// Nothing was appended.
        case reverted(StoreError)
        /// The bytes are not the announced ones, and cannot become them.
        case wrong
    }

    let reception: any ContentReception
    let upload: UploadRecord
    private let part: UploadPart
    private let promise: PromisedSpace.Promise
    private let blocking: BlockingPool
    /// Hashes this request's content, if its own digest was announced and it is not the whole file.
    private let contentHasher: Mutex<ContentHasher.Running>?

    init(
        _ reception: any ContentReception,
        _ upload: UploadRecord,
        _ part: UploadPart,
        _ promise: PromisedSpace.Promise,
        blocking: BlockingPool
    ) {
        self.reception = reception
        self.upload = upload
        self.part = part
        self.promise = promise
        self.blocking = blocking
        contentHasher = part.digest != nil && part.offset > 0 ? Mutex(ContentHasher.Running()) : nil
    }

    /// Passes chunks on as they arrive, gathered into larger ones.
    func receive<Content: AsyncSequence>(
        _ content: Content,
        chunkByteCount: Int
    ) async throws where Content.Element: Collection<UInt8> {
        var chunk: [UInt8] = []
        do {
            try await gather(content, into: &chunk, chunkByteCount: chunkByteCount)
            // Some sequences end when their task is cancelled, as if the content did.
            try Task.checkCancellation()
        } catch {
            // Bytes that arrived before the connection broke are kept; `settle` reverts them if they must not count.
            if !(error is StoreError) { try await reception.append(chunk[...]) }
            throw error
        }
        try await write(chunk)
    }

    /// A chunk ends at a multiple of its size within the file, so that every chunk but the last consists of whole
    /// pages.
    private func gather<Content: AsyncSequence>(
        _ content: Content,
        into chunk: inout [UInt8],
        chunkByteCount: Int
    ) async throws where Content.Element: Collection<UInt8> {
        var rest = upload.byteCount - part.offset
        var room = chunkByteCount - Int(part.offset % Int64(chunkByteCount))
        chunk.reserveCapacity(Int(min(Int64(room), max(0, rest))))
        for try await piece in content {
            rest -= Int64(piece.count)
            guard rest >= 0 else {
                throw StoreError(
                    .lengthInconsistent,
                    "More bytes arrived than the \(upload.byteCount) announced.",
                    about: upload.id.description
                )
            }
            var piece = piece[...]
            while !piece.isEmpty {
                let front = piece.prefix(room)
                chunk.append(contentsOf: front)
                room -= front.count
                piece = piece.dropFirst(front.count)
                guard room == 0 else { continue }
                try await write(chunk)
                chunk.removeAll(keepingCapacity: true)
                room = chunkByteCount
            }
        }
    }

    private func write(_ chunk: [UInt8]) async throws {
        guard !chunk.isEmpty else { return }
        do {
            try await reception.append(chunk[...])
            promise.use(chunk.count)
            if contentHasher != nil {
                try await blocking.uncancelled { [self] in contentHasher?.withLock { $0.update(chunk[...]) } }
            }
        } catch let error as PersistenceError {
            // Not the connection but our store failed: nothing more is written.
            throw StoreError.wrapping(error, about: upload.id.description)
        }
    }

    /// After an interrupted request: keeps what arrived, unless it was to count as a whole.
    ///
    /// - Returns: the number of bytes now durable.
    func settle() async throws -> Int64 {
        if part.digest != nil || reception.byteCount > upload.byteCount { try await reception.revert() }
        return try await reception.keep()
    }

    /// After a complete request: checks digests and lengths, and makes everything durable.
    ///
    /// - Parameter confirming: throws if the upload was taken over; runs before its bytes permanently become an object.
    /// - Returns: the result of the request's bytes.
    /// - Throws: what `confirming` throws; the store's errors.
    func conclude(confirming: () async throws -> Void) async throws -> Verdict {
        if let announced = part.digest {
            let found = contentHasher?.withLock { $0.digest } ?? reception.digest
            guard found == announced else {
                return try await revert(.digestMismatch, "The content does not match its digest: send it again.")
            }
        }
        let isWhole = reception.byteCount == upload.byteCount
        guard isWhole == part.isLast || !part.isLast else {
            return try await revert(
                .lengthInconsistent,
                "The upload would end at \(reception.byteCount) of \(upload.byteCount) bytes: send the rest, or declare it "
                    + "incomplete."
            )
        }
        guard isWhole, part.isLast else { return .durable(try await reception.keep(), isComplete: false) }
        try await confirming()
        guard try await reception.finish(upload.digest) else { return .wrong }
        return .durable(upload.byteCount, isComplete: true)
    }

    private func revert(_ code: ErrorCode, _ message: String) async throws -> Verdict {
        try await reception.revert()
        _ = try await reception.keep()
        return .reverted(StoreError(code, message, about: upload.id.description))
    }
}
