import Authorization
import LibraryAPI
import PhotoModel

/// What the rows say of an asset that a caller describes.
struct CreationFacts: Sendable {
    /// The caller's record; nil for operators.
    let record: DecisionRecord?
    /// Whether a draining device announced the asset, or had begun to send it before; true for all others.
    let isAnnounced: Bool
    /// The response that the caller got for the asset before; nil if there is none.
    let answer: EarlierResponse?
    /// The server's time.
    let time: WallTime
}

/// What to do with an asset that a caller describes.
enum CreationDecision: Hashable, Sendable {
    /// It was saved before, and all of its bytes are here.
    case answer(EarlierResponse.Repetition)
    /// Its bytes are needed. `UploadDecision` decides what is written, by rows that other requests need not read.
    case describe

    /// Decides, in the transaction in which the facts were read.
    ///
    /// - Throws: the first refusal.
    init(_ manifest: AssetManifest, _ facts: CreationFacts) throws(StoreError) {
        try facts.record?.requireAnnounced(manifest.id, facts.isAnnounced)
        guard let answer = facts.answer, let repetition = answer.repetition(at: facts.time) else {
            self = .describe
            return
        }
        try answer.requireBytes(of: manifest)
        self = .answer(repetition)
    }
}

/// What the rows say of the uploads of a caller who describes an asset or an edit.
struct UploadFacts: Sendable {
    /// Whether an operator describes an asset that was purged.
    ///
    /// A device that did not save it learns of the purge only once its bytes are here: until then, the library's
    /// contents are none of its business.
    let isPurged: Bool
    /// What counts for the device already; nil for callers without a quota.
    let usage: DeviceUsage?
    /// What the caller's open uploads of the asset were created for; nil if there are none.
    let earlier: AssetManifest?
    /// The number of the caller's open uploads; 0 if there are some of this asset, since none is added then.
    let openUploads: Int
}

/// What to write for a description.
enum UploadDecision: Hashable, Sendable {
    /// The manifest, and an upload for each of its resources.
    case open
    /// The manifest alone: its uploads are open already.
    case keep

    /// Decides, in the transaction in which the facts were read.
    ///
    /// - Throws: the first refusal.
    init(
        _ manifest: AssetManifest,
        isEdit: Bool = false,
        _ facts: UploadFacts,
        within limits: StoreLimits
    ) throws(StoreError) {
        if facts.isPurged { throw StoreError.purged(manifest.id, for: nil) }
        try limits.requireRoom(for: manifest, isEdit: isEdit, beside: facts.usage)
        if let earlier = facts.earlier {
            guard Set(earlier.resources) == Set(manifest.resources) else {
                throw StoreError(
                    .assetConflict,
                    "The asset was described with other resources: cancel its uploads, or use a new identifier.",
                    about: manifest.id.description
                )
            }
            self = .keep
            return
        }
        guard facts.openUploads + manifest.resources.count <= limits.openUploads else {
            throw StoreError(.slowDown, "At most \(limits.openUploads) uploads may be open: finish or cancel some.")
        }
        self = .open
    }
}

extension DecisionRecord {
    /// Refuses an asset that a draining device neither announced nor had begun to send before.
    ///
    /// - Throws: `authorization.denied`, with how to keep the device.
    func requireAnnounced(_ asset: AssetID, _ isAnnounced: Bool) throws(StoreError) {
        guard state == .draining else { return }
        let verdict = decide(
            route: .createAsset,
            caller: Caller(device: self, isExpired: false),
            object: isAnnounced ? .own : .nonexistent
        )
        guard verdict.denial == .draining else { return }
        throw StoreError(Denial.draining, about: asset.description)
    }
}

extension StoreError {
    /// The identifier is a purged asset's.
    ///
    /// A device that does not see everything is told no more than for an asset outside its view. An identifier derived
    /// from a picture says that this picture was here, which only who has its bytes gets to know.
    static func purged(_ id: AssetID, for record: DecisionRecord?) -> StoreError {
        guard id.isDerived || record?.view ?? .everything == .everything else { return .identifierTaken(id) }
        return StoreError(
            .assetPurged,
            "The asset was permanently deleted here, and does not come back by itself: to have it again, save it "
                + "under a new identifier.",
            about: id.description
        )
    }
}
