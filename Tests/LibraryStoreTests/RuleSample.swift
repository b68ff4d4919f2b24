import Authorization
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import LibraryStore

/// The values of the rules' tables of cases; nothing here opens a database, since the rules need none.
enum RuleSample {
    static let device = DeviceID(rawValue: 0xD1)
    static let otherDevice = DeviceID(rawValue: 0xD2)
    static let asset = AssetID(rawValue: 0xA1)
    static let epoch = LibraryEpoch(rawValue: 0xE2)
    static let earlierEpoch = LibraryEpoch(rawValue: 0xE1)
    static let time = WallTime(microsecondsSince1970: 1_750_000_000_000_000)

    /// The record of the device if it was denied everything.
    static let denied = record(AccessDecision.Answer.none)

    /// The digest of the bytes with a number.
    static func digest(_ bytes: UInt8) -> ContentDigest { ContentHasher.digest([bytes]) }

    /// A resource with a number's bytes, and the same number as its identifier.
    static func resource(_ bytes: UInt8, _ type: AssetResourceType = .photo, id: UInt128? = nil) -> AssetResource {
        AssetResource(
            id: ResourceID(rawValue: id ?? UInt128(bytes)),
            type: type,
            digest: digest(bytes),
            byteCount: 100,
            contentType: "image/jpeg"
        )
    }

    /// A photo's manifest, as completed for the device.
    static func manifest(
        _ resources: [AssetResource] = [RuleSample.resource(1)],
        id: AssetID = RuleSample.asset,
        album: DesiredAlbum? = nil
    ) -> AssetManifest {
        var manifest = AssetManifest(
            id: id,
            mediaType: .image,
            captureTime: CaptureTime(wall: time, source: .deviceClock, isSynchronized: true),
            desiredAlbum: album,
            resources: resources
        )
        manifest.deviceID = device
        return manifest
    }

    /// The device's record after these decisions; nil as the answer leaves both levels undecided.
    static func record(
        _ answer: AccessDecision.Answer? = .all,
        for levels: Set<AccessLevel> = Set(AccessLevel.allCases),
        after events: [DeviceEvent] = [.approved],
        limit: Ceiling.Limit = .readWrite,
        selecting assets: Set<AssetID> = []
    ) -> DecisionRecord {
        var changes: [DecisionRecord.Change] = events.map { .state($0) }
        if let answer { changes.append(.answer(answer, for: levels)) }
        changes.append(.ceiling(Ceiling(name: "policy", limit: limit)))
        changes.append(.selection(Selection(assets: assets)))
        var record = DecisionRecord(device: device, at: time)
        for change in changes {
            let proposed = try? record.proposing(change, by: .administrator("ana"), at: time, reason: "test")
            guard let next = try? proposed?.recorded(by: { _, _, _ in }) else { continue }
            record = next
        }
        return record
    }

    /// The response to an earlier commit of a manifest.
    static func answer(
        to manifest: AssetManifest = RuleSample.manifest(),
        from epoch: LibraryEpoch = RuleSample.epoch,
        missing: Set<UInt8> = [],
        album: AlbumOutcome? = nil
    ) -> EarlierResponse {
        let receipt = Receipt(
            libraryID: LibraryID(rawValue: 0x1B),
            libraryEpoch: epoch,
            deviceID: device,
            assetID: manifest.id,
            changeNumber: ChangeNumber(rawValue: 5),
            time: time.advanced(by: .seconds(-60)),
            resources: manifest.resources.map(Receipt.Resource.init)
        )
        return EarlierResponse(
            response: CommitResponse(
                receipt: SignedReceipt(receipt: receipt, keyID: "test", signature: [1, 2, 3]),
                album: album
            ),
            epoch: RuleSample.epoch,
            missing: Set(missing.map(digest))
        )
    }
}

/// A line of a table of cases.
protocol RuleCase: CustomTestStringConvertible, Sendable {
    var name: String { get }
}

extension RuleCase {
    var testDescription: String { name }
}
