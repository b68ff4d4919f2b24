import Authorization
import BenchmarkSupport
import Foundation
import LibraryAPI
import LibraryStore
import Logging
import Persistence
import PhotoModel
import Replication
import TestSupport

/// What it costs to merge what a device pushes: 100,000 changes of 10,000 assets, ten fields each, in pushes of a
/// thousand, each push durable before it is answered; against the goals of 25,000 a second, and 10,000 over PostgreSQL.
func pushBenchmark() async throws {
    let folder = try BenchmarkFolder()
    let rows = try await BenchmarkRows.asked()
    let store = try await benchmarkStore(in: folder, rows)
    defer { store.close() }
    let device = DeviceID(rawValue: 1)
    try await enroll(device, in: store.metadata)
    let assets = try await save(10_000, by: device, to: store.metadata)
    let pushes = try await pushes(assets, by: device, to: store.metadata)
    let clock = ContinuousClock()
    let (start, before, engineBefore) = (clock.now, processorTime(), try rows.processorTime())
    var refused = 0
    for push in pushes {
        refused += try await store.metadata.push(push, by: .device(device)).refused.count
    }
    let seconds = (clock.now - start).seconds
    let processor = (processorTime() - before + (try rows.processorTime()) - engineBefore).seconds
    let goal = rows.folder == nil ? 25_000.0 : 10_000.0
    let count = pushes.reduce(0) { $0 + $1.changes.count }
    print(
        "\(count) pushed changes merged and durable in \(rows.engine) in \(decimal(seconds)) s: "
            + "\(decimal(Double(count) / seconds)) a second, \(decimal(Double(count) / seconds / goal)) of the goal, "
            + "\(decimal(Double(count) / processor)) a second of processor time, \(refused) refused"
    )
}

/// A new library on the disk, with its rows in a place that is empty.
func benchmarkStore(in folder: BenchmarkFolder, _ rows: BenchmarkRows) async throws -> LibraryStore {
    try await LibraryStore.create(
        at: Path(folder.url.appending(path: "library").path),
        metadata: rows.metadata,
        effects: StoreEffects(
            now: { WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)) },
            randomBits: { UInt128.random(in: .min ... .max) },
            signer: UnsignedReceipts()
        ),
        logger: .init(label: "benchmark")
    )
}

func enroll(_ device: DeviceID, in store: any MetadataStore) async throws {
    let now = WallTime(millisecondsSince1970: 0)
    _ = try await store.addDevice(
        device,
        profile: DeviceProfile(name: "box", build: "1", usage: UsageTexts(add: "x"), enrolled: now),
        key: DeviceKeyRecord(
            fingerprint: ContentHasher.digest("\(device)".utf8),
            certificateExpires: now,
            isCurrent: true
        ),
        ceiling: { _, _ in .unlimited },
        pendingLimit: .max,
        audit: AuditEntry.Content(.enrol, by: "benchmark")
    )
    for change in [DecisionRecord.Change.state(.approved), .answer(.all, for: Set(AccessLevel.allCases))] {
        _ = try await store.decide(device, change, by: .administrator("a"), reason: "", audit: AuditContext())
    }
}

func save(
    _ count: Int,
    by device: DeviceID,
    to store: any MetadataStore,
    seed: UInt64 = 2
) async throws -> [AssetID] {
    var generator = SeededGenerator(seed: seed)
    var ids: [AssetID] = []
    while ids.count < count {
        let requests = (0..<min(500, count)).map { index in
            let manifest = plainManifest(at: Int64(1_750_000_000_000 + ids.count * 1000 + index), &generator)
            return CommitRequest(manifest: manifest, caller: .device(device), needsCreation: false)
        }
        for result in await store.commit(requests) { ids.append(try result.get().response.receipt.receipt.assetID) }
    }
    return ids
}

/// A photo of one byte, without words.
func plainManifest(at milliseconds: Int64, _ generator: inout SeededGenerator) -> AssetManifest {
    let id = AssetID.version7(unixMilliseconds: Int64(generator.next() >> 16), using: &generator)
    let resource = AssetResource(
        id: ResourceID(rawValue: UInt128.random(in: .min ... .max, using: &generator)),
        type: .photo,
        digest: ContentHasher.digest(id.bytes),
        byteCount: 1,
        contentType: "image/jpeg"
    )
    return AssetManifest(
        id: id,
        mediaType: .image,
        captureTime: CaptureTime(
            wall: WallTime(millisecondsSince1970: milliseconds),
            source: .deviceClock,
            isSynchronized: true
        ),
        resources: [resource]
    )
}

/// Ten changes of each asset, as the device's own replica made them.
private func pushes(_ assets: [AssetID], by device: DeviceID, to store: any MetadataStore) async throws -> [ChangePush]
{
    let replica = ReplicaID(rawValue: 0xB0)
    let milliseconds = UInt64(Date().timeIntervalSince1970 * 1000)
    var author = Author(incarnation: Incarnation(replica: replica), milliseconds: milliseconds)
    let contact = Contact(
        device: device.rawValue,
        incarnation: replica,
        history: HistoryChain(of: replica, hash: .sha256),
        hostFingerprint: HashFunction.sha256([7]),
        bootID: 1
    )
    _ = try await store.contact(contact, ticket: nil, from: nil, by: device) { _ in }
    var changes: [ChangePush.Change] = []
    for (index, asset) in assets.enumerated() {
        var state = ReplicaState()
        let id = EntityID.asset(asset.rawValue)
        let place: FieldValue = .group([.double(52), .double(4.5), .nothing])
        let values: [(FieldID, FieldValue)] = [
            (AssetField.title, .text("title \(index)")), (AssetField.caption, .text("what is seen in \(index)")),
            (AssetField.favorite, .bool(index.isMultiple(of: 2))), (AssetField.rating, .integer(Int64(index % 6))),
            (AssetField.captureDateOverride, .group([.integer(1_750_000_000_000_000)])),
            (AssetField.locationOverride, place), (AssetField.hidden, .bool(true)),
        ]
        for (field, value) in values {
            changes += try state.set(value, field: field, of: id, by: &author).map(wire) ?? []
        }
        for keyword in ["north", "gate", "k\(index % 100)"] {
            changes += wire(try state.add(.text(keyword), to: AssetField.keyword, of: id, by: &author))
        }
    }
    return stride(from: 0, to: changes.count, by: 1000).map { start in
        ChangePush(incarnation: replica.description, changes: Array(changes[start..<min(start + 1000, changes.count)]))
    }
}

func wire(_ change: Change) -> [ChangePush.Change] {
    [.init(counter: change.dot.counter, delta: Base64Bytes(Delta(CollectionOfOne(change)).encoded))]
}

/// Signs nothing.
struct UnsignedReceipts: ReceiptSigner {
    let keyID = "none"

    func signature(for bytes: [UInt8]) throws -> [UInt8] { [] }
}
