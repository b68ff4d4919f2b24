import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

extension MetadataStoreConformance {
    static let keeping = [
        Promise(name: "a decision raises the grant's version, and its audit entry is part of it") { suite in
            let (_, store) = try await suite.store()
            let before = try #require(try await store.device(ConformanceWorld.device)).record
            let head = try await store.lastAuditEntry()?.sequence ?? 0
            let after = try await store.decide(
                ConformanceWorld.device,
                .answer(.none, for: Set(AccessLevel.allCases)),
                by: .administrator("ana"),
                reason: "test",
                audit: AuditContext()
            )
            #expect(after.grantVersion > before.grantVersion)
            #expect(try await store.device(ConformanceWorld.device)?.record == after)
            let entries = try await store.audit(after: 0, device: nil, limit: 100)
            #expect(entries.count == Int(head) + 1)
            #expect(try AuditChain { ContentHasher.digest($0) }.verify(entries).sequence == head + 1)
            let own = try await store.audit(after: head, device: ConformanceWorld.otherDevice, limit: 9)
            #expect(own.isEmpty)
        },
        Promise(name: "a key belongs to one device, and a new one stands beside the old until it is used") { suite in
            let (world, store) = try await suite.store()
            let new = DeviceKeyRecord(
                fingerprint: ContentHasher.digest([9]),
                certificateExpires: world.now,
                isCurrent: false
            )
            let audit = AuditEntry.Content(.rotate, by: "conformance")
            let old = try #require(try await store.keys(of: ConformanceWorld.device).first).fingerprint
            let others = try #require(try await store.keys(of: ConformanceWorld.otherDevice).first).fingerprint
            try await store.setKey(of: ConformanceWorld.device, to: new, showing: old, audit: audit)
            let code = await refusal {
                try await store.setKey(of: ConformanceWorld.otherDevice, to: new, showing: others, audit: audit)
            }
            #expect(code == .enrollmentConflict)
            #expect(try await store.keys(of: ConformanceWorld.device).count == 2)
            try await store.useOnlyKey(new.fingerprint, of: ConformanceWorld.device)
            let late = await refusal {
                try await store.setKey(of: ConformanceWorld.device, to: new, showing: old, audit: audit)
            }
            #expect(late == .identityMissing, "the old key was replaced")
            #expect(try await store.keys(of: ConformanceWorld.device).map(\.fingerprint) == [new.fingerprint])
            #expect(try await store.device(withKey: new.fingerprint)?.record.device == ConformanceWorld.device)
        },
        Promise(name: "T24: a device has one open question a level; it closes with the answer or with its time") {
            suite in
            let (world, store) = try await suite.store()
            let device = DeviceID(rawValue: 0xD3)
            try await world.addDevice(device, to: store)
            func ask(_ usage: String = "gate camera") async throws -> AccessRequests.Outcome {
                try await store.requestAccess(.addOnly, for: device, usage: usage, audit: AuditContext())
            }
            guard case .opened(let request) = try await ask() else {
                Issue.record("not opened")
                return
            }
            #expect(try await ask() == .pending(request))
            #expect(try await store.openRequests() == [request])
            #expect(try await store.device(device)?.profile.usage.add == "gate camera", "it stands after the answer")
            _ = try await ask("camera at the north gate")
            #expect(try await store.openRequests().map(\.usage.text) == ["camera at the north gate"])
            #expect(try await store.lastAuditEntry()?.content.reason == "camera at the north gate")
            world.advance(days: 8)
            #expect(try await store.openRequests() == [])
            guard case .opened = try await ask() else {
                Issue.record("not opened again")
                return
            }
            try await world.decide(device, .answer(.addOnly, for: Set(AccessLevel.allCases)), in: store)
            #expect(try await store.openRequests() == [])
            #expect(try await ask() == .remembered(.authorized))
        },
        Promise(name: "a request for more is answered once, and a later answer adds nothing") { suite in
            let (world, store) = try await suite.store()
            let device = ConformanceWorld.device
            func ask() async throws {
                let record = StoredRecord(
                    id: RecordID(rawValue: device.rawValue),
                    expires: world.now.advanced(by: .seconds(60)),
                    document: "{}"
                )
                _ = try await store.updateRecord(record.id, of: .expansion, audit: nil) { _ in record }
            }
            func answer(_ assets: Set<AssetID>) async throws {
                try await store.answerExpansion(
                    of: device,
                    by: .administrator("ana"),
                    adding: Selection(assets: assets),
                    reason: nil,
                    audit: AuditContext()
                )
            }
            let (first, second) = (AssetID(rawValue: 1), AssetID(rawValue: 2))
            try await ask()
            try await answer([first])
            #expect(try await store.records(of: .expansion) == [])
            #expect(try await store.lastAuditEntry()?.content.new == "more of the selection")
            #expect(await refusal { try await answer([second]) } == .notFound)
            #expect(try await store.device(device)?.record.selection.assets == [first])
            try await ask()
            world.advance(days: 1)
            #expect(await refusal { try await answer([second]) } == .notFound, "the request has expired")
            #expect(try await store.device(device)?.record.selection.assets == [first])
        },
        Promise(name: "of a device that is retired only what it announced is taken, and its last report ends it") {
            suite in
            let (world, store) = try await suite.store()
            let device = ConformanceWorld.device
            func report(_ report: DrainReport) async throws -> DrainProgress? {
                try await store.reportDraining(of: device, report, audit: AuditContext())
            }
            let delivered = DrainReport(isWhole: true, isDelivered: true)
            #expect(try await report(delivered) == nil, "nobody retires it")
            try await world.decide(device, .state(.drainRequested), in: store)
            #expect(try await store.drainProgress(of: device) == DrainProgress(isAnnounced: false, remainingCount: 0))
            let (held, late) = (world.manifest(), world.manifest())
            let announced = DrainProgress(isAnnounced: true, remainingCount: 1)
            #expect(try await report(DrainReport(announced: [held.id], isWhole: true)) == announced)
            #expect(try await report(DrainReport(announced: [late.id], isWhole: true)) == announced, "closed")
            #expect(await refusal { try await world.save(late, to: store) } == .denied)
            try await world.save(held, to: store)
            let ended = DrainProgress(isAnnounced: true, remainingCount: 0, isEnded: true)
            #expect(try await report(delivered) == ended)
            #expect(try await store.device(device)?.record.state == .revoked(wipe: false))
            #expect(try await store.drainProgress(of: device) == nil)
        },
        Promise(name: "a record changes in one transaction, is found by its second key, and is gone when it expires") {
            suite in
            let (world, store) = try await suite.store()
            let secret = ContentHasher.digest([1])
            let expires = world.now.advanced(by: .seconds(60))
            let record = StoredRecord(id: RecordID(rawValue: 1), secondary: secret, expires: expires, document: "1")
            _ = try await store.updateRecord(record.id, of: .pickerSession, audit: nil) { known in
                #expect(known == nil)
                return record
            }
            #expect(try await store.record(of: .pickerSession, withSecondary: secret) == record)
            #expect(try await store.record(record.id, of: .enrollment) == nil)
            let code = await refusal {
                _ = try await store.updateRecord(record.id, of: .pickerSession, audit: nil) { _ in
                    throw StoreError(.pickerEnded, "no")
                }
            }
            #expect(code == .pickerEnded)
            #expect(try await store.records(of: .pickerSession) == [record])
            world.advance(days: 1)
            #expect(try await store.record(record.id, of: .pickerSession) == nil)
            #expect(try await store.records(of: .pickerSession) == [])
        },
        Promise(name: "content is wanted while an asset or an upload names it, and is forgotten when it was taken out")
        { suite in
            let (world, store) = try await suite.store()
            let (saved, described) = (world.manifest(), world.manifest())
            try await world.save(saved, to: store)
            _ = try await store.create(described, by: suite.caller)
            let digests = [saved, described].map(\.resources[0].digest) + [ContentHasher.digest([7])]
            #expect(try await store.wanted(digests) == Set(digests.prefix(2)))
            #expect(try await store.content(digests[0])?.byteCount == 100)
            #expect(try await store.contents(after: nil, limit: 9).map(\.address.digest) == [digests[0]])
            _ = try await store.trash(saved.id, in: .everything, by: suite.caller)
            let addresses = try await store.purge(saved.id, by: .administrator("ana"))
            #expect(addresses.map(\.digest) == [digests[0]])
            let item = QuarantinedContent(digest: digests[0], fileName: "f", reason: "purged", since: world.now)
            #expect(try await store.addQuarantined(item, isDamaged: false))
            #expect(try await store.content(digests[0]) == nil)
            #expect(try await store.quarantined(before: world.now) == [item])
            try await store.removeQuarantined("f")
            #expect(try await store.quarantined(before: world.now) == [])
        },
        Promise(name: "bytes that are missing are asked for again from the device that saved them") { suite in
            let (world, store) = try await suite.store()
            let manifest = world.manifest()
            let answer = try await world.save(manifest, to: store)
            try await store.setMissing(manifest.resources[0].digest, true)
            #expect(try await store.standing(of: ConformanceWorld.device, missing: 9).missing == [manifest.id])
            #expect(try await store.create(manifest, by: suite.caller).uploads.count == 1)
            let again = try await world.save(manifest, to: store)
            #expect(again.receipt.receipt.changeNumber == answer.receipt.receipt.changeNumber)
            #expect(try await store.standing(of: ConformanceWorld.device, missing: 9).missing == [])
        },
    ]
}
