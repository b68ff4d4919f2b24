import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel
import Replication
import Testing

extension MetadataStoreConformance {
    static let bursts = [
        Promise(name: "lists show the first picture of a burst that none represents, and the next once it is trashed") {
            suite in
            let (world, store) = try await suite.store()
            var ids: [AssetID] = []
            for _ in 0..<3 {
                ids.append(try await world.saveShot(to: store))
                let shown = try await shots(by: store)
                #expect(shown == [ids[0]], "also when it is the only one so far")
            }
            let viewer = ChangeViewer.everything(grantVersion: 1)
            let start = try await store.changes(after: nil, limit: 9, for: viewer).position
            _ = try await store.trash(ids[0], in: .everything, by: suite.caller)
            let next = try await shots(by: store)
            #expect(next == [ids[1]])
            let changes = try await store.changes(after: start, limit: 9, for: viewer).changes
            #expect(Set(changes.map(\.entity)) == [.asset(ids[0]), .asset(ids[1])], "devices are told of both")
            let trash = try await shots(FetchOptions(showsTrash: true), by: store)
            #expect(trash == [ids[0]])
            for id in ids[1...] { _ = try await store.trash(id, in: .everything, by: suite.caller) }
            let none = try await shots(by: store)
            #expect(none == [])
            var edit = AssetEdit()
            edit.restores = true
            _ = try await store.edit(ids[2], edit, in: .everything, by: suite.caller)
            let restored = try await shots(by: store)
            #expect(restored == [ids[2]])
        },
        Promise(name: "the picture that represents its burst by its own word does, whenever it comes") { suite in
            let (world, store) = try await suite.store()
            var ids: [AssetID] = []
            for represents in [false, true, false] {
                ids.append(try await world.saveShot(represents: represents, to: store))
            }
            let shown = try await shots(by: store)
            #expect(shown == [ids[1]])
        },
        Promise(name: "of a burst that comes back from the trash, lists show the picture that they showed before") {
            suite in
            let (world, store) = try await suite.store()
            var ids: [AssetID] = []
            for represents in [false, true, false] {
                ids.append(try await world.saveShot(represents: represents, to: store))
            }
            var restoring = AssetEdit()
            restoring.restores = true
            _ = try await store.trash(ids[1], in: .everything, by: suite.caller)
            let standIn = try await shots(by: store)
            #expect(standIn == [ids[0]])
            _ = try await store.edit(ids[1], restoring, in: .everything, by: suite.caller)
            let back = try await shots(by: store)
            #expect(back == [ids[1]])
            // The whole stack, which is restored in any order.
            for order in [ids, ids.reversed()] {
                for id in [ids[1], ids[0], ids[2]] { _ = try await store.trash(id, in: .everything, by: suite.caller) }
                for id in order {
                    _ = try await store.edit(id, restoring, in: .everything, by: suite.caller)
                    let shown = try await shots(by: store)
                    #expect(shown.count == 1)
                }
                let shown = try await shots(by: store)
                #expect(shown == [ids[1]])
            }
        },
        Promise(name: "lists show one picture of a burst, also if one push restores it and edits its stand-in") {
            suite in
            let (world, store) = try await suite.store()
            let ids = [try await world.saveShot(to: store), try await world.saveShot(to: store)]
            let entities = ids.map { EntityReference.asset($0).id }
            var replica = world.replica(0xABC)
            _ = try await store.contact(replica.contact(), ticket: nil, by: suite.caller)
            let now = FieldValue.integer(world.now.millisecondsSince1970)
            let trashing = try replica.push([
                replica.state.set(now, field: AssetField.trashed, of: entities[0], by: &replica.author)
            ])
            #expect(try await store.push(trashing, by: suite.caller).refused == [])
            let standIn = try await shots(by: store)
            #expect(standIn == [ids[1]])
            let restoring = try replica.push([
                replica.state.set(.nothing, field: AssetField.trashed, of: entities[0], by: &replica.author),
                replica.state.set(.text("t"), field: AssetField.title, of: entities[1], by: &replica.author),
            ])
            #expect(try await store.push(restoring, by: suite.caller).refused == [])
            let back = try await shots(by: store)
            #expect(back == [ids[0]])
        },
        Promise(name: "no device decides what lists show of another's burst") { suite in
            let (world, store) = try await suite.store()
            let mine = try await world.saveShot(to: store)
            let theirs = try await world.saveShot(represents: true, by: suite.other, to: store)
            let both = try await shots(by: store)
            #expect(Set(both) == [mine, theirs])
        },
    ]
}

/// The assets of a list of bursts, with which the counts agree.
private func shots(
    _ options: FetchOptions = FetchOptions(),
    by store: any MetadataStore
) async throws -> [AssetID] {
    var options = options
    options.filter = .kind(.bursts)
    let assets = try await store.page(AssetQuery(options: options), in: .everything).assets
    #expect(try await store.count(options, in: .everything) == assets.count)
    options.filter = nil
    let spans = try await store.spans(options, by: .month, in: .everything)
    #expect(spans.map(\.count).reduce(0, +) == assets.count)
    return assets.map(\.id)
}

extension ConformanceWorld {
    /// Saves a picture of the one burst.
    fileprivate func saveShot(
        represents: Bool = false,
        by caller: StoreCaller = .device(device),
        to store: any MetadataStore
    ) async throws -> AssetID {
        var manifest = manifest()
        manifest.burst = BurstMembership(id: BurstID(rawValue: 7), representsBurst: represents)
        try await save(manifest, by: caller, to: store)
        return manifest.id
    }
}
