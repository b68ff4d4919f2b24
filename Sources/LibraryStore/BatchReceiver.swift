package import LibraryAPI
import Persistence
import PhotoModel

/// Many small assets that arrive in one request and are made durable together.
///
/// The caller reads the request with a `BatchParser` and hands on what it finds; `finish` publishes and commits.
package actor BatchReceiver {
    private struct Resource {
        let publication: Publication
        let file: StagingFile
        let digest: ContentDigest
    }

    private let store: LibraryStore
    private let caller: StoreCaller
    private var manifests: [AssetManifest] = []
    private var problems: [Int: StoreError] = [:]
    private var received: [[Resource]] = []
    private var position: (asset: Int, resource: Int) = (0, 0)
    private var open: Resource?

    init(_ store: LibraryStore, by caller: StoreCaller) {
        self.store = store
        self.caller = caller
    }

    /// Takes the next manifest; what is wrong with it is told in the answer, and its bytes are read past.
    package func add(_ manifest: AssetManifest) {
        do {
            manifests.append(manifest)
            received.append([])
            _ = try SQLiteMetadataStore.completed(manifest, for: caller)
        } catch {
            problems[manifests.count - 1] = StoreError.wrapping(error, about: manifest.id.description)
        }
    }

    /// Begins the next resource, in the order of the manifests.
    ///
    /// - Parameter byteCount: bytes that will come.
    /// - Throws: `malformedRequest` when the manifests describe no further resource, or one of another length.
    package func beginResource(byteCount: Int64) async throws {
        while position.asset < manifests.count, position.resource >= manifests[position.asset].resources.count {
            position = (position.asset + 1, 0)
        }
        guard position.asset < manifests.count else {
            throw StoreError(.malformedRequest, "The batch holds more resources than its manifests describe.")
        }
        let resource = manifests[position.asset].resources[position.resource]
        guard resource.byteCount == byteCount else {
            throw StoreError(
                .malformedRequest,
                "Resource \(resource.id) was announced with \(resource.byteCount) bytes and comes with \(byteCount)."
            )
        }
        guard problems[position.asset] == nil else { return }
        let name = "batch-\(store.effects.identifier(UploadID.self))"
        let file = try await store.blocking.run { [content = store.content] in
            try content.stage(name, durableByteCount: 0)
        }
        let publication = Publication(
            stagedName: name,
            address: ContentAddress(resource.digest, contentType: resource.contentType),
            byteCount: byteCount,
            isKnown: false
        )
        open = Resource(publication: publication, file: file, digest: resource.digest)
    }

    /// Takes bytes of the resource that was begun.
    package func append(_ bytes: [UInt8]) async throws {
        guard let open else { return }
        try await store.blocking.run { try open.file.append(bytes[...]) }
    }

    /// Ends the resource that was begun.
    package func endResource() {
        defer { position.resource += 1 }
        guard let resource = open else { return }
        open = nil
        received[position.asset].append(resource)
        if resource.file.digest != resource.digest {
            problems[position.asset] = StoreError(
                .digestMismatch,
                "The bytes are not the ones that were announced: send the asset again.",
                about: manifests[position.asset].id.description
            )
        }
    }

    /// Makes everything that arrived durable and visible, together.
    ///
    /// - Returns: one result an asset, in the order of the manifests.
    package func finish() async -> BatchAnswer {
        await synchronize()
        let results = await withTaskGroup(of: (Int, BatchAnswer.Result).self) { group in
            for index in manifests.indices {
                let manifest = manifests[index]
                let problem = problems[index] ?? missing(index)
                let publications = received[index].map(\.publication)
                group.addTask { [store, caller] in
                    (index, await store.commit(manifest, publications, problem, by: caller))
                }
            }
            var results: [Int: BatchAnswer.Result] = [:]
            for await (index, result) in group { results[index] = result }
            return results
        }
        await discard()
        return BatchAnswer(results: manifests.indices.compactMap { results[$0] })
    }

    /// Gives everything up, when the request broke off.
    package func discard() async {
        await store.forget((received.joined() + [open].compactMap(\.self)).map(\.publication))
    }

    private func missing(_ index: Int) -> StoreError? {
        guard received[index].count != manifests[index].resources.count else { return nil }
        return StoreError(.assetIncomplete, "The batch ended before all of its bytes had come: send the asset again.")
    }

    /// One round of syncs, as many at once as the pool has threads: the file system's journal joins them.
    private func synchronize() async {
        let files = received.enumerated().filter { problems[$0.offset] == nil }
            .flatMap { asset in asset.element.map { (asset.offset, $0.file) } }
        let failures = await withTaskGroup(of: (Int, StoreError)?.self) { group in
            for (index, file) in files {
                group.addTask { [store] in
                    do {
                        try await store.blocking.uncancelled {
                            try file.synchronize()
                            try file.close()
                        }
                        return nil
                    } catch {
                        return (index, StoreError.wrapping(error))
                    }
                }
            }
            var failures: [(Int, StoreError)] = []
            for await case let failure? in group { failures.append(failure) }
            return failures
        }
        for (index, error) in failures { problems[index] = error }
    }
}
