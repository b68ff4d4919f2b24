import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel
import Testing

/// What a device can do to another's asset by saving it again.
struct SharedAssetAttackTests {
    private let administrator = StoreCaller.administrator("ana")
    private let owner = StoreCaller.device(StoreFixture.otherDevice)

    @Test(
        "T81: an album assigned to a device takes no asset of others that it may not see; the answer is the same",
        arguments: [AccessDecision.Answer.addOnly, .selected]
    )
    func assignedAlbum(_ answer: AccessDecision.Answer) async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        _ = try await store.metadata.updateProfile(of: StoreFixture.device, closing: [], audit: nil) {
            $0.album = "Gate"
        }
        let (hidden, selected) = (fixture.capture(), fixture.capture())
        for (manifest, bytes) in [hidden, selected] { try await fixture.save(manifest, bytes, by: owner, to: store) }
        try await fixture.decide(StoreFixture.device, answer, in: store)
        _ = try await store.metadata.decide(
            StoreFixture.device,
            .selection(Selection(assets: [selected.manifest.id])),
            by: .administrator("ana"),
            reason: "test",
            audit: AuditContext()
        )
        func albums(of manifest: AssetManifest) async throws -> Set<AlbumID>? {
            try await store.metadata.asset(manifest.id, in: .everything)?.albums
        }
        guard case .created(let album)? = try await fixture.save(hidden.manifest, hidden.bytes, to: store).album else {
            Issue.record("the first save does not say that the album was created")
            return
        }
        #expect(try await albums(of: hidden.manifest) == [])
        let own = fixture.capture()
        for (manifest, bytes) in [own, selected] {
            #expect(try await fixture.save(manifest, bytes, to: store).album == .applied(album))
        }
        #expect(try await albums(of: own.manifest) == [album])
        // Who may only add sees nothing, whatever was selected for it.
        #expect(try await albums(of: selected.manifest) == (answer == .selected ? [album] : []))
    }

    @Test("T82: a device that may not see another's capture adds no files to it, whoever may see it does")
    func additions() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (capture, bytes) = fixture.capture(sizes: [50, 60, 70])
        let still = Self.part(capture, 0..<1)
        try await fixture.save(still, Array(bytes[..<1]), by: owner, to: store)
        try await fixture.decide(StoreFixture.device, .addOnly, in: store)
        let live = Self.part(capture, 0..<2)
        #expect(await errorCode { try await fixture.save(live, Array(bytes[..<2]), to: store) } == .assetConflict)
        let asset = try #require(try await store.metadata.asset(capture.id, in: .everything))
        #expect(asset.resources.map(\.id) == still.resources.map(\.id) && !asset.isLivePhoto)
        try await fixture.decide(StoreFixture.device, .all, in: store)
        _ = try await store.commit(capture.id, by: .device(StoreFixture.device))
        #expect(try await store.metadata.asset(capture.id, in: .everything)?.isLivePhoto == true)
    }

    @Test("T82: an imported photo gets its movie and its raw file from whoever has them, one of each and nothing else")
    func completedImport() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var (capture, bytes) = fixture.capture(sizes: [50, 60, 70])
        capture.id = .derived(from: capture.resources[0].digest)
        let still = Self.part(capture, 0..<1)
        try await fixture.save(still, Array(bytes[..<1]), by: owner, to: store)
        for device in [StoreFixture.device, StoreFixture.otherDevice] {
            try await fixture.decide(device, .addOnly, in: store)
        }
        var foreign = still
        let (stranger, strange) = fixture.capture(sizes: [80])
        foreign.resources.append(
            AssetResource(
                id: stranger.resources[0].id,
                type: .adjustmentData,
                digest: stranger.resources[0].digest,
                byteCount: 80,
                contentType: "application/octet-stream"
            )
        )
        let device = StoreCaller.device(StoreFixture.device)
        let uploads = try await store.create(foreign, by: device).uploads
        for (upload, part) in zip(uploads, [bytes[0], strange[0]]) {
            try await fixture.send(part, to: upload, by: device, store)
        }
        #expect(await errorCode { _ = try await store.commit(foreign.id, by: device) } == .assetConflict)
        try await store.cancel(uploads[0].id, by: device)
        let answer = try await fixture.save(capture, bytes, to: store)
        #expect(answer.receipt.receipt.covers(capture.id, resources: capture.resources))
        let asset = try #require(try await store.metadata.asset(capture.id, in: .everything))
        #expect(asset.isLivePhoto && asset.resources.map(\.id) == capture.resources.map(\.id))
        #expect(asset.deviceID == StoreFixture.otherDevice)

        try await fixture.addDevice(Self.third, answer: .addOnly, to: store)
        let (more, raws) = fixture.capture(sizes: [1, 1, 90])
        var second = still
        second.resources.append(more.resources[2])
        let refused = await errorCode {
            try await fixture.save(second, [bytes[0], raws[2]], by: .device(Self.third), to: store)
        }
        #expect(refused == .assetConflict)
        #expect(try await store.metadata.asset(capture.id, in: .everything) == asset)
    }

    @Test("T83: an identifier that was seen once is taken, whether its asset is hidden by now or purged")
    func takenIdentifiers() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let captures = [fixture.capture(), fixture.capture()]
        for (manifest, bytes) in captures { try await fixture.save(manifest, bytes, by: owner, to: store) }
        let (hidden, purged) = (captures[0].manifest.id, captures[1].manifest.id)
        _ = try await store.metadata.trash(purged, in: .everything, by: administrator)
        try await store.purge(purged, by: administrator)
        for answer in [AccessDecision.Answer.addOnly, .selected] {
            try await fixture.decide(StoreFixture.device, answer, in: store)
            var refusals: [StoreError] = []
            for id in [hidden, purged] {
                let (manifest, bytes) = fixture.capture(id: id)
                do {
                    try await fixture.save(manifest, bytes, to: store)
                } catch {
                    refusals.append(StoreError.wrapping(error))
                }
                let uploads = try await store.create(manifest, by: .device(StoreFixture.device)).uploads
                try await store.cancel(uploads[0].id, by: .device(StoreFixture.device))
            }
            #expect(refusals.map(\.code) == [.assetConflict, .assetConflict])
            #expect(Set(refusals.map(\.message)).count == 1)
        }
    }

    private static let third = DeviceID(rawValue: 0xD3)

    /// The same manifest with some of its resources.
    private static func part(_ manifest: AssetManifest, _ range: Range<Int>) -> AssetManifest {
        var part = manifest
        part.resources = Array(manifest.resources[range])
        return part
    }
}
