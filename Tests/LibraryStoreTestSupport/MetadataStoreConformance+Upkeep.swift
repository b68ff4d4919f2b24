import LibraryAPI
import LibraryStore
import PhotoModel
import Replication
import Testing

extension MetadataStoreConformance {
    static let upkeep = [
        Promise(name: "a removal is forgotten when it is old and told to all who follow and were not silent") { suite in
            let (world, store) = try await suite.store()
            try await world.save(to: store)
            let early = try await position(after: nil, in: store)
            let begun = world.now
            let replica = world.replica(0xA)
            let first = try await store.contact(
                replica.contact(),
                ticket: nil,
                following: early.floor,
                by: suite.caller
            )
            let gone = try await world.remove(from: store)
            let isKept = try await store.forgetRemovals(silentSince: begun, before: world.now) == 0
            #expect(isKept, "a replica has not heard of it")
            let told = try await position(after: early, in: store)
            _ = try await store.contact(
                replica.contact(),
                ticket: first.ticket,
                following: told.floor,
                by: suite.caller
            )
            #expect(try await store.forgetRemovals(silentSince: begun, before: begun) == 0, "too young")
            #expect(try await position(after: early, in: store) == told)
            let again = world.manifest(id: gone)
            #expect(await refusal { try await world.save(again, by: suite.other, to: store) } == .assetPurged)

            #expect(try await store.forgetRemovals(silentSince: begun, before: world.now) == 1)
            #expect(try await store.forgetRemovals(silentSince: begun, before: world.now) == 0)
            #expect(await refusal { _ = try await position(after: early, in: store) } == .tokenExpired)
            #expect(try await position(after: told, in: store) == told)
            #expect(try await receiptFindings(in: store, limit: 100) == [], "a purge that is forgotten was one")
            try await world.save(again, by: suite.other, to: store)
            #expect(try await receiptFindings(in: store, limit: 100) == [], "the earlier receipt ended with the purge")

            _ = try await world.remove(from: store)
            let isKeptAgain = try await store.forgetRemovals(silentSince: begun, before: world.now) == 0
            #expect(isKeptAgain, "the replica may still call")
            #expect(try await store.forgetRemovals(silentSince: world.now, before: world.now) == 1)
            #expect(await refusal { _ = try await position(after: told, in: store) } == .tokenExpired)
        },
        Promise(name: "receipts are held against the rows by pages: what these do not bear out is found") { suite in
            let (world, store) = try await suite.store()
            var manifests = (0..<4).map { _ in world.manifest() }
            manifests[3].resources += world.edit("1").resources
            for manifest in manifests { try await world.save(manifest, to: store) }
            try await world.save(manifests[0], by: suite.other, to: store)
            // What was purged, and an edit that was taken back, went by the rules.
            _ = try await store.trash(manifests[1].id, in: .everything, by: suite.caller)
            _ = try await store.purge(manifests[1].id, by: .administrator("ana"))
            _ = try await store.revert(manifests[3].id, in: .everything, by: suite.caller)
            for limit in [1, 3, 100] {
                #expect(try await receiptFindings(in: store, limit: limit) == [], "\(limit) a page")
            }
            // No call takes rows away otherwise; but a receipt can promise more bytes than there are of its digest.
            let liars = (0..<5).map { _ in world.manifest(claimingMoreOf: manifests[2].resources[0]) }
            for liar in liars { try await world.save(liar, to: store) }
            try await world.save(liars[0], by: suite.other, to: store)
            let objects = (liars + [liars[0]]).map { "asset \($0.id)" }
            for limit in [1, 3, 100] {
                let findings = try await receiptFindings(in: store, limit: limit)
                #expect(findings.allSatisfy { $0.kind == .receiptDiffers })
                #expect(findings.map(\.object).sorted() == objects.sorted(), "one a receipt, \(limit) a page")
            }
        },
        Promise(name: "days in the trash begin when the store learns of it, whatever date a device pushes") { suite in
            let (world, store) = try await suite.store()
            let id = try await world.save(to: store).receipt.receipt.assetID
            var replica = world.replica(0xA)
            _ = try await store.contact(replica.contact(), ticket: nil, by: suite.caller)
            let begun = world.now
            try await trash(id, at: 0, by: &replica, in: store)
            let learned = world.now
            #expect(try await trashed(before: begun, in: store) == [])
            #expect(try await trashed(before: learned, in: store) == [id])
            world.advance(days: 9)
            var edit = AssetEdit()
            edit.title = "Gate"
            _ = try await store.edit(id, edit, in: .everything, by: suite.caller)
            #expect(try await trashed(before: learned, in: store) == [id], "an edit does not begin them again")
            try await trash(id, at: 1, by: &replica, in: store)
            #expect(try await trashed(before: learned, in: store) == [], "a trashing does")
            #expect(try await trashed(before: world.now, in: store) == [id])
            try await trash(id, at: nil, by: &replica, in: store)
            #expect(try await trashed(before: world.now, in: store) == [])
        },
    ]

    /// Pushes the date of a trashing, or nil for none.
    private static func trash(
        _ id: AssetID,
        at milliseconds: Int64?,
        by replica: inout TestReplica,
        in store: any MetadataStore
    ) async throws {
        let change = try replica.state.set(
            milliseconds.map { .integer($0) } ?? .nothing,
            field: AssetField.trashed,
            of: EntityReference.asset(id).id,
            by: &replica.author
        )
        let answer = try await store.push(replica.push([change]), by: .device(ConformanceWorld.device))
        #expect(answer.refused.isEmpty)
    }

    private static func trashed(before time: WallTime, in store: any MetadataStore) async throws -> [AssetID] {
        try await store.trashed(before: time, behind: nil, limit: 9)
    }

    /// Where who sees everything stands after a page.
    private static func position(
        after position: ChangePosition?,
        in store: any MetadataStore
    ) async throws -> ChangePosition {
        try await store.changes(after: position, limit: 9, for: .everything(grantVersion: 1)).position
    }

    /// What is found on all pages of a store's receipts.
    private static func receiptFindings(
        in store: any MetadataStore,
        limit: Int
    ) async throws -> [VerificationReport.Finding] {
        var findings: [VerificationReport.Finding] = []
        var last: AssetID?
        // There are fewer receipts than that: who gives more pages never ends.
        for _ in 0..<100 {
            let page = try await store.verifyReceipts(after: last, limit: limit)
            findings += page.findings
            last = page.last
            if last == nil { break }
        }
        return findings
    }
}

extension ConformanceWorld {
    /// Saves a photo, and lets it go for good.
    fileprivate func remove(from store: any MetadataStore) async throws -> AssetID {
        let id = try await save(to: store).receipt.receipt.assetID
        _ = try await store.trash(id, in: .everything, by: .device(Self.device))
        _ = try await store.purge(id, by: .administrator("ana"))
        return id
    }

    /// A photo that is described with more bytes than a digest has.
    fileprivate func manifest(claimingMoreOf photo: AssetResource) -> AssetManifest {
        var liar = manifest()
        liar.resources = [
            AssetResource(
                id: liar.resources[0].id,
                type: photo.type,
                digest: photo.digest,
                byteCount: photo.byteCount + 1,
                contentType: photo.contentType
            )
        ]
        return liar
    }
}
