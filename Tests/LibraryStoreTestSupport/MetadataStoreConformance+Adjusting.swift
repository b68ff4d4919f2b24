import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

extension MetadataStoreConformance {
    static let adjusting = [
        Promise(name: "an edit has the same uploads however often it is described, and changes nothing yet") { suite in
            let scene = try await AdjustmentScene(suite)
            let (store, edit) = (scene.store, scene.world.edit("1"))
            let uploads = try await scene.uploads(of: edit)
            #expect(Set(uploads.map(\.resourceID)) == Set(edit.resources.map(\.id)))
            let again = try await scene.uploads(of: edit)
            #expect(Set(again.map(\.id)) == Set(uploads.map(\.id)))
            let other = try await scene.uploads(of: scene.world.edit("1"))
            #expect(Set(other.map(\.id)).isDisjoint(with: uploads.map(\.id)))
            #expect(await refusal { _ = try await store.upload(uploads[0].id, of: suite.other) } == .notFound)
            let half = UploadProgress(id: uploads[0].id, durableByteCount: uploads[0].length, isComplete: true)
            for result in await store.record([half]) { try result.get() }
            let rest = try await scene.uploads(of: edit).filter { !$0.isComplete }
            #expect(rest.map(\.id) == [uploads[1].id])
            #expect(try await scene.asset?.resources == scene.photo.resources)
            #expect(try await store.count(FetchOptions(), in: .everything) == 1)
        },
        Promise(name: "an edit that is whole is applied by one commit: the base stays, an earlier edit goes") { suite in
            let scene = try await AdjustmentScene(suite)
            let (store, photo) = (scene.store, scene.photo)
            let (first, second) = (scene.world.edit("1"), scene.world.edit("2"))
            let before = try await store.identity().lastChange
            let (commit, replaced) = try await scene.complete(first)
            #expect(replaced == [])
            #expect(try await scene.asset?.adjustment == nil)
            let receipt = try await scene.apply(commit).receipt.receipt
            #expect(receipt.covers(photo.id, resources: first.resources))
            #expect(receipt.changeNumber.rawValue == before.rawValue + 1)
            let edited = try #require(try await scene.asset)
            #expect(edited.adjustment == first.adjustment)
            #expect(Set(edited.resources) == Set(photo.resources + first.resources))
            guard case .done(let known) = try await scene.plan(first) else {
                Issue.record("what was applied is asked for again")
                return
            }
            #expect(known == edited)
            #expect(try await store.openUploads() == [])

            let next = try await scene.complete(second)
            #expect(Set(next.replaced.map(\.digest)) == Set(first.resources.map(\.digest)))
            _ = try await scene.apply(next.commit)
            let resources = try await scene.asset?.resources ?? []
            #expect(Set(resources) == Set(photo.resources + second.resources))
            let digests = (photo.resources + first.resources + second.resources).map(\.digest)
            #expect(try await store.wanted(digests) == Set(resources.map(\.digest)))
            #expect(try await store.history(of: photo.id, after: before, limit: 9).count == 2)
            #expect(try await store.receipt(for: photo.id, of: suite.caller) == scene.saved)
        },
        Promise(name: "bytes of an edit that are missing are not asked for from who saved the photo") { suite in
            let scene = try await AdjustmentScene(suite)
            let edit = scene.world.edit("1")
            _ = try await scene.apply(scene.complete(edit).commit)
            try await scene.store.setMissing(edit.resources[1].digest, true)
            #expect(try await scene.store.standing(of: ConformanceWorld.device, missing: 9).missing == [])
            try await scene.store.setMissing(scene.photo.resources[0].digest, true)
            #expect(try await scene.store.standing(of: ConformanceWorld.device, missing: 9).missing == [scene.photo.id])
        },
        Promise(name: "an edit that is taken back leaves the asset as it came; once more changes nothing") { suite in
            let scene = try await AdjustmentScene(suite)
            let (store, photo, edit) = (scene.store, scene.photo, scene.world.edit("1"))
            _ = try await scene.apply(scene.complete(edit).commit)
            let before = try await store.identity().lastChange
            let reverted = try await store.revert(photo.id, in: .everything, by: suite.caller)
            #expect(reverted.asset.resources == photo.resources && reverted.asset.adjustment == nil)
            #expect(Set(reverted.released.map(\.digest)) == Set(edit.resources.map(\.digest)))
            #expect(try await scene.asset == reverted.asset)
            #expect(try await store.wanted(edit.resources.map(\.digest)) == [])
            let after = try await store.identity().lastChange
            #expect(after > before)
            let again = try await store.revert(photo.id, in: .everything, by: suite.caller)
            #expect(again.asset == reverted.asset && again.released == [])
            #expect(try await store.identity().lastChange == after)
            #expect(try await scene.uploads(of: edit).count == 2, "the same edit can be made again")
        },
        Promise(name: "an edit that is none, that the gate refuses or whose asset is out of view leaves nothing") {
            suite in
            let scene = try await AdjustmentScene(suite)
            let (store, photo, edit) = (scene.store, scene.photo, scene.world.edit("1"))
            var half = edit
            half.resources.removeLast()
            #expect(await refusal { _ = try await scene.plan(half) } == .resourceMissing)
            var taken = edit
            taken.resources[1] = scene.world.part(.fullSizePhoto, id: photo.resources[0].id)
            #expect(await refusal { _ = try await scene.plan(taken) } == .resourceInvalid)
            let outside = LibraryView.own(ConformanceWorld.otherDevice)
            let closed = StoreCaller.device(ConformanceWorld.device) { _ in throw StoreError(.denied, "no") }
            #expect(await refusal { _ = try await scene.plan(edit, in: outside) } == .notFound)
            #expect(await refusal { _ = try await scene.plan(edit, by: closed) } == .denied)
            #expect(try await store.openUploads() == [])

            _ = try await scene.apply(scene.complete(edit).commit)
            let unseen = await refusal { _ = try await store.revert(photo.id, in: outside, by: suite.caller) }
            #expect(unseen == .notFound)
            let refused = await refusal { _ = try await store.revert(photo.id, in: .everything, by: closed) }
            #expect(refused == .denied)
            #expect(try await scene.asset?.adjustment == edit.adjustment)
        },
        Promise(name: "T71: an edit counts for whoever made it, and once it is gone until its quarantine ends") {
            suite in
            var limits = StoreLimits()
            limits.bytes = 450
            limits.quarantineDuration = .seconds(86_400)
            let scene = try await AdjustmentScene(suite, limits)
            let (world, store) = (scene.world, scene.store)
            func edit(_ version: String) async throws {
                _ = try await scene.apply(scene.complete(world.edit(version), by: suite.other).commit)
            }
            try await edit("1")
            try await edit("2")
            #expect(await refusal { try await edit("3") } == .quotaExceeded)
            for _ in 0..<3 { try await world.save(to: store) }
            #expect(await refusal { try await world.save(to: store) } == .quotaExceeded, "100 bytes were left for none")
            world.advance(days: 2)
            try await edit("4")
            _ = try await store.revert(scene.photo.id, in: .everything, by: .administrator("ana"))
            #expect(await refusal { try await edit("5") } == .quotaExceeded)
            world.advance(days: 2)
            try await edit("6")
        },
        Promise(name: "T71: what a device adds to another's asset counts for itself") { suite in
            var limits = StoreLimits()
            limits.bytes = 350
            let scene = try await AdjustmentScene(suite, limits)
            var more = scene.photo
            more.resources.append(scene.world.part(.alternatePhoto))
            try await scene.world.save(more, by: suite.other, to: scene.store)
            #expect(try await scene.asset?.resources.count == 2)
            for _ in 0..<2 { try await scene.world.save(to: scene.store) }
            let refused = await refusal {
                for _ in 0..<3 { try await scene.world.save(by: suite.other, to: scene.store) }
            }
            #expect(refused == .quotaExceeded)
        },
        Promise(name: "an edit that was cancelled, or whose asset went, before its commit is not applied") { suite in
            let scene = try await AdjustmentScene(suite)
            let (store, photo) = (scene.store, scene.photo)
            let cancelled = try await scene.complete(scene.world.edit("1")).commit
            let upload = try #require(try await store.openUploads().first)
            #expect(try await store.cancel(upload, by: suite.caller).count == 2)
            #expect(await refusal { _ = try await scene.apply(cancelled) } == .assetConflict)
            #expect(try await scene.asset?.resources == photo.resources)
            let late = try await scene.complete(scene.world.edit("2")).commit
            _ = try await store.trash(photo.id, in: .everything, by: suite.caller)
            _ = try await store.purge(photo.id, by: .administrator("ana"))
            #expect(await refusal { _ = try await scene.apply(late) } == .notFound)
            #expect(try await scene.asset == nil)
        },
    ]
}

/// A photo that is edited.
private struct AdjustmentScene {
    let world: ConformanceWorld
    let store: any MetadataStore
    let photo: AssetManifest
    /// The answer to the photo's own commit.
    let saved: CommitResponse
    private let caller: StoreCaller

    init(_ suite: MetadataStoreConformance, _ limits: StoreLimits = StoreLimits()) async throws {
        let (world, store) = try await suite.store(limits)
        let photo = world.manifest()
        saved = try await world.save(photo, to: store)
        self.world = world
        self.store = store
        self.photo = photo
        caller = suite.caller
    }

    /// The photo as it is now.
    var asset: Asset? {
        get async throws { try await store.asset(photo.id, in: .everything) }
    }

    func plan(
        _ edit: AdjustmentRequest,
        in view: LibraryView = .everything,
        by other: StoreCaller? = nil
    ) async throws -> AdjustmentPlan {
        try await store.planAdjustment(of: photo.id, in: view, by: other ?? caller, edit)
    }

    /// The uploads of an edit that is not whole.
    func uploads(of edit: AdjustmentRequest, by other: StoreCaller? = nil) async throws -> [UploadStatus] {
        guard case .send(let uploads) = try await plan(edit, by: other) else {
            throw StoreError(.internalError, "nothing is to be sent")
        }
        return uploads
    }

    /// Says that all of an edit has come; gives what applies it, and the content that it replaces.
    func complete(
        _ edit: AdjustmentRequest,
        by other: StoreCaller? = nil
    ) async throws -> (commit: CommitRequest, replaced: [ContentAddress]) {
        let steps = try await uploads(of: edit, by: other)
            .map { UploadProgress(id: $0.id, durableByteCount: $0.length, isComplete: true) }
        for result in await store.record(steps) { try result.get() }
        guard case .publish(let publications, let commit, let replaced) = try await plan(edit, by: other) else {
            throw StoreError(.internalError, "nothing is to be published")
        }
        #expect(Set(publications.map(\.source)) == Set(steps.map { .upload($0.id.description) }))
        return (commit, replaced)
    }

    /// Applies an edit as if its bytes were published.
    func apply(_ commit: CommitRequest) async throws -> CommitResponse {
        guard let result = await store.commit([commit]).first else {
            throw StoreError(.internalError, "no result of one request")
        }
        return try result.get().response
    }
}

extension ConformanceWorld {
    /// An edit that nobody has described yet: its data and a rendering.
    func edit(_ version: String) -> AdjustmentRequest {
        AdjustmentRequest(
            adjustment: Adjustment(formatIdentifier: "org.example.filter", formatVersion: version),
            resources: [part(.adjustmentData), part(.fullSizePhoto)]
        )
    }

    /// A resource with bytes of its own.
    func part(_ type: AssetResourceType, id: ResourceID? = nil) -> AssetResource {
        let photo = manifest().resources[0]
        return AssetResource(
            id: id ?? photo.id,
            type: type,
            digest: photo.digest,
            byteCount: photo.byteCount,
            contentType: photo.contentType
        )
    }
}
