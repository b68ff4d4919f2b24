import ObjectStorage
import Persistence
import PhotoModel

/// A batch of small contents: each is stored as its own object while the next ones arrive.
actor ObjectBatch: BatchReception {
    /// The most objects stored at once.
    private static let windowCount = 16

    private let store: ObjectContentStore
    private let name: String
    private var open: (address: ContentAddress, byteCount: Int64, bytes: [UInt8])?
    private var ended: [BatchContent] = []
    private var storing: [Task<Void, any Error>] = []

    init(_ store: ObjectContentStore, _ name: String) {
        self.store = store
        self.name = name
    }

    func take(_ steps: [BatchStep]) async throws {
        for step in steps {
            switch step {
            case .begin(let address, let byteCount): open = (address.copied(by: name), byteCount, [])
            case .bytes(let bytes): open?.bytes += bytes
            case .end:
                guard let content = open else { preconditionFailure("a content ends after it began") }
                open = nil
                try await end(content.address, content.byteCount, content.bytes)
            }
        }
    }

    private func end(_ address: ContentAddress, _ byteCount: Int64, _ bytes: [UInt8]) async throws {
        let isWhole = Int64(bytes.count) == byteCount && ContentHasher.digest(bytes) == address.digest
        let source = Publication.Source.batch(name, offset: Int64(ended.count))
        let publication = Publication(source, address: address, byteCount: byteCount)
        ended.append(BatchContent(publication: publication, isWhole: isWhole))
        guard isWhole else { return }
        if storing.count == Self.windowCount { try await storing.removeFirst().value }
        // Runs while the next content arrives; `finish` waits for all.
        storing.append(Task { [store] in try await store.store(bytes, at: address) })
    }

    func finish() async throws -> [BatchContent] {
        while !storing.isEmpty { try await storing.removeFirst().value }
        return ended
    }

    nonisolated func end() { store.end(name) }

    func discard() async throws {
        for task in storing { _ = await task.result }
        storing = []
        for content in ended where content.isWhole { try await store.remove(content.publication.address) }
        store.end(name)
    }
}
