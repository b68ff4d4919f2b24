package import LibraryAPI
import PhotoModel

/// A batch from a device whose history has a twin: described and uploaded like single assets, but not committed until
/// an operator chooses which copy continues.
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

    /// Starts receiving a batch.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - caller: the caller; its gate must allow quarantined uploads.
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

    /// Adds bytes; a batch's resources are small.
    package func append(_ bytes: [UInt8]) { self.bytes += bytes }

    /// Stores the resource as its upload's content.
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

    /// Reports each asset as quarantined, unless it has an earlier receipt or a problem.
    package func finish() -> BatchResponse {
        BatchResponse(
            results: manifests.enumerated().map { index, manifest in
                if let receipt = answers[index]?.receipt {
                    let commit = CommitResponse(receipt: receipt, album: answers[index]?.album)
                    return BatchResponse.Result(assetID: manifest.id, commit: commit)
                }
                let held = StoreError(
                    .identitySuspect,
                    "Two copies of this device were detected: its uploads are quarantined until an operator decides."
                )
                return BatchResponse.Result(assetID: manifest.id, problem: (problems[index] ?? held).details)
            }
        )
    }

    /// Keeps what is there: each upload can be resumed.
    package func discard() {}
}

/// Bytes as a body in one chunk.
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
