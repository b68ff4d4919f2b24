import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import NIOCore
import PhotoModel

/// Saving assets: manifests, resumable uploads, commits, batches, receipts.
struct SavingRoutes {
    let store: LibraryStore
    let metrics: ServerMetrics
    let notifier: ChangeNotifier
    let precedence: UploadPriority

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.createAsset) { [store] call, admitted in
            let manifest: AssetManifest = try await call.json(limit: APILimits.manifestByteCount)
            return try .json(try await store.create(manifest, by: admitted.storeCaller(for: call, keepingApart: true)))
        }
        try registry.on(.commitAsset) { [store, notifier, precedence] call, admitted in
            let answer = try await precedence.during {
                try await store.commit(call.parameter("id"), by: admitted.storeCaller(for: call))
            }
            notifier.notify()
            return try .json(answer)
        }
        try registry.on(.createBatch) { [store, metrics, notifier, precedence] call, admitted in
            let caller = try admitted.storeCaller(for: call, keepingApart: admitted.isQuarantined)
            let sink: any BatchSink =
                admitted.isQuarantined
                ? QuarantinedBatch(store, by: caller)
                : try await store.receiveBatch(by: caller, announcing: call.contentLength)
            let answer = try await precedence.during { try await call.receiveBatch(into: sink, metrics) }
            notifier.notify()
            return try .json(answer)
        }
        try registerUploads(in: &registry)
        try registerReceipts(in: &registry)
    }

    private func registerUploads(in registry: inout RouteRegistry) throws {
        try registry.on(.appendUpload) { [store, metrics, precedence] call, admitted in
            let caller = try admitted.storeCaller(for: call, keepingApart: true)
            let status = try await precedence.during { try await call.append(to: store, by: caller, metrics) }
            return Response.noContent.with(UploadHeaders(status))
        }
        try registry.on(.uploadOffset) { [store] call, admitted in
            let status = try await store.status(
                of: call.parameter("id"),
                by: admitted.storeCaller(for: call, keepingApart: true)
            )
            return Response.noContent.with(UploadHeaders(status))
        }
        try registry.on(.cancelUpload) { [store] call, admitted in
            try await store.cancel(call.parameter("id"), by: admitted.storeCaller(for: call, keepingApart: true))
            return .noContent
        }
    }

    private func registerReceipts(in registry: inout RouteRegistry) throws {
        try registry.on(.receipts) { [metadata = store.metadata] call, admitted in
            let query = try call.query(as: ReceiptQuery.self)
            let page = try await metadata.receipts(
                of: admitted.storeCaller(for: call),
                after: ChangeNumber(rawValue: query.after ?? 0),
                limit: query.limit ?? 100
            )
            return try .json(page)
        }
        try registry.on(.receipt) { [metadata = store.metadata] call, admitted in
            let caller = try admitted.storeCaller(for: call)
            return try .json(await metadata.receipt(for: call.parameter("asset"), of: caller).orNotFound().receipt)
        }
        try registry.on(.checkHashes) { [metadata = store.metadata] call, admitted in
            let request: HashCheckRequest = try await call.json()
            guard request.digests.count <= APILimits.hashCheckCount else {
                throw ProblemDetails(.tooLarge, "Ask for at most \(APILimits.hashCheckCount) digests at once.")
            }
            let known = try await metadata.knownDigests(request.digests, in: admitted.view)
            return try .json(HashCheckResponse(known: known))
        }
    }
}

extension Call {
    /// Appends the request's content to an upload (draft-ietf-httpbis-resumable-upload, section 4.4).
    fileprivate func append(
        to store: LibraryStore,
        by caller: StoreCaller,
        _ metrics: ServerMetrics
    ) async throws -> UploadStatus {
        let fields = UploadHeaders { header($0) }
        guard hasContent(of: UploadHeaders.partialUpload) else {
            throw ProblemDetails(.unsupportedMediaType, "Send parts as \(UploadHeaders.partialUpload).")
        }
        guard let offset = fields.offset, let isComplete = fields.isComplete else {
            throw ProblemDetails(.malformedRequest, "A part needs Upload-Offset and Upload-Complete.")
        }
        if header(UploadHeaders.Name.contentDigest) != nil, fields.contentDigest == nil {
            throw ProblemDetails(.malformedRequest, "Content-Digest must contain a sha-256 (RFC 9530).")
        }
        if let length = contentLength, length > APILimits.appendByteCount {
            throw ProblemDetails(.tooLarge, "A part has at most \(APILimits.appendByteCount) bytes: send several.")
        }
        let status = try await store.append(
            to: parameter("id"),
            at: offset,
            isLast: isComplete,
            digest: fields.contentDigest,
            content: UploadContent(body: request.body),
            by: caller
        )
        metrics.recordReceived(byteCount: status.offset - offset)
        return status
    }

    /// Reads a batch as it arrives.
    fileprivate func receiveBatch(into sink: any BatchSink, _ metrics: ServerMetrics) async throws -> BatchResponse {
        guard hasContent(of: BatchFraming.contentType) else {
            throw ProblemDetails(.unsupportedMediaType, "Send batches as \(BatchFraming.contentType).")
        }
        // Manifests stay in memory until the batch ends.
        var heldByteCount = 0
        defer { bodies.leave(heldByteCount) }
        do {
            var parser = BatchParser()
            for try await buffer in request.body {
                var chunk = buffer.readableBytesView
                while let event = try parser.next(&chunk) {
                    if case .manifest(let bytes) = event {
                        try bodies.enter(bytes.count)
                        heldByteCount += bytes.count
                    }
                    try await sink.take(event, metrics)
                }
            }
            try parser.finish()
            return await sink.finish()
        } catch {
            await sink.discard()
            throw (error as? BatchProblem)?.details ?? error
        }
    }
}

extension BatchSink {
    fileprivate func take(_ event: BatchParser.Event<ByteBufferView>, _ metrics: ServerMetrics) async throws {
        switch event {
        case .manifest(let bytes): await add(try Call.decode(bytes))
        case .resourceBegins(let byteCount): try await beginResource(byteCount: byteCount)
        case .resourceBytes(let bytes):
            metrics.recordReceived(byteCount: Int64(bytes.count))
            try await append(Array(bytes))
        case .resourceEnds: try await endResource()
        case .end: break
        }
    }
}

/// A request's body in chunks, as the store accepts it.
private struct UploadContent: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var buffers: RequestBody.AsyncIterator

        @concurrent mutating func next() async throws -> ByteBufferView? {
            try await buffers.next()?.readableBytesView
        }
    }

    let body: RequestBody

    func makeAsyncIterator() -> Iterator { Iterator(buffers: body.makeAsyncIterator()) }
}

extension UploadHeaders {
    /// The header fields of every response about an upload.
    fileprivate init(_ status: UploadStatus) {
        self.init(
            offset: status.offset,
            isComplete: status.isComplete,
            length: status.length,
            limit: UploadHeaders.limits
        )
    }
}
