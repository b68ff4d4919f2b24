package import LibraryAPI
import Persistence
import PhotoModel

/// Receives many small assets in one request, which become durable together.
///
/// The caller reads the request with a `BatchParser` and passes on its parts; `finish` commits.
package actor BatchReceiver {
    private let store: LibraryStore
    private let caller: StoreCaller
    private let promise: PromisedSpace.Promise
    private var manifests: [AssetManifest] = []
    private var problems: [Int: StoreError] = [:]
    /// The received contents of each asset, by their index in the batch.
    private var received: [[Int]] = []
    private var position: (asset: Int, resource: Int) = (0, 0)
    private var isOpen = false
    /// When the first bytes arrived, by the clock shared by all servers.
    private var beginning: WallTime?
    private var batch: (any BatchReception)?
    private var contentCount = 0
    /// Received steps not passed on yet, and their bytes.
    private var steps: [BatchStep] = []
    private var heldByteCount = 0

    init(_ store: LibraryStore, by caller: StoreCaller, _ promise: PromisedSpace.Promise) {
        self.store = store
        self.caller = caller
        self.promise = promise
    }

    /// Adds the next manifest; its problems are reported in the response, and its bytes are skipped.
    package func add(_ manifest: AssetManifest) {
        do {
            manifests.append(manifest)
            received.append([])
            _ = try manifest.completed(for: caller)
        } catch {
            problems[manifests.count - 1] = StoreError.wrapping(error, about: manifest.id.description)
        }
    }

    /// Begins the next resource, in manifest order.
    ///
    /// - Throws: `malformedRequest` if the manifests describe no further resource, or one of another length.
    package func beginResource(byteCount: Int64) async throws {
        while position.asset < manifests.count, position.resource >= manifests[position.asset].resources.count {
            position = (position.asset + 1, 0)
        }
        guard position.asset < manifests.count else {
            throw StoreError(.malformedRequest, "The batch has more resources than its manifests describe.")
        }
        let resource = manifests[position.asset].resources[position.resource]
        guard resource.byteCount == byteCount else {
            throw StoreError(
                .malformedRequest,
                "Resource \(resource.id) was announced with \(resource.byteCount) bytes but has \(byteCount)."
            )
        }
        guard problems[position.asset] == nil else { return }
        isOpen = true
        let address = ContentAddress(resource.digest, contentType: resource.contentType)
        steps.append(.begin(address, byteCount: byteCount))
    }

    /// Adds bytes to the current resource.
    package func append(_ bytes: [UInt8]) async throws {
        guard isOpen else { return }
        steps.append(.bytes(bytes))
        heldByteCount += bytes.count
        if heldByteCount >= store.settings.chunkByteCount { try await write() }
    }

    /// Ends the current resource.
    package func endResource() {
        defer { position.resource += 1 }
        guard isOpen else { return }
        isOpen = false
        steps.append(.end)
        received[position.asset].append(contentCount)
        contentCount += 1
    }

    /// Makes everything that arrived durable and visible, together.
    ///
    /// - Returns: one result per asset, in manifest order.
    package func finish() async -> BatchResponse {
        let contents = await sealed()
        promise.end()
        var parts: [(index: Int, publications: [Publication], request: CommitRequest)] = []
        for (index, manifest) in manifests.enumerated() {
            if problems[index] == nil { problems[index] = problem(index, contents) }
            guard problems[index] == nil else { continue }
            let publications = received[index].map { contents[$0].publication }
            var request = CommitRequest(manifest: manifest, caller: caller, needsCreation: false)
            request.received = beginning
            parts.append((index, publications, request))
        }
        let answers = await store.commits.commit(parts.map { ($0.publications, $0.request) })
        var commits: [Int: CommitResponse] = [:]
        var ended: [UploadID] = []
        for (part, answer) in zip(parts, answers) {
            switch answer {
            case .success(let committed):
                commits[part.index] = committed.response
                ended += committed.ended
            case .failure(let error):
                problems[part.index] = StoreError.wrapping(error, about: manifests[part.index].id.description)
            }
        }
        await store.forget(ended)
        if let batch {
            batch.end()
            store.requestSettling()
        }
        let results = manifests.enumerated().map { index, manifest in
            if let commit = commits[index] { return BatchResponse.Result(assetID: manifest.id, commit: commit) }
            let problem = problems[index] ?? StoreError(.internalError, "The server failed: see its log.")
            return BatchResponse.Result(assetID: manifest.id, problem: problem.details)
        }
        return BatchResponse(results: results)
    }

    /// Discards everything, after the request was interrupted.
    package func discard() async {
        if let batch { await store.forget(batch) }
        promise.end()
    }

    /// Makes everything received durable; a failure here fails every asset.
    private func sealed() async -> [BatchContent] {
        do {
            try await write()
            return try await batch?.finish() ?? []
        } catch {
            let problem = StoreError.wrapping(error)
            for index in manifests.indices where problems[index] == nil { problems[index] = problem }
            return []
        }
    }

    private func problem(_ index: Int, _ contents: [BatchContent]) -> StoreError? {
        let id = manifests[index].id.description
        guard received[index].count == manifests[index].resources.count else {
            return StoreError(
                .assetIncomplete,
                "The batch ended before all of its bytes arrived: send the asset again.",
                about: id
            )
        }
        guard received[index].allSatisfy({ contents[$0].isWhole }) else {
            return StoreError(.digestMismatch, "The bytes are not the announced ones: send the asset again.", about: id)
        }
        return nil
    }

    /// Passes on the steps held back.
    private func write() async throws {
        guard !steps.isEmpty else { return }
        let steps = steps
        let byteCount = heldByteCount
        self.steps = []
        heldByteCount = 0
        defer { promise.use(byteCount) }
        if let batch { return try await batch.take(steps) }
        beginning = try await store.metadata.receivingTime()
        let new = try await store.content.receiveBatch("\(store.effects.identifier(UploadID.self))")
        do {
            try await new.take(steps)
        } catch {
            await store.forget(new)
            throw error
        }
        batch = new
    }
}
