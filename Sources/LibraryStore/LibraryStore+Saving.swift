package import Authorization
package import LibraryAPI
import Logging
import Persistence
package import PhotoModel

extension LibraryStore {
    /// Accepts a manifest and returns its uploads with their offsets; repeating it returns the same ones.
    ///
    /// - Returns: the uploads, or the receipt if the asset was committed before.
    /// - Throws: `StoreError`: for an invalid manifest, `assetConflict`, `storageFull`; the gate's error.
    package func create(_ manifest: AssetManifest, by caller: StoreCaller) async throws -> AssetCreationResponse {
        _ = try manifest.completed(for: caller)
        let promise = try await space.promise(.new(manifest.resources.totalByteCount))
        // The uploads' rows promise the same.
        defer { promise.end() }
        return try await metadata.create(manifest, by: caller)
    }

    /// Free bytes for originals; nil if unlimited.
    package func freeByteCount() async throws -> Int64? { try await content.freeByteCount() }

    /// The status of an upload.
    package func status(of upload: UploadID, by caller: StoreCaller) async throws -> UploadStatus {
        try await metadata.upload(upload, of: caller).status
    }

    /// Appends bytes to an upload.
    ///
    /// If a connection breaks, the received bytes are kept, unless a digest of the content was announced: then all of
    /// it counts or nothing. A newer request on the same upload ends this one.
    ///
    /// - Parameters:
    ///   - id: the upload.
    ///   - offset: the offset of the content; it must match the upload's.
    ///   - isLast: whether the content completes the upload.
    ///   - digest: the content's SHA-256, if announced.
    ///   - content: the bytes, in chunks of any size.
    ///   - caller: the caller.
    /// - Returns: the upload's status; all of its bytes are durable.
    /// - Throws: `offsetMismatch`, `digestMismatch`, `lengthInconsistent`, `uploadCompleted`, `uploadSuperseded`, `uploadGone`,
    ///   `storageFull`; what the content's sequence throws.
    package func append<Content: AsyncSequence & Sendable>(
        to id: UploadID,
        at offset: Int64,
        isLast: Bool,
        digest: ContentDigest? = nil,
        content: Content,
        by caller: StoreCaller
    ) async throws -> UploadStatus where Content.Element: Collection<UInt8> {
        // Before taking the upload over, so that a stranger cannot end the owner's request.
        _ = try await metadata.upload(id, of: caller)
        let part = UploadPart(id: id, offset: offset, isLast: isLast, digest: digest)
        let session = await uploads.borrow(id)
        let result: Result<UploadStatus, any Error>
        do {
            let superseded = try await session.begin(about: id)
            result = await Result.awaiting {
                try await self.appendWhileHolding(superseded, session, part, content, caller)
            }
            await session.end()
        } catch {
            result = .failure(error)
        }
        await uploads.giveBack(id)
        if case .failure = result { await discardIfEnded(id) }
        return try result.get()
    }

    /// Discards what a failed request received for an upload that has ended meanwhile: some of it may have arrived after
    /// the upload's bytes were discarded.
    private func discardIfEnded(_ id: UploadID) async {
        // The request may be cancelled.
        await Task {
            do {
                _ = try await metadata.address(ofUpload: id)
            } catch let error as StoreError where error.code == .notFound {
                await forget([id])
            } catch {
                // Then its row is not known to be gone.
            }
        }.value
    }

    private func appendWhileHolding<Content: AsyncSequence & Sendable>(
        _ superseded: AsyncStream<Never>,
        _ session: UploadSession,
        _ part: UploadPart,
        _ content: Content,
        _ caller: StoreCaller
    ) async throws -> UploadStatus where Content.Element: Collection<UInt8> {
        let upload = try await metadata.takeTurn(of: part.id, by: caller)
        guard !upload.isComplete else {
            throw StoreError(.uploadCompleted, "The upload is complete: commit the asset.", about: part.id.description)
        }
        guard part.offset == upload.durableByteCount else {
            throw StoreError.offsetMismatch(
                expected: upload.durableByteCount,
                provided: part.offset,
                about: part.id.description
            )
        }
        // Checked again for each request: the space free at the upload's creation may be used up since.
        let promise = try await space.promise(.rest(of: upload))
        defer { promise.end() }
        let reception = try await open(upload, session)
        // Announced once the session knows its turn, because this server receives its own notices too.
        if upload.turn > 0 { metadata.signals.tell(.upload(part.id, turn: upload.turn)) }
        let receiver = UploadReceiver(reception, upload, part, promise, blocking: blocking)
        let chunkByteCount = settings.chunkByteCount
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await receiver.receive(content, chunkByteCount: chunkByteCount)
                    return true
                }
                group.addTask {
                    for await _ in superseded {}
                    try Task.checkCancellation()
                    return false
                }
                let isReceived = try await group.next() ?? false
                group.cancelAll()
                guard isReceived else { throw StoreError.uploadSuperseded(part.id) }
            }
        } catch {
            // The caller gets the first error; what can be kept is kept.
            await keepWhatArrived(receiver, session)
            throw error
        }
        return try await finish(receiver, session)
    }

    /// Ends the request that writes to an upload under an earlier turn, because another server began this one.
    package func yieldUpload(_ id: UploadID, to turn: Int64) async { await uploads.yield(id, to: turn) }

    /// An upload's open reception, or one resumed from its durable bytes.
    private func open(_ upload: UploadRecord, _ session: UploadSession) async throws -> any ContentReception {
        if let current = await session.current(in: upload.turn), current.byteCount == upload.durableByteCount {
            return current
        }
        do {
            let reception = try await content.receive(upload) { try await metadata.address(ofUpload: upload.id) }
            await session.keep(reception)
            return reception
        } catch let error as PersistenceError where error.code == .damaged {
            // Confirmed bytes are gone. An offset never decreases, so the upload ends; describing the asset again
            // creates a new one.
            logger.error("Promised bytes are missing", metadata: ["upload.id": "\(upload.id)"])
            await abandon(upload.id)
            throw StoreError(.uploadGone, "The server lost bytes: describe the asset again.", cause: error)
        }
    }

    private func keepWhatArrived(_ receiver: UploadReceiver, _ session: UploadSession) async {
        do {
            let durable = try await receiver.settle()
            try await record(receiver.upload.progress(to: durable))
        } catch {
            await session.keep(nil)
            logger.info("An upload's rest was dropped", metadata: ["upload.id": "\(receiver.upload.id)"])
        }
    }

    private func finish(_ receiver: UploadReceiver, _ session: UploadSession) async throws -> UploadStatus {
        let id = receiver.upload.id
        let verdict: UploadReceiver.Verdict
        do {
            verdict = try await receiver.conclude {
                try await metadata.confirmTurn(of: receiver.upload)
            }
        } catch {
            await session.keep(nil)
            throw StoreError.wrapping(error, about: id.description)
        }
        switch verdict {
        case .reverted(let error): throw error
        case .wrong:
            await abandon(id)
            throw StoreError(
                .digestMismatch,
                "The resource is not the one that was announced: describe the asset again and resend it.",
                about: id.description
            )
        case .durable(let count, let isComplete):
            let copy = isComplete ? receiver.reception.copy : nil
            let step = receiver.upload.progress(to: count, isComplete: isComplete, copy: copy)
            try await record(step)
            if isComplete { await session.keep(nil) }
            return receiver.upload.status(after: step, at: effects.now())
        }
    }

    /// Ends an upload whose bytes can never become correct; the asset can be described again.
    private func abandon(_ id: UploadID) async {
        do {
            let ended = try await metadata.cancel(id, by: .administrator("store"))
            try await discard(ended)
        } catch {
            logger.warning("An upload could not be ended", metadata: ["upload.id": "\(id)", "error": "\(error)"])
        }
    }

    /// Cancels all uploads of an asset, named by one of them.
    package func cancel(_ upload: UploadID, by caller: StoreCaller) async throws {
        try await discard(try await metadata.cancel(upload, by: caller))
    }

    /// Deletes uploads that expired or can no longer be finished; returns their number.
    @discardableResult
    package func expireUploads() async throws -> Int {
        let since = effects.now().advanced(by: .seconds(-APILimits.uploadAgeSeconds))
        let ended = try await metadata.expireUploads(untouchedSince: since)
        try await discard(ended)
        return ended.count
    }

    /// Deletes removals that every follower of the feed has received; returns their number.
    @discardableResult
    package func forgetRemovals() async throws -> Int {
        try await metadata.forgetRemovals(
            silentSince: effects.now().advanced(by: .seconds(-APILimits.silentReplicaSeconds)),
            before: effects.now().advanced(by: .seconds(-APILimits.removalSeconds))
        )
    }

    func discard(_ ended: [UploadID]) async throws {
        await uploads.forget(ended)
        try await content.discard(ended.map(\.description))
    }

    /// Makes an asset visible once all its bytes are there.
    ///
    /// - Parameters:
    ///   - asset: the asset.
    ///   - caller: who described it.
    ///   - audit: the entry of an operator who commits it in the caller's name. It is written in the commit's
    ///     transaction, so that nothing is recorded of a refused or repeated commit.
    /// - Returns: the receipt; repeating the call returns the same one.
    /// - Throws: `assetIncomplete`, `assetConflict`, `notFound`; the gate's error.
    package func commit(
        _ asset: AssetID,
        by caller: StoreCaller,
        audit: AuditEntry.Content? = nil
    ) async throws -> CommitResponse {
        switch try await metadata.planCommit(asset, by: caller) {
        case .done(let answer): return answer
        case .publish(let publications, let manifest):
            let request = CommitRequest(manifest: manifest, caller: caller, needsCreation: true, audit: audit)
            let committed = try await wrapping(asset) { try await self.commits.commit(publications, request) }
            await forget(committed.ended)
            return committed.response
        }
    }

    /// Discards what uploads received that ended with a commit, after it and never before.
    func forget(_ ended: [UploadID]) async {
        guard !ended.isEmpty else { return }
        do {
            try await discard(ended)
        } catch {
            logger.warning("Received bytes could not be discarded", metadata: ["error": "\(error)"])
        }
    }

    func wrapping<Value>(_ asset: AssetID, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw StoreError.wrapping(error, about: asset.description)
        }
    }
}
