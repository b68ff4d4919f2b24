package import LibraryAPI
import PhotoModel

/// A batch of a device whose history has a twin: described and sent like single uploads, and committed by nobody before
/// an operator has said which copy goes on.
package actor QuarantinedBatch: BatchSink {
    private struct Expected {
        let asset: Int
        let resource: AssetResource
    }

    private let store: LibraryStore
    private let caller: StoreCaller
    private var manifests: [AssetManifest] = []
    private var answers: [Int: AssetCreationResponse] = [:]
    private var problems: [Int: StoreError] = [:]
    /// Every resource of the manifests, and how many of them have begun.
    private var expected: [Expected] = []
    private var begun = 0
    private var bytes: [UInt8] = []

    /// Begins to take a batch.
    ///
    /// - Parameters:
    ///   - store: where it is kept.
    ///   - caller: for whom; its gate must let through what is kept apart.
    package init(_ store: LibraryStore, by caller: StoreCaller) {
        self.store = store
        self.caller = caller
    }

    /// Describes the next asset.
    package func add(_ manifest: AssetManifest) async {
        let index = manifests.count
        manifests.append(manifest)
        expected += manifest.resources.map { Expected(asset: index, resource: $0) }
        do {
            answers[index] = try await store.create(manifest, by: caller)
        } catch {
            problems[index] = StoreError.wrapping(error, about: manifest.id.description)
        }
    }

    /// Begins the next resource.
    package func beginResource(byteCount: Int64) throws {
        guard begun < expected.count, expected[begun].resource.byteCount == byteCount else {
            throw StoreError(.malformedRequest, "The batch's resources are not the ones that its manifests describe.")
        }
        begun += 1
    }

    /// Takes bytes; a batch's resources are small.
    package func append(_ bytes: [UInt8]) { self.bytes += bytes }

    /// Keeps the resource as its upload's content.
    package func endResource() async {
        let (asset, resource) = (expected[begun - 1].asset, expected[begun - 1].resource)
        let content = bytes
        bytes = []
        guard problems[asset] == nil,
            let upload = answers[asset]?.uploads.first(where: { $0.resourceID == resource.id }), !upload.isComplete
        else { return }
        do {
            _ = try await store.append(
                to: upload.id,
                at: upload.offset,
                isLast: true,
                content: OnePiece(bytes: Array(content.dropFirst(Int(clamping: upload.offset)))),
                by: caller
            )
        } catch {
            problems[asset] = StoreError.wrapping(error, about: manifests[asset].id.description)
        }
    }

    /// Says of each asset that it is kept apart, unless it has a receipt from before or something was wrong with it.
    package func finish() -> BatchResponse {
        BatchResponse(
            results: manifests.enumerated().map { index, manifest in
                if let receipt = answers[index]?.receipt {
                    let commit = CommitResponse(receipt: receipt, album: answers[index]?.album)
                    return BatchResponse.Result(assetID: manifest.id, commit: commit)
                }
                let held = StoreError(
                    .identitySuspect,
                    "Two copies of this device have called: what it sends is kept apart until an operator has chosen one."
                )
                return BatchResponse.Result(assetID: manifest.id, problem: (problems[index] ?? held).details)
            }
        )
    }

    /// Keeps what is there: each upload goes on where it was.
    package func discard() {}
}

/// Bytes as a body that comes at once.
private struct OnePiece: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var bytes: [UInt8]?

        mutating func next() -> [UInt8]? {
            defer { bytes = nil }
            return bytes
        }
    }

    let bytes: [UInt8]

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes) }
}
