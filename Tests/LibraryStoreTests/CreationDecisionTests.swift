import Authorization
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryStore

/// How a described asset is decided, from facts alone.
struct CreationDecisionTests {
    enum Outcome: Hashable {
        case refused(ErrorCode)
        case same, renewed, described
    }

    struct Creation: RuleCase {
        let name: String
        var manifest = RuleSample.manifest()
        var record: DecisionRecord? = RuleSample.record()
        var isAnnounced = true
        var answer: EarlierResponse?
        let expected: Outcome
    }

    private static let draining = RuleSample.record(after: [.approved, .drainRequested])
    private static let two = RuleSample.manifest([RuleSample.resource(1), RuleSample.resource(2, .pairedVideo)])

    private static let creations: [Creation] = [
        Creation(name: "a new asset", expected: .described),
        Creation(name: "a new one of an operator", record: nil, expected: .described),
        // Whether a device may save is decided when the bytes are here.
        Creation(name: "a new one of a denied device", record: RuleSample.denied, expected: .described),
        Creation(name: "an announced one of a draining device", record: draining, expected: .described),
        Creation(
            name: "one that a draining device did not announce",
            record: draining,
            isAnnounced: false,
            expected: .refused(.denied)
        ),
        Creation(
            name: "the same of a draining device that may not save, which is told so when its bytes are here",
            record: RuleSample.record(AccessDecision.Answer.none, after: [.approved, .drainRequested]),
            isAnnounced: false,
            expected: .described
        ),
        Creation(
            name: "the same of one that may, refused before its bytes are compared",
            manifest: two,
            record: draining,
            isAnnounced: false,
            answer: RuleSample.answer(),
            expected: .refused(.denied)
        ),
        Creation(name: "one that was saved", answer: RuleSample.answer(), expected: .same),
        Creation(name: "one that an operator saved", record: nil, answer: RuleSample.answer(), expected: .same),
        Creation(
            name: "one that was saved, by a device denied since",
            record: RuleSample.denied,
            answer: RuleSample.answer(),
            expected: .same
        ),
        Creation(
            name: "one that was saved before a restore",
            answer: RuleSample.answer(from: RuleSample.earlierEpoch),
            expected: .renewed
        ),
        Creation(name: "a part of what was saved", answer: RuleSample.answer(to: two), expected: .same),
        Creation(
            name: "more than was saved",
            manifest: two,
            answer: RuleSample.answer(),
            expected: .refused(.assetConflict)
        ),
        Creation(
            name: "more than was saved, before a restore",
            manifest: two,
            answer: RuleSample.answer(from: RuleSample.earlierEpoch),
            expected: .refused(.assetConflict)
        ),
        Creation(name: "one whose bytes are missing", answer: RuleSample.answer(missing: [1]), expected: .described),
        Creation(
            name: "a part of one whose other bytes are missing",
            answer: RuleSample.answer(to: two, missing: [2]),
            expected: .described
        ),
        Creation(
            name: "one whose bytes are missing, since a restore",
            answer: RuleSample.answer(from: RuleSample.earlierEpoch, missing: [1]),
            expected: .described
        ),
        Creation(
            name: "other bytes, while those that were saved are missing",
            manifest: RuleSample.manifest([RuleSample.resource(3)]),
            answer: RuleSample.answer(missing: [1]),
            expected: .described
        ),
    ]

    @Test("a described asset is answered, described, or refused", arguments: creations)
    func creation(_ line: Creation) {
        #expect(Self.outcome(line) == line.expected)
    }

    private static func outcome(_ line: Creation) -> Outcome {
        let facts = CreationFacts(
            record: line.record,
            isAnnounced: line.isAnnounced,
            answer: line.answer,
            time: RuleSample.time
        )
        do throws(StoreError) {
            switch try CreationDecision(line.manifest, facts) {
            case .answer(.same): return .same
            case .answer(.renewed): return .renewed
            case .describe: return .described
            }
        } catch {
            return .refused(error.code)
        }
    }

    @Test("a receipt is issued again under the new epoch and time, and says what it said before")
    func renewal() {
        let outcome = AlbumOutcome.applied(AlbumID(rawValue: 3))
        let answer = RuleSample.answer(from: RuleSample.earlierEpoch, album: outcome)
        guard case .renewed(let receipt, let album)? = answer.repetition(at: RuleSample.time) else {
            Issue.record("the receipt is the same")
            return
        }
        let earlier = answer.response.receipt.receipt
        #expect(receipt.libraryEpoch == RuleSample.epoch && receipt.time == RuleSample.time && album == outcome)
        #expect(receipt.libraryID == earlier.libraryID && receipt.deviceID == earlier.deviceID)
        #expect(receipt.assetID == earlier.assetID && receipt.changeNumber == earlier.changeNumber)
        #expect(receipt.resources == earlier.resources)
        let same = RuleSample.answer(album: outcome)
        #expect(same.repetition(at: RuleSample.time) == .same(same.response))
    }

    enum UploadOutcome: Hashable {
        case refused(ErrorCode)
        case opened, kept
    }

    struct Upload: RuleCase {
        let name: String
        var manifest = RuleSample.manifest()
        var isEdit = false
        var isPurged = false
        var usage: DeviceUsage?
        var earlier: AssetManifest?
        var openUploads = 0
        let expected: UploadOutcome
    }

    /// Three assets, 300 bytes, and four open uploads.
    private static let limits: StoreLimits = {
        var limits = StoreLimits()
        limits.assets = 3
        limits.bytes = 300
        limits.openUploads = 4
        return limits
    }()

    private static let full = DeviceUsage(assets: 3, bytes: 0)
    private static let other = RuleSample.manifest([RuleSample.resource(3)])

    private static let uploads: [Upload] = [
        Upload(name: "a new description", expected: .opened),
        Upload(name: "a purged asset", isPurged: true, expected: .refused(.assetPurged)),
        Upload(name: "a purged asset beyond the quota", isPurged: true, usage: full, expected: .refused(.assetPurged)),
        Upload(name: "the last asset", usage: DeviceUsage(assets: 2, bytes: 200), expected: .opened),
        Upload(name: "an asset too many", usage: full, expected: .refused(.quotaExceeded)),
        Upload(name: "an edit beside as many assets", isEdit: true, usage: full, expected: .opened),
        Upload(name: "a byte too many", usage: DeviceUsage(assets: 0, bytes: 201), expected: .refused(.quotaExceeded)),
        Upload(
            name: "an edit with a byte too many",
            isEdit: true,
            usage: DeviceUsage(assets: 0, bytes: 201),
            expected: .refused(.quotaExceeded)
        ),
        Upload(
            name: "all bytes that can be counted",
            usage: DeviceUsage(assets: 0, bytes: .max),
            expected: .refused(.quotaExceeded)
        ),
        Upload(name: "the same again", earlier: RuleSample.manifest(), expected: .kept),
        Upload(
            name: "the same in another order, for another album",
            manifest: RuleSample.manifest(two.resources.reversed(), album: .title("Gate")),
            earlier: two,
            expected: .kept
        ),
        Upload(name: "other resources", earlier: other, expected: .refused(.assetConflict)),
        Upload(name: "fewer resources", earlier: two, expected: .refused(.assetConflict)),
        Upload(
            name: "other resources beyond the quota",
            usage: full,
            earlier: other,
            expected: .refused(.quotaExceeded)
        ),
        Upload(name: "the last upload", openUploads: 3, expected: .opened),
        Upload(name: "an upload too many", openUploads: 4, expected: .refused(.slowDown)),
        Upload(name: "one of two uploads too many", manifest: two, openUploads: 3, expected: .refused(.slowDown)),
    ]

    @Test("a description opens uploads, keeps those that are open, or is refused", arguments: uploads)
    func upload(_ line: Upload) {
        let facts = UploadFacts(
            isPurged: line.isPurged,
            usage: line.usage,
            earlier: line.earlier,
            openUploads: line.openUploads
        )
        let outcome: UploadOutcome
        do throws(StoreError) {
            switch try UploadDecision(line.manifest, isEdit: line.isEdit, facts, within: Self.limits) {
            case .open: outcome = .opened
            case .keep: outcome = .kept
            }
        } catch {
            outcome = .refused(error.code)
        }
        #expect(outcome == line.expected)
    }

    @Test("who does not see everything is not told that an asset was purged, unless its bytes made the identifier")
    func purged() {
        let derived = AssetID.derived(from: RuleSample.digest(1))
        let lines: [(DecisionRecord?, ErrorCode)] = [
            (nil, .assetPurged), (RuleSample.record(.all), .assetPurged),
            (RuleSample.record(.selected), .assetConflict), (RuleSample.record(.addOnly), .assetConflict),
            (RuleSample.record(nil), .assetConflict),
        ]
        for (record, code) in lines {
            #expect(StoreError.purged(RuleSample.asset, for: record).code == code)
            #expect(StoreError.purged(derived, for: record).code == .assetPurged)
        }
        let taken = StoreError.identifierTaken(RuleSample.asset)
        #expect(StoreError.purged(RuleSample.asset, for: RuleSample.record(.selected)).message == taken.message)
    }
}
