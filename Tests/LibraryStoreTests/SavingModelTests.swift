import Authorization
import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import PhotoModel
import TestSupport
import Testing

struct SavingModelTests {
    @Test("However callers describe, save, purge, lose and restore, each answer is the one that a small model gives")
    func stories() async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        for number in 0..<3 * (environmentNumber("TINTYPE_CASES") ?? 1) {
            var story = try await SavingStory(seed: seed &+ number)
            for _ in 0..<100 { try await story.step() }
            try await story.compare()
            guard !story.problems.isEmpty else { continue }
            let steps = story.steps.joined(separator: "\n")
            Issue.record("\(story.problems) (replay: TINTYPE_SEED=\(seed &+ number))\n\(steps)")
            return
        }
    }
}

/// Random acts on a library in SQLite, and on the model of it.
private struct SavingStory {
    private typealias Key = SavingModel.Key

    private(set) var steps: [String] = []
    private(set) var problems: [String] = []
    private let fixture: StoreFixture
    private let store: LibraryStore
    private var generator: SeededGenerator
    private var model = SavingModel()
    private var receipts: [Key: CommitResponse] = [:]
    private var uploads: [Key: UploadID] = [:]
    private let administrator = StoreCaller.administrator("ana")
    private static let devices = [StoreFixture.device, StoreFixture.otherDevice]

    init(seed: UInt64) async throws {
        fixture = try StoreFixture(seed: seed)
        generator = SeededGenerator(seed: seed)
        store = try await fixture.create()
        let selection = Selection(assets: [Self.id(SavingModel.selected)])
        for saver in Self.devices.indices { try await decide(saver, .selection(selection)) }
        _ = try await metadata.updateProfile(of: StoreFixture.device, closing: [], audit: nil) {
            $0.album = SavingModel.assigned
        }
    }

    private var metadata: any MetadataStore { store.metadata }

    private static func id(_ photo: Int) -> AssetID {
        photo == SavingModel.imported
            ? .derived(from: PhotoPart.still.resource.digest) : AssetID(rawValue: UInt128(1000 + photo))
    }

    private func caller(_ key: Key) -> StoreCaller {
        key.saver == SavingModel.operators ? administrator : .device(Self.devices[key.saver])
    }

    private func manifest(_ key: Key, _ description: SavingModel.Description) -> AssetManifest {
        let parts = description.parts.sorted { $0.rawValue < $1.rawValue }
        var manifest = RuleSample.manifest(
            parts.map(\.resource),
            id: Self.id(key.photo),
            album: description.wantsAlbum ? .title(SavingModel.named) : nil
        )
        manifest.deviceID = nil
        return manifest
    }

    /// One random act.
    mutating func step() async throws {
        let key = Key(saver: generator.below(3), photo: generator.below(SavingModel.photoCount))
        let random = randomDescription(of: key.photo)
        switch generator.below(16) {
        case 0, 1, 2, 3: try await create(key, random)
        case 4, 5, 6, 7, 8:
            let described = generator.oneIn(5) ? nil : model.creations[key]
            try await commit(key, described ?? random, isBatch: false)
        case 9, 10: try await commit(key, random, isBatch: true)
        case 11: try await cancel(key)
        case 12 where key.saver != SavingModel.operators: try await decideAnew(key.saver)
        case 13 where key.saver != SavingModel.operators: try await drain(key.saver)
        case 14:
            let (part, isBack) = (generator.pick(PhotoPart.allCases), generator.oneIn(3))
            try await setMissing(part, !isBack)
        default: try await endSomething(key.photo)
        }
    }

    private mutating func randomDescription(of photo: Int) -> SavingModel.Description {
        var shapes: [Set<PhotoPart>] = [
            [.still], [.still], [.still, .movie], [.still, .raw], [.still, .otherMovie], [.still, .movie, .raw],
        ]
        if photo != SavingModel.imported { shapes.append([.otherStill]) }
        return SavingModel.Description(parts: generator.pick(shapes), wantsAlbum: generator.oneIn(3))
    }

    private mutating func create(_ key: Key, _ description: SavingModel.Description) async throws {
        let expected = model.create(key, description)
        let answer: SavingModel.Answer
        do {
            let response = try await metadata.create(manifest(key, description), by: caller(key))
            uploads[key] = response.uploads.first?.id ?? uploads[key]
            if let receipt = response.receipt {
                answer = repeated(key, CommitResponse(receipt: receipt, album: response.album))
            } else {
                answer = .uploads(response.uploads.count)
            }
        } catch {
            answer = .refused(StoreError.wrapping(error).code)
        }
        check("create \(key) \(description)", answer, expected)
    }

    private mutating func commit(_ key: Key, _ description: SavingModel.Description, isBatch: Bool) async throws {
        let expected = model.commit(key, description, isBatch: isBatch)
        let sent = manifest(key, description)
        let request = CommitRequest(manifest: sent, caller: caller(key), needsCreation: !isBatch)
        let answer: SavingModel.Answer
        switch await metadata.commit([request])[0] {
        case .success(let committed) where receipts[key] != nil: answer = repeated(key, committed.response)
        case .success(let committed):
            let response = committed.response
            receipts[key] = response
            let receipt = response.receipt.receipt
            let isWhole = receipt.covers(sent.id, resources: sent.resources) && receipt.deviceID == caller(key).deviceID
            let album = try await album(response.album)
            answer = isWhole ? .saved(album) : .uploads(-1)
        case .failure(let error): answer = .refused(StoreError.wrapping(error).code)
        }
        check("commit \(key) \(description) \(isBatch ? "in a batch" : "")", answer, expected)
    }

    /// What a response is to the one before; it replaces it.
    private mutating func repeated(_ key: Key, _ response: CommitResponse) -> SavingModel.Answer {
        guard let earlier = receipts[key] else { return .saved(.unnamed) }
        receipts[key] = response
        guard response != earlier else { return .same }
        let (old, new) = (earlier.receipt.receipt, response.receipt.receipt)
        let saysTheSame = old.resources == new.resources && old.changeNumber == new.changeNumber
        return saysTheSame && old.libraryEpoch != new.libraryEpoch && earlier.album == response.album
            ? .renewed : .uploads(-1)
    }

    private func album(_ outcome: AlbumOutcome?) async throws -> SavingModel.Album {
        switch outcome {
        case nil: return .unnamed
        case .deferred(let reason): return .deferred(reason.rawValue)
        case .applied(let id): return .applied(try await title(of: id))
        case .created(let id): return .created(try await title(of: id))
        }
    }

    private func title(of album: AlbumID) async throws -> String {
        try await metadata.album(album)?.title ?? "no album"
    }

    private mutating func cancel(_ key: Key) async throws {
        guard model.creations[key] != nil, let upload = uploads[key] else { return }
        steps.append("cancel \(key)")
        model.creations[key] = nil
        _ = try await metadata.cancel(upload, by: caller(key))
    }

    private func decide(_ saver: Int, _ change: DecisionRecord.Change) async throws {
        _ = try await metadata.decide(
            Self.devices[saver],
            change,
            by: .administrator("ana"),
            reason: "test",
            audit: AuditContext()
        )
    }

    private mutating func decideAnew(_ saver: Int) async throws {
        let grant = generator.pick(SavingModel.Grant.allCases)
        steps.append("grant \(saver) \(grant)")
        model.grants[saver] = grant
        let both = Set(AccessLevel.allCases)
        switch grant {
        case .all: try await decide(saver, .answer(.all, for: both))
        case .selected: try await decide(saver, .answer(.selected, for: both))
        case .addOnly: try await decide(saver, .answer(.addOnly, for: both))
        case .nothing: try await decide(saver, .answer(.none, for: both))
        case .undecided: try await decide(saver, .reset)
        }
    }

    /// Retires a device, lets it announce some photos, or takes that back.
    private mutating func drain(_ saver: Int) async throws {
        guard model.draining.contains(saver) else {
            steps.append("drain \(saver)")
            model.draining.insert(saver)
            return try await decide(saver, .state(.drainRequested))
        }
        guard model.announced[saver] == nil, generator.oneIn(2) else {
            steps.append("keep \(saver)")
            model.draining.remove(saver)
            model.announced[saver] = nil
            return try await decide(saver, .state(.drainCancelled))
        }
        let photos = (0..<SavingModel.photoCount).filter { _ in generator.oneIn(2) }
        steps.append("announce \(saver) \(photos)")
        model.announced[saver] = Set(photos)
        let report = DrainReport(announced: photos.map(Self.id), isWhole: true)
        _ = try await metadata.reportDraining(of: Self.devices[saver], report, audit: AuditContext())
    }

    private mutating func setMissing(_ part: PhotoPart, _ isMissing: Bool) async throws {
        steps.append("\(part) is \(isMissing ? "missing" : "back")")
        if !isMissing {
            model.missing.remove(part)
        } else if model.known.contains(part) {
            model.missing.insert(part)
        }
        try await metadata.setMissing(part.resource.digest, isMissing)
    }

    /// Purges a photo, or begins a new history.
    private mutating func endSomething(_ photo: Int) async throws {
        if generator.oneIn(2) {
            steps.append("restore")
            model.epoch += 1
            return try await metadata.beginEpoch(LibraryEpoch(rawValue: UInt128(100 + model.epoch)))
        }
        guard model.photos[photo] != nil, generator.oneIn(3) else { return }
        steps.append("purge \(photo)")
        model.photos[photo] = nil
        model.purged.insert(photo)
        _ = try await metadata.trash(Self.id(photo), in: .everything, by: administrator)
        _ = try await metadata.purge(Self.id(photo), by: administrator)
    }

    private mutating func check(_ step: String, _ answer: SavingModel.Answer, _ expected: SavingModel.Answer) {
        steps.append("\(step): \(answer)")
        if answer != expected { problems.append("step \(steps.count): \(answer), not \(expected)") }
    }

    /// Compares what is in the library at the end.
    mutating func compare() async throws {
        for photo in 0..<SavingModel.photoCount {
            let asset = try await metadata.asset(Self.id(photo), in: .everything)
            var found: SavingModel.Photo?
            if let asset {
                let parts = PhotoPart.allCases.filter { asset.resources.contains($0.resource) }
                let saver = Self.devices.firstIndex { $0 == asset.deviceID }
                found = SavingModel.Photo(saver: saver ?? SavingModel.operators, parts: Set(parts))
                for album in asset.albums { found?.albums.insert(try await title(of: album)) }
            }
            if found != model.photos[photo] {
                problems.append("photo \(photo) is \(String(describing: found)) at the end")
            }
        }
    }
}
