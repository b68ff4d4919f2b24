import Authorization
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryStore

/// What a commit writes of an asset that is new, or that somebody saved before, from facts alone.
struct CommitWritesTests {
    enum Outcome: Hashable {
        case refused(ErrorCode)
        /// Refused like every identifier that another asset has.
        case taken
        case new
        /// The bytes of the asset's resources, and whether it joins an album that an operator assigned to the device.
        case merged([UInt8], joins: Bool)
    }

    struct Save: RuleCase {
        let name: String
        var manifest = RuleSample.manifest()
        var record: DecisionRecord? = RuleSample.record()
        var earlier: Asset?
        var usage: DeviceUsage?
        let expected: Outcome
    }

    private static let limits: StoreLimits = {
        var limits = StoreLimits()
        limits.assets = 3
        return limits
    }()

    private static let imported = AssetID.derived(from: RuleSample.digest(1))
    private static let still = RuleSample.resource(1)
    private static let movie = RuleSample.resource(2, .pairedVideo)
    private static let addOnly = RuleSample.record(.addOnly)
    private static let full = DeviceUsage(assets: 3, bytes: 0)

    /// An asset as a device saved it before.
    private static func saved(
        _ resources: [AssetResource] = [still],
        id: AssetID = RuleSample.asset,
        by device: DeviceID = RuleSample.otherDevice
    ) -> Asset {
        var asset = RuleSample.manifest(resources, id: id).asset
        asset.deviceID = device
        asset.title = "of a person"
        asset.additionDate = RuleSample.time.advanced(by: .seconds(-60))
        return asset
    }

    /// A manifest of the still with another resource.
    private static func with(_ resource: AssetResource, id: AssetID = RuleSample.asset) -> AssetManifest {
        RuleSample.manifest([still, resource], id: id)
    }

    private static let same: [Save] = [
        Save(name: "a new asset", expected: .new),
        Save(name: "a new asset of a device that only adds", record: addOnly, expected: .new),
        Save(name: "another's asset, seen", earlier: saved(), expected: .merged([1], joins: true)),
        Save(name: "one of a device, by operators", record: nil, earlier: saved(), expected: .merged([1], joins: true)),
        Save(
            name: "another's asset, not seen",
            record: addOnly,
            earlier: saved(),
            expected: .merged([1], joins: false)
        ),
        Save(
            name: "the device's own asset",
            record: addOnly,
            earlier: saved(by: RuleSample.device),
            expected: .merged([1], joins: true)
        ),
        Save(
            name: "an asset in the device's selection",
            record: RuleSample.record(.selected, selecting: [RuleSample.asset]),
            earlier: saved(),
            expected: .merged([1], joins: true)
        ),
        Save(
            name: "the same bytes under another identifier",
            manifest: RuleSample.manifest([RuleSample.resource(1, id: 9)]),
            record: addOnly,
            earlier: saved(),
            expected: .merged([1], joins: false)
        ),
        Save(
            name: "a part of an asset",
            record: addOnly,
            earlier: saved([still, movie]),
            expected: .merged([1, 2], joins: false)
        ),
    ]

    private static let more: [Save] = [
        Save(
            name: "another's asset gets a movie from who sees it",
            manifest: with(movie),
            earlier: saved(),
            expected: .merged([1, 2], joins: true)
        ),
        Save(
            name: "another's asset gets no movie from who does not",
            manifest: with(movie),
            record: addOnly,
            earlier: saved(),
            expected: .taken
        ),
        Save(
            name: "nor from who sees others",
            manifest: with(movie),
            record: RuleSample.record(.selected, selecting: [AssetID(rawValue: 0xA2)]),
            earlier: saved(),
            expected: .taken
        ),
        Save(
            name: "nor from who only adds, whatever was selected",
            manifest: with(movie),
            record: RuleSample.record(.addOnly, selecting: [RuleSample.asset]),
            earlier: saved(),
            expected: .taken
        ),
        Save(
            name: "the device's own asset gets a movie",
            manifest: with(movie),
            record: addOnly,
            earlier: saved(by: RuleSample.device),
            expected: .merged([1, 2], joins: true)
        ),
        Save(
            name: "an imported photo gets its movie from who does not see it",
            manifest: with(movie, id: imported),
            record: addOnly,
            earlier: saved(id: imported),
            expected: .merged([1, 2], joins: false)
        ),
        Save(
            name: "an imported photo gets no second raw file from who does not see it",
            manifest: with(RuleSample.resource(5, .alternatePhoto), id: imported),
            record: addOnly,
            earlier: saved([still, RuleSample.resource(4, .alternatePhoto)], id: imported),
            expected: .taken
        ),
        Save(
            name: "nor two at once",
            manifest: RuleSample.manifest(
                [still, RuleSample.resource(4, .alternatePhoto), RuleSample.resource(5, .alternatePhoto)],
                id: imported
            ),
            record: addOnly,
            earlier: saved(id: imported),
            expected: .taken
        ),
        Save(
            name: "nor another kind of file",
            manifest: with(RuleSample.resource(7, .adjustmentData), id: imported),
            record: addOnly,
            earlier: saved(id: imported),
            expected: .taken
        ),
        Save(
            name: "who sees it adds a second raw file",
            manifest: with(RuleSample.resource(5, .alternatePhoto)),
            earlier: saved([still, RuleSample.resource(4, .alternatePhoto)]),
            expected: .merged([1, 4, 5], joins: true)
        ),
        Save(
            name: "nobody adds a second movie",
            manifest: with(RuleSample.resource(3, .pairedVideo)),
            record: nil,
            earlier: saved([still, movie]),
            expected: .taken
        ),
        Save(
            name: "nobody changes a resource",
            manifest: RuleSample.manifest([still, RuleSample.resource(3, .pairedVideo, id: 2)]),
            record: nil,
            earlier: saved([still, movie]),
            expected: .taken
        ),
        Save(
            name: "nobody saves another photo",
            manifest: RuleSample.manifest([RuleSample.resource(3)]),
            record: nil,
            earlier: saved(),
            expected: .taken
        ),
        Save(
            name: "nobody saves an edit",
            manifest: with(RuleSample.resource(5, .fullSizePhoto)),
            record: nil,
            earlier: saved(),
            expected: .refused(.assetConflict)
        ),
        Save(
            name: "how an edit was made is kept",
            manifest: with(RuleSample.resource(7, .adjustmentData)),
            record: nil,
            earlier: saved(),
            expected: .merged([1, 7], joins: true)
        ),
        Save(name: "an asset beyond the quota", usage: full, expected: .refused(.quotaExceeded)),
        Save(
            name: "another's asset beyond the quota",
            earlier: saved(),
            usage: full,
            expected: .refused(.quotaExceeded)
        ),
        Save(
            name: "a taken identifier beyond the quota",
            manifest: with(movie),
            record: addOnly,
            earlier: saved(),
            usage: full,
            expected: .taken
        ),
    ]

    @Test("saving makes an asset, adds to one, or is refused", arguments: same + more)
    func save(_ line: Save) {
        let facts = SavingFacts(
            record: line.record,
            earlier: line.earlier,
            usage: line.usage,
            time: RuleSample.time
        )
        #expect(Self.outcome(line.manifest, facts) == line.expected)
    }

    private static func outcome(_ manifest: AssetManifest, _ facts: SavingFacts) -> Outcome {
        do throws(StoreError) {
            let writes = try CommitWrites(manifest, facts, within: limits)
            guard !writes.isNew else { return .new }
            let numbers = (UInt8.min...UInt8.max).filter { number in
                writes.asset.resources.contains { $0.digest == RuleSample.digest(number) }
            }
            return .merged(numbers, joins: writes.joinsAssignedAlbum)
        } catch {
            let isTaken = error.message == StoreError.identifierTaken(manifest.id).message
            return isTaken ? .taken : .refused(error.code)
        }
    }

    @Test("a new asset is the manifest's, added now; one that exists keeps what people wrote, and becomes live")
    func values() throws {
        let manifest = Self.with(Self.movie)
        var facts = SavingFacts(record: Self.addOnly, earlier: nil, usage: nil, time: RuleSample.time)
        let new = try CommitWrites(manifest, facts, within: Self.limits)
        var expected = manifest.asset
        expected.additionDate = RuleSample.time
        #expect(new.asset == expected && new.isNew && new.joinsAssignedAlbum)

        let earlier = Self.saved(by: RuleSample.device)
        #expect(!earlier.isLivePhoto)
        facts = SavingFacts(record: Self.addOnly, earlier: earlier, usage: nil, time: RuleSample.time)
        let merged = try CommitWrites(manifest, facts, within: Self.limits)
        #expect(merged.asset.isLivePhoto && merged.asset.playbackStyle == .livePhoto)
        #expect(merged.asset.title == earlier.title && merged.asset.additionDate == earlier.additionDate)
        #expect(merged.asset.resources == [Self.still, Self.movie] && !merged.isNew)
    }
}
