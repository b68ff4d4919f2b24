import LibraryAPI
import Persistence
import PhotoModel
import Synchronization

/// What one request wants to append.
struct UploadPart: Sendable {
    let id: UploadID
    let offset: Int64
    let isLast: Bool
    let digest: ContentDigest?
}

/// Takes one request's bytes into an upload's reception, and says what they amount to.
final class UploadReceiver: Sendable {
    /// What a request's bytes amount to.
    enum Verdict: Sendable {
        /// So many bytes are durable now.
        case durable(Int64, isComplete: Bool)
        /// Nothing was appended.
        case reverted(StoreError)
        /// The bytes are not the announced ones, and cannot become them.
        case wrong
    }

    let reception: any ContentReception
    let upload: UploadRecord
    private let part: UploadPart
    private let blocking: BlockingPool
    /// Hashes the content of this request, where its own digest was announced and it is not the whole file's.
    private let contentHasher: Mutex<ContentHasher.Running>?

    init(reception: any ContentReception, upload: UploadRecord, part: UploadPart, blocking: BlockingPool) {
        self.reception = reception
        self.upload = upload
        self.part = part
        self.blocking = blocking
        contentHasher = part.digest != nil && part.offset > 0 ? Mutex(ContentHasher.Running()) : nil
    }

    /// Hands pieces on as they come, gathered into chunks.
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
            // What arrived before the connection broke is kept; `settle` takes it back where it must not count.
            if !(error is StoreError) { try await reception.append(chunk[...]) }
            throw error
        }
        try await write(chunk)
    }

    /// A chunk ends where the file has a whole number of them, so that every one but the last is whole pages of the file.
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
                    "More bytes came than the \(upload.byteCount) that were announced.",
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
            if contentHasher != nil {
                try await blocking.uncancelled { [self] in contentHasher?.withLock { $0.update(chunk[...]) } }
            }
        } catch let error as PersistenceError {
            // Not the connection but our store: nothing more is written.
            throw StoreError.wrapping(error, about: upload.id.description)
        }
    }

    /// After a request that broke off: keeps what arrived, unless it was to count as a whole.
    ///
    /// - Returns: the bytes that are durable now.
    func settle() async throws -> Int64 {
        if part.digest != nil || reception.byteCount > upload.byteCount { try await reception.revert() }
        return try await reception.keep()
    }

    /// After a request that came whole: checks digests and lengths, and makes everything durable.
    ///
    /// - Parameter confirming: throws if the upload was taken over; runs before its bytes become an object for good.
    /// - Returns: what the request's bytes amount to.
    /// - Throws: what `confirming` throws; the store's errors.
    func conclude(confirming: () async throws -> Void) async throws -> Verdict {
        if let announced = part.digest {
            let found = contentHasher?.withLock { $0.digest } ?? reception.digest
            guard found == announced else {
                return try await revert(.digestMismatch, "The content's digest is another one: send it again.")
            }
        }
        let isWhole = reception.byteCount == upload.byteCount
        guard isWhole == part.isLast || !part.isLast else {
            return try await revert(
                .lengthInconsistent,
                "The upload would end at \(reception.byteCount) of \(upload.byteCount) bytes: send the rest, or say that it is not complete."
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
