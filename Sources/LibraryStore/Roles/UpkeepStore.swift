package import LibraryAPI
package import Persistence
package import PhotoModel

/// The role of a ``MetadataStore`` for upkeep: verification, deletion, quarantine, backups and statistics.
package protocol UpkeepStore: Sendable {
    /// Counts and sizes.
    func statistics() async throws -> LibraryStatistics
    /// Content that is in the library according to its rows, one page after a digest.
    func contents(after digest: ContentDigest?, limit: Int) async throws -> [ContentRow]
    /// The content with a digest; nil if no row names it.
    func content(_ digest: ContentDigest) async throws -> ContentRow?
    /// The assets with an original, by identifier.
    func assets(holding digest: ContentDigest, limit: Int) async throws -> [AssetID]
    /// An upload's destination, from its digest and the type in its manifest.
    func address(ofUpload id: UploadID) async throws -> ContentAddress
    /// Those of the given addresses that neither a row nor an open upload needs: the digest and, of copies, this copy.
    func unwanted(_ addresses: [ContentAddress]) async throws -> [ContentAddress]
    /// Those of the given digests that an asset, or a creation in progress, needs.
    func wanted(_ digests: [ContentDigest]) async throws -> Set<ContentDigest>
    /// Deletes the row of a content that no asset uses; false if one does.
    func deleteUnusedContent(_ digest: ContentDigest) async throws -> Bool

    /// Verifies a page of receipts, after an asset, against the rows.
    func verifyReceipts(after asset: AssetID?, limit: Int) async throws -> ReceiptVerification
    /// Corrects a content's length in its row.
    func setByteCount(_ byteCount: Int64, of digest: ContentDigest) async throws
    /// Records that contents were read and match their digests.
    func setHashed(_ digests: [ContentDigest], at time: WallTime) async throws
    /// Records that a content's bytes are missing, or are back.
    func setMissing(_ digest: ContentDigest, _ isMissing: Bool) async throws
    /// Records that content was moved to the quarantine, and deletes its row.
    ///
    /// - Parameters:
    ///   - item: the content.
    ///   - isDamaged: whether to quarantine it even though rows need it.
    /// - Returns: false if several servers share the originals, and rows need it again or it is already marked.
    /// - Throws: the database's error.
    func addQuarantined(_ item: QuarantinedContent, isDamaged: Bool) async throws -> Bool
    /// Content quarantined before a time.
    func quarantined(before time: WallTime) async throws -> [QuarantinedContent]
    /// Content quarantined longer ago than this, which may be deleted: nothing will name it again.
    func expiredQuarantine(after duration: Duration) async throws -> [QuarantinedContent]
    /// The start of the age of received content; nil if no other server deletes originals.
    func receivingTime() async throws -> WallTime?
    /// Deletes the record of quarantined content, after its bytes were deleted.
    func removeQuarantined(_ fileName: String) async throws

    /// Assets in the trash of which the server learned before a time, by its own clock.
    func trashed(before time: WallTime, behind last: AssetID?, limit: Int) async throws -> [AssetID]
    /// Deletes removals from before a time that every following replica has received; returns their number.
    ///
    /// Replicas silent since `silentSince` do not count.
    func forgetRemovals(silentSince: WallTime, before time: WallTime) async throws -> Int
    /// Continues what earlier requests left to later writer turns, such as the memberships of a deleted album; returns
    /// the number of acts completed.
    func resumeTurns() async throws -> Int
    /// Refreshes the database's statistics on its rows, so that it plans queries well; quick for any number of rows.
    func refreshPlans() async throws

    /// Begins a new epoch, after a restore from a backup.
    func beginEpoch(_ epoch: LibraryEpoch) async throws
    /// Writes a consistent copy of all rows into a new file, without blocking writers.
    func copy(to path: Path) async throws
    /// Records the change up to which a backup is complete.
    func setBackupWatermark(_ number: ChangeNumber, at time: WallTime) async throws
}

extension UpkeepStore {
    /// Verifies all receipts against the rows.
    func receiptFindings() async throws -> [VerificationReport.Finding] {
        var findings: [VerificationReport.Finding] = []
        var last: AssetID?
        repeat {
            let page = try await verifyReceipts(after: last, limit: 256)
            findings += page.findings
            last = page.last
        } while last != nil
        return findings
    }
}
