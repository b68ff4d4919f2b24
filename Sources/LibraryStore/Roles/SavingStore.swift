package import LibraryAPI
package import PhotoModel

/// The role of a ``MetadataStore`` that saves assets: manifests, uploads, commits and receipts.
package protocol SavingStore: Sendable {
    /// Accepts a manifest and returns its uploads; repeating it returns the same ones.
    func create(_ manifest: AssetManifest, by caller: StoreCaller) async throws -> AssetCreationResponse
    /// One upload of the caller.
    func upload(_ id: UploadID, of caller: StoreCaller) async throws -> UploadRecord
    /// The same for a request with bytes; from then on, every server refuses progress of earlier requests.
    func takeTurn(of id: UploadID, by caller: StoreCaller) async throws -> UploadRecord
    /// Throws `uploadSuperseded` if a newer request took an upload over.
    func confirmTurn(of upload: UploadRecord) async throws
    /// Bytes still to come in open uploads; this much free space is reserved for them.
    func promisedByteCount() async throws -> Int64
    /// Records what has become durable: one result per step, all in one transaction; `uploadSuperseded` for a turn that
    /// has ended.
    func record(_ progress: [UploadProgress]) async -> [Result<Void, any Error>]
    /// Deletes an upload and the rest of its asset's creation; returns the uploads whose staged bytes may be deleted.
    func cancel(_ id: UploadID, by caller: StoreCaller) async throws -> [UploadID]
    /// What must be published before an asset can be committed, or the earlier response.
    func planCommit(_ asset: AssetID, by caller: StoreCaller) async throws -> CommitPlan
    /// Those of the given digests whose content is in the library, according to its rows.
    func knownDigests(_ digests: [ContentDigest], in view: LibraryView) async throws -> [ContentDigest]
    /// Makes assets visible: one result per request, all in one transaction.
    func commit(_ requests: [CommitRequest]) async -> [Result<CommittedAsset, any Error>]
    /// A caller's receipts after a change number.
    func receipts(of caller: StoreCaller, after number: ChangeNumber, limit: Int) async throws -> ReceiptPage
    /// A caller's receipt for one asset.
    func receipt(for asset: AssetID, of caller: StoreCaller) async throws -> CommitResponse?
    /// Deletes creations untouched since a time and, regardless of time, those that a revoked device left unfinished.
    ///
    /// - Returns: the uploads whose staged bytes may be deleted.
    /// - Throws: the database's error.
    func expireUploads(untouchedSince time: WallTime) async throws -> [UploadID]
    /// All uploads in progress.
    func openUploads() async throws -> Set<UploadID>
}
