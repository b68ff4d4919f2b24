import Authorization
import LibraryAPI
import PhotoModel

/// What the rows say of an asset whose bytes a caller has sent.
struct CommitFacts: Sendable {
    /// The caller's record; nil for operators.
    let record: DecisionRecord?
    /// Whether a draining device announced the asset, or had begun to send it before; true for all others.
    let isAnnounced: Bool
    /// The response that the caller got for the asset before; nil if there is none.
    let answer: EarlierResponse?
    /// Whether the caller must have described the asset; false for batches.
    let needsCreation: Bool
    /// The manifest of the caller's creation; nil if there is none.
    let creation: AssetManifest?
    /// Whether the asset was purged.
    let isPurged: Bool
    /// The server's time.
    let time: WallTime
}

/// What to do with an asset whose bytes a caller has sent.
enum CommitDecision: Hashable, Sendable {
    /// It was saved before. Its bytes were sent again because some were missing, and are recorded unless it was purged
    /// since: then nothing is stored.
    case answer(EarlierResponse.Repetition, recordsContents: Bool)
    /// It may be saved. `CommitWrites` decides what is written, by rows that other requests need not read.
    case save(AlbumDecision)

    /// Decides, in the transaction in which the facts were read.
    ///
    /// - Throws: the first refusal.
    init(_ manifest: AssetManifest, _ facts: CommitFacts) throws(StoreError) {
        try facts.record?.requireAnnounced(manifest.id, facts.isAnnounced)
        if let answer = facts.answer {
            try answer.requireBytes(of: manifest)
            let sent: Set<ContentDigest> = facts.isPurged ? [] : Set(manifest.resources.map(\.digest))
            guard let repetition = answer.repetition(publishing: sent, at: facts.time) else {
                throw StoreError(
                    .assetIncomplete,
                    "Bytes of the asset are missing here: describe it again and send all of it.",
                    about: manifest.id.description
                )
            }
            self = .answer(repetition, recordsContents: !facts.isPurged)
            return
        }
        if facts.needsCreation { try manifest.requireCreation(facts.creation) }
        let album = try AlbumDecision(manifest.desiredAlbum, by: facts.record)
        guard !facts.isPurged else { throw StoreError.purged(manifest.id, for: facts.record) }
        self = .save(album)
    }
}

extension AssetManifest {
    /// Refuses what its caller has described otherwise since, or not any more.
    ///
    /// - Throws: `assetConflict`.
    func requireCreation(_ creation: AssetManifest?) throws(StoreError) {
        guard creation == self else {
            throw StoreError(
                .assetConflict,
                "The asset was cancelled or described again meanwhile: request its uploads again.",
                about: id.description
            )
        }
    }
}

/// What becomes of the album that a saved asset should join.
enum AlbumDecision: Hashable, Sendable {
    /// None was named.
    case unnamed
    /// The asset joins it.
    case join(DesiredAlbum)
    /// The request is kept until a decision allows it.
    case postpone(DesiredAlbum, AlbumOutcome.DeferralReason)

    /// Decides by the device's statuses, which also say whether it may save at all; operators may do everything.
    ///
    /// - Throws: `authorization.denied`, `notDetermined` or `restricted` if it may not.
    init(_ desired: DesiredAlbum?, by record: DecisionRecord?) throws(StoreError) {
        let reason = try Self.deferralReason(wantsAlbum: desired != nil, record)
        guard let desired else {
            self = .unnamed
            return
        }
        if let reason {
            self = .postpone(desired, reason)
        } else {
            self = .join(desired)
        }
    }

    /// Why an album must wait; nil if it need not.
    private static func deferralReason(
        wantsAlbum: Bool,
        _ record: DecisionRecord?
    ) throws(StoreError) -> AlbumOutcome.DeferralReason? {
        guard let record else { return nil }
        let decision = SaveDecision(
            readWrite: record.access.readWrite,
            addOnly: record.access.addOnly,
            wantsAlbum: wantsAlbum
        )
        guard case .hold = decision.placement else {
            let reason = AlbumOutcome.DeferralReason(rawValue: record.access.readWrite.name)
            return decision.defersAlbum ? reason : nil
        }
        let code: ErrorCode =
            switch record.access.addOnly {
            case .restricted: .restricted
            case .denied: .denied
            case .notDetermined, .authorized, .limited: .notDetermined
            }
        throw StoreError(code, "Saving is not allowed now: keep the capture until that changes.")
    }
}
