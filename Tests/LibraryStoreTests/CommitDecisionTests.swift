import Authorization
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryStore

/// How an asset whose bytes have arrived is decided, from facts alone.
struct CommitDecisionTests {
    enum Outcome: Hashable {
        case refused(ErrorCode)
        case same(recordsContents: Bool)
        case renewed(recordsContents: Bool)
        case saved(AlbumDecision)
    }

    /// The caller's creation when its bytes are here.
    enum Creation {
        case unchanged, changed, gone
    }

    struct Commit: RuleCase {
        let name: String
        var manifest = RuleSample.manifest()
        var record: DecisionRecord? = RuleSample.record()
        var isAnnounced = true
        var answer: EarlierResponse?
        var needsCreation = true
        var creation = Creation.unchanged
        var isPurged = false
        let expected: Outcome
    }

    private static let draining = RuleSample.record(after: [.approved, .drainRequested])
    private static let two = RuleSample.manifest([RuleSample.resource(1), RuleSample.resource(2, .pairedVideo)])
    private static let old = RuleSample.answer(from: RuleSample.earlierEpoch)

    private static let first: [Commit] = [
        Commit(name: "a new asset", expected: .saved(.unnamed)),
        Commit(
            name: "a new asset with an album",
            manifest: RuleSample.manifest(album: .title("Gate")),
            expected: .saved(.join(.title("Gate")))
        ),
        Commit(name: "a new asset of an operator", record: nil, expected: .saved(.unnamed)),
        Commit(name: "an asset of a batch", needsCreation: false, creation: .gone, expected: .saved(.unnamed)),
        Commit(name: "a cancelled asset", creation: .gone, expected: .refused(.assetConflict)),
        Commit(name: "an asset described otherwise since", creation: .changed, expected: .refused(.assetConflict)),
        Commit(name: "an announced asset of a draining device", record: draining, expected: .saved(.unnamed)),
        Commit(
            name: "an asset that a draining device did not announce",
            record: draining,
            isAnnounced: false,
            needsCreation: false,
            expected: .refused(.denied)
        ),
        Commit(name: "an asset of a denied device", record: RuleSample.denied, expected: .refused(.denied)),
        Commit(
            name: "a cancelled asset of a denied device",
            record: RuleSample.denied,
            creation: .gone,
            expected: .refused(.assetConflict)
        ),
        Commit(name: "a purged asset", isPurged: true, expected: .refused(.assetPurged)),
        Commit(name: "a purged asset of an operator", record: nil, isPurged: true, expected: .refused(.assetPurged)),
        Commit(
            name: "an asset purged outside the device's view",
            record: RuleSample.record(.addOnly),
            isPurged: true,
            expected: .refused(.assetConflict)
        ),
        Commit(
            name: "a purged asset of a denied device",
            record: RuleSample.denied,
            isPurged: true,
            expected: .refused(.denied)
        ),
    ]

    private static let again: [Commit] = [
        Commit(name: "a repeated commit", answer: RuleSample.answer(), expected: .same(recordsContents: true)),
        Commit(
            name: "a repeated commit, whose creation is gone",
            answer: RuleSample.answer(),
            creation: .gone,
            expected: .same(recordsContents: true)
        ),
        Commit(
            name: "a repeated commit of a device denied since",
            record: RuleSample.denied,
            answer: RuleSample.answer(),
            expected: .same(recordsContents: true)
        ),
        Commit(
            name: "a repeated commit that a draining device did not announce",
            record: draining,
            isAnnounced: false,
            answer: RuleSample.answer(),
            expected: .refused(.denied)
        ),
        Commit(
            name: "a repeated commit of an asset purged since",
            answer: RuleSample.answer(),
            isPurged: true,
            expected: .same(recordsContents: false)
        ),
        Commit(name: "a repeated commit after a restore", answer: old, expected: .renewed(recordsContents: true)),
        Commit(
            name: "a repeated commit of a purged asset after a restore",
            answer: old,
            isPurged: true,
            expected: .renewed(recordsContents: false)
        ),
        Commit(
            name: "missing bytes that are sent again",
            answer: RuleSample.answer(missing: [1]),
            expected: .same(recordsContents: true)
        ),
        Commit(
            name: "missing bytes that are sent again after a restore",
            answer: RuleSample.answer(from: RuleSample.earlierEpoch, missing: [1]),
            expected: .renewed(recordsContents: true)
        ),
        Commit(
            name: "one of two missing contents",
            answer: RuleSample.answer(to: two, missing: [1, 2]),
            expected: .refused(.assetIncomplete)
        ),
        Commit(
            name: "missing bytes of an asset purged since",
            answer: RuleSample.answer(missing: [1]),
            isPurged: true,
            expected: .refused(.assetIncomplete)
        ),
        Commit(
            name: "more than was saved",
            manifest: two,
            answer: RuleSample.answer(),
            expected: .refused(.assetConflict)
        ),
        Commit(
            name: "other bytes, while those that were saved are missing",
            manifest: RuleSample.manifest([RuleSample.resource(3)]),
            answer: RuleSample.answer(missing: [1]),
            expected: .refused(.assetConflict)
        ),
    ]

    @Test("an asset whose bytes are here is saved, answered as before, or refused", arguments: first + again)
    func commit(_ line: Commit) {
        var creation: AssetManifest? = line.manifest
        switch line.creation {
        case .unchanged: break
        case .changed: creation?.caption = "changed"
        case .gone: creation = nil
        }
        let facts = CommitFacts(
            record: line.record,
            isAnnounced: line.isAnnounced,
            answer: line.answer,
            needsCreation: line.needsCreation,
            creation: creation,
            isPurged: line.isPurged,
            time: RuleSample.time
        )
        #expect(Self.outcome(line.manifest, facts) == line.expected)
    }

    private static func outcome(_ manifest: AssetManifest, _ facts: CommitFacts) -> Outcome {
        do throws(StoreError) {
            switch try CommitDecision(manifest, facts) {
            case .answer(.same, let records): return .same(recordsContents: records)
            case .answer(.renewed, let records): return .renewed(recordsContents: records)
            case .save(let album): return .saved(album)
            }
        } catch {
            return .refused(error.code)
        }
    }

    @Test("T176: a receipt answers no manifest that gives the same bytes another length or role")
    func otherRoles() throws {
        let (answer, saved) = (RuleSample.answer(), RuleSample.resource(1))
        let shorter = AssetResource(
            id: saved.id,
            type: saved.type,
            digest: saved.digest,
            byteCount: saved.byteCount - 1,
            contentType: saved.contentType
        )
        for other in [shorter, RuleSample.resource(1, .alternatePhoto)] {
            #expect(throws: StoreError.self) { try answer.requireBytes(of: RuleSample.manifest([other])) }
        }
        // Identifiers of resources may be new ones, as after an import that is repeated.
        try answer.requireBytes(of: RuleSample.manifest([RuleSample.resource(1, id: 7)]))
    }

    struct Standing: RuleCase {
        let name: String
        let record: DecisionRecord?
        /// Why an album must wait; nil if the asset joins it.
        var reason: AlbumOutcome.DeferralReason?
        /// Why nothing may be saved; nil if it may.
        var refusal: ErrorCode?
    }

    private static let standings: [Standing] = [
        Standing(name: "an operator", record: nil),
        Standing(name: "the whole library", record: RuleSample.record(.all)),
        Standing(name: "a selection", record: RuleSample.record(.selected), reason: .limited),
        Standing(name: "adding only", record: RuleSample.record(.addOnly), reason: .denied),
        Standing(
            name: "adding, and nothing else asked for",
            record: RuleSample.record(.addOnly, for: [.addOnly]),
            reason: .notDetermined
        ),
        Standing(
            name: "the whole library, a selection by policy",
            record: RuleSample.record(.all, limit: .limited),
            reason: .limited
        ),
        Standing(
            name: "the whole library, adding by policy",
            record: RuleSample.record(.all, limit: .addOnly),
            reason: .restricted
        ),
        Standing(
            name: "the whole library, nothing by policy",
            record: RuleSample.record(.all, limit: .none),
            refusal: .restricted
        ),
        Standing(name: "nothing", record: RuleSample.denied, refusal: .denied),
        Standing(
            name: "no adding, reading undecided",
            record: RuleSample.record(AccessDecision.Answer.none, for: [.addOnly]),
            refusal: .denied
        ),
        Standing(
            name: "no reading, adding undecided",
            record: RuleSample.record(AccessDecision.Answer.none, for: [.readWrite]),
            refusal: .notDetermined
        ),
        Standing(name: "undecided", record: RuleSample.record(nil), refusal: .notDetermined),
        Standing(name: "not approved", record: RuleSample.record(.all, after: []), refusal: .notDetermined),
    ]

    @Test("what a device may decides whether it saves, and whether its album waits", arguments: standings)
    func albums(_ line: Standing) {
        let wishes: [DesiredAlbum?] = [nil, DesiredAlbum.title("Gate"), DesiredAlbum.id(AlbumID(rawValue: 3))]
        for desired in wishes {
            do throws(StoreError) {
                let decision = try AlbumDecision(desired, by: line.record)
                #expect(line.refusal == nil)
                switch decision {
                case .unnamed: #expect(desired == nil)
                case .join(let album): #expect(album == desired && line.reason == nil)
                case .postpone(let album, let reason): #expect(album == desired && reason == line.reason)
                }
            } catch {
                #expect(error.code == line.refusal)
            }
        }
    }
}
