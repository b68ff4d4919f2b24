import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Replication
import Testing

extension MetadataStoreConformance {
    static let replicating = [
        Promise(name: "a replica's changes are taken once, merged, and seen in lists; pushing again changes nothing") {
            suite in
            let (world, store) = try await suite.store()
            let saved = try await world.save(to: store).receipt.receipt.assetID
            var replica = world.replica(0xABC)
            _ = try await store.contact(replica.contact(), ticket: nil, by: suite.caller)
            let id = EntityReference.asset(saved).id
            let before = try await store.identity().lastChange
            let push = try replica.push([
                replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author),
                replica.state.add(.text("snow"), to: AssetField.keyword, of: id, by: &replica.author),
                replica.state.confirmAlbum(5, by: &replica.author),
                replica.state.set(.text("Gate"), field: AlbumField.title, of: .album(5), by: &replica.author),
            ])
            let answer = try await store.push(push, by: suite.caller)
            #expect(answer.acknowledged == 4 && answer.refused == [])
            let history = try await store.history(of: nil, after: before, limit: 10)
            let numbers = (1...4).map { before.rawValue + $0 }
            #expect(history.map(\.number.rawValue) == numbers, "a number each, in their order")
            #expect(history.prefix(2).map(\.what) == ["isFavorite", "keywords"])
            #expect(answer.changeNumber == history.last?.number)
            let asset = try #require(try await store.asset(saved, in: .everything))
            #expect(asset.isFavorite && asset.keywords.map(\.text) == ["snow"])
            #expect(try await store.album(AlbumID(rawValue: 5))?.title == "Gate")
            #expect(try await store.push(push, by: suite.caller) == answer)
        },
        Promise(name: "of two titles written at the same time the loser is told with its writer, and can be put back") {
            suite in
            let (world, store) = try await suite.store()
            var manifest = world.manifest()
            manifest.captureFacts = CaptureFacts(
                trigger: "timer",
                lagMicroseconds: -1200,
                isLivePhotoIncomplete: true,
                mask: "0.0,0.0 1.0,1.0"
            )
            try await world.save(manifest, to: store)
            let (saved, id) = (manifest.id, EntityReference.asset(manifest.id).id)
            #expect(try await store.asset(saved, in: .everything)?.captureFacts == manifest.captureFacts)
            #expect(try await store.supersededEdits(of: saved, in: .everything) == [])
            for number in UInt128(1)...2 {
                var replica = world.replica(number << 100)
                _ = try await store.contact(replica.contact(), ticket: nil, by: suite.caller)
                let title = FieldValue.text("title \(number)")
                let push = try replica.push([
                    replica.state.set(title, field: AssetField.title, of: id, by: &replica.author),
                    replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author),
                ])
                _ = try await store.push(push, by: suite.caller)
            }
            #expect(try await store.asset(saved, in: .everything)?.title == "title 2")
            let lost = try #require(try await store.supersededEdits(of: saved, in: .everything))
            #expect(lost.map(\.edit.title) == ["title 1", nil])
            #expect(lost.map(\.edit.isFavorite) == [nil, true])
            let first = try #require(lost.first)
            #expect(first.deviceID == ConformanceWorld.device)
            #expect(first.time < world.now, "the clock of the writer, which has gone on since")
            let now = try await store.edit(saved, first.edit, in: .everything, by: suite.caller)
            #expect(now.title == "title 1")
            let rest = try await store.supersededEdits(of: saved, in: .everything)
            #expect(rest?.map(\.edit.title) == [nil], "the favourite is still there, the title has no loser any more")
            let outside = LibraryView.own(ConformanceWorld.otherDevice)
            #expect(try await store.supersededEdits(of: saved, in: outside) == nil)
        },
        Promise(name: "ranges of a view join, are as many as asked for, and their hashes tell where views differ") {
            suite in
            let (world, store) = try await suite.store()
            var ids: [AssetID] = []
            for index in 0..<23 {
                var manifest = world.manifest()
                manifest.desiredAlbum = index.isMultiple(of: 5) ? .title("A") : nil
                try await world.save(manifest, to: store)
                ids.append(manifest.id)
            }
            let selection = Selection(assets: Set(ids.prefix(9)))
            let viewers: [(ChangeViewer, Int)] = [
                (.everything(grantVersion: 1), 23 + 1 + 5),
                (.limited(ConformanceWorld.otherDevice, selection, grantVersion: 3), 9),
            ]
            for (viewer, count) in viewers {
                let before = try await store.ranges(.init(), count: 4, for: viewer)
                #expect(before.map(\.count).reduce(0, +) == count && before.count == 4)
                #expect(before.first?.from == nil && before.last?.until == nil)
                #expect(zip(before, before.dropFirst()).allSatisfy { $0.until == $1.from })
                var edit = AssetEdit()
                edit.title = "\(count)"
                _ = try await store.edit(ids[3], edit, in: .everything, by: suite.caller)
                let after = try await store.ranges(.init(), count: 4, for: viewer)
                let different = zip(before, after).filter { $0.hash != $1.hash }.map(\.1)
                #expect(different.count == 1)
                var bounds = ChangeRange.Bounds(from: different[0].from, until: different[0].until)
                let whole = try await store.entities(bounds, for: viewer)
                #expect(whole.changes.count == different[0].count)
                #expect(whole.changes.contains { $0.entity == .asset(ids[3]) && $0.asset?.title == "\(count)" })
                bounds.from = EntityKey(.asset(ids[3]))
                let one = try await store.entities(bounds, for: viewer).changes.first
                #expect(one?.entity == .asset(ids[3]))
            }
        },
        Promise(name: "replicas that are kept go on with whatever ticket, others of the device are copies") { suite in
            let (world, store) = try await suite.store()
            let device = ConformanceWorld.device
            let (kept, void) = (world.replica(0xA), world.replica(0xB))
            let foreign = world.replica(0xF, of: ConformanceWorld.otherDevice)
            func call(_ replica: TestReplica, _ ticket: String?) async throws -> ContactJudgement {
                let caller = replica.author.replica == foreign.author.replica ? suite.other : suite.caller
                return try await store.contact(replica.contact(), ticket: ticket, by: caller)
            }
            _ = try await call(kept, nil)
            let ticket = try await call(void, nil).ticket
            let foreignTicket = try await call(foreign, nil).ticket
            let wrong = ContentHasher.digest([1]).description
            #expect(try await call(kept, wrong).verdict == .fork, "nobody has chosen it yet")
            try await store.keepReplicas(of: device, [kept.author.replica])
            #expect(try await call(kept, wrong).verdict.remedy == .proceed)
            #expect(try await call(kept, wrong).verdict == .fork, "once")
            #expect(try await call(void, ticket).verdict == .fork)
            #expect(try await call(foreign, foreignTicket).verdict.remedy == .proceed)

            // One that the device does not have, and nothing is chosen.
            let strange = [void.author.replica, ReplicaID(rawValue: 404)]
            #expect(await refusal { try await store.keepReplicas(of: device, strange) } == .notFound)
            let others = [void.author.replica, foreign.author.replica]
            #expect(await refusal { try await store.keepReplicas(of: device, others) } == .notFound)
            #expect(try await call(void, ticket).verdict == .fork)

            try await store.keepReplicas(of: device, [])
            #expect(try await call(void, wrong).verdict.remedy == .proceed, "none named means all")
            #expect(try await call(kept, wrong).verdict.remedy == .proceed)
            #expect(try await call(foreign, wrong).verdict == .fork, "of that device only")
        },
    ]
}

extension ConformanceWorld {
    /// A replica whose clock is right.
    func replica(_ id: UInt128, of device: DeviceID = ConformanceWorld.device) -> TestReplica {
        TestReplica(id, device: device, milliseconds: UInt64(now.millisecondsSince1970))
    }
}
