import Authorization
import BenchmarkSupport
import Foundation
import LibraryAPI
import LibraryLoad
import LibraryStore
import Logging
import Persistence
import PhotoModel
import Replication
import Synchronization
import TestSupport

/// How much another device delays a save, against the limit of 100 ms at p99: with pushes as large as a request may be, by
/// a device that sees everything and by a limited one, and with change streams that look for changes after each save.
///
/// A save is one asset's durable transaction, without its bytes.
func latencyBenchmark() async throws {
    let folder = try BenchmarkFolder()
    let store = try await benchmarkStore(in: folder, .asked())
    defer { store.close() }
    let (camera, other, limited) = (DeviceID(rawValue: 1), DeviceID(rawValue: 2), DeviceID(rawValue: 3))
    for device in [camera, other, limited] { try await enroll(device, in: store.metadata) }
    let assets = try await save(2000, by: camera, to: store.metadata)
    try await limit(limited, to: assets, in: store.metadata)
    let saves = benchmarkNumber("TINTYPE_BENCHMARK_SAVES") ?? 400
    let alone = try await latencies(saves, by: camera, in: store)
    print("a save alone: \(alone.line)")

    let kinds: [(String, @Sendable (inout Author, [AssetID]) throws -> [ChangePush.Change])] = [
        ("3 MB of captions", captions), ("1,000 keywords of 256 bytes of one asset", keywords),
    ]
    for (index, device) in [other, limited].enumerated() {
        for (number, kind) in kinds.enumerated() {
            let replica = ReplicaID(rawValue: UInt128(0xC0 + index * kinds.count + number))
            let pushing = Pushing(store: store, device: device, replica: replica)
            let busy = try await beside({ try await pushing.run(assets, kind.1) }) {
                try await latencies(saves, by: camera, in: store)
            }
            let pusher = device == limited ? "a limited device" : "a device that sees everything"
            print("beside pushes of \(kind.0) by \(pusher): \(busy.line), \(busy.delay(to: alone))")
        }
    }
    for count in [APILimits.waitsPerDevice, 300] {
        let news = News()
        let busy = try await beside({ try await follow(store, other, count, news) }) {
            try await latencies(saves, by: camera, in: store) { news.ring() }
        }
        print("beside \(count) change streams of one device: \(busy.line), \(busy.delay(to: alone))")
    }
}

/// Sorted times in milliseconds.
private struct Latencies {
    /// Milliseconds that another device may add to a save at p99.
    static let limit = 100.0

    let sorted: [Double]

    init(_ times: [Double]) { sorted = times.sorted() }

    func percentile(_ part: Double) -> Double { sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)] }

    var line: String {
        "p50 \(decimal(percentile(0.5))) ms, p99 \(decimal(percentile(0.99))) ms, worst \(decimal(sorted.last ?? 0)) ms"
    }

    /// What was added at p99, and its ratio to the limit.
    func delay(to alone: Latencies) -> String {
        let milliseconds = percentile(0.99) - alone.percentile(0.99)
        return "delayed by \(decimal(milliseconds)) ms at p99, \(decimal(milliseconds / Latencies.limit)) of the limit"
    }
}

private func latencies(
    _ count: Int,
    by device: DeviceID,
    in store: LibraryStore,
    saved: () -> Void = {}
) async throws -> Latencies {
    let clock = ContinuousClock()
    var times: [Double] = []
    for _ in 0..<count {
        let start = clock.now
        _ = try await save(1, by: device, to: store.metadata, seed: .random(in: 3 ... .max))
        times.append((clock.now - start).seconds * 1000)
        saved()
    }
    return Latencies(times)
}

/// Runs a load beside a measurement, and cancels it afterwards.
private func beside<Value: Sendable>(
    _ load: @escaping @Sendable () async throws -> Void,
    _ body: () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await load() }
        let value = try await body()
        group.cancelAll()
        do {
            try await group.waitForAll()
        } catch is CancellationError {}
        return value
    }
}

/// Another device, which pushes without pauses.
private struct Pushing {
    let store: LibraryStore
    let device: DeviceID
    let replica: ReplicaID

    func run(
        _ assets: [AssetID],
        _ changes: @Sendable (inout Author, [AssetID]) throws -> [ChangePush.Change]
    ) async throws {
        var author = Author(
            incarnation: Incarnation(replica: replica),
            milliseconds: UInt64(Date().timeIntervalSince1970 * 1000)
        )
        let contact = Contact(
            device: device.rawValue,
            incarnation: replica,
            history: HistoryChain(of: replica, hash: .sha256),
            hostFingerprint: HashFunction.sha256([7]),
            bootID: 1
        )
        let caller = StoreCaller.device(device)
        _ = try await store.metadata.contact(contact, ticket: nil, from: nil, by: device) { _ in }
        while !Task.isCancelled {
            let push = ChangePush(incarnation: replica.description, changes: try changes(&author, assets))
            let answer = try await store.metadata.push(push, by: caller)
            if answer.refused.count == push.changes.count, let refusal = answer.refused.first {
                throw LoadError("every change was refused: \(refusal.problem.detail)")
            }
        }
    }
}

private func captions(_ author: inout Author, _ assets: [AssetID]) throws -> [ChangePush.Change] {
    let text = String(repeating: "c", count: 3000)
    return try assets.prefix(1000).flatMap { asset in
        var state = ReplicaState()
        return try state.set(.text(text), field: AssetField.caption, of: .asset(asset.rawValue), by: &author)
            .map(wire) ?? []
    }
}

private func keywords(_ author: inout Author, _ assets: [AssetID]) throws -> [ChangePush.Change] {
    let asset = assets[Int.random(in: assets.indices)]
    var state = ReplicaState()
    return try (0..<1000).flatMap { number in
        let text = "\(number)".padding(toLength: Keyword.maximumByteCount, withPad: "k", startingAt: 0)
        return wire(try state.add(.text(text), to: AssetField.keyword, of: .asset(asset.rawValue), by: &author))
    }
}

/// Limits a device to listed assets.
private func limit(_ device: DeviceID, to assets: [AssetID], in store: any MetadataStore) async throws {
    let changes: [DecisionRecord.Change] = [
        .answer(.selected, for: Set(AccessLevel.allCases)), .selection(Selection(assets: Set(assets))),
    ]
    for change in changes {
        _ = try await store.decide(device, change, by: .administrator("a"), reason: "", audit: AuditContext())
    }
}

/// Change streams of one limited device, each of which reads its page after every save.
private func follow(_ store: LibraryStore, _ device: DeviceID, _ count: Int, _ news: News) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
            group.addTask {
                let viewer = ChangeViewer.limited(device, Selection(), grantVersion: 9)
                var position: ChangePosition?
                for await _ in news.listen() {
                    let page = try await store.metadata.changes(after: position, limit: 200, for: viewer)
                    position = page.position
                }
            }
        }
        try await group.waitForAll()
    }
}

/// Wakes every stream.
private final class News: Sendable {
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

    func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listeners.withLock { $0.append(continuation) }
        return stream
    }

    func ring() { for listener in listeners.withLock(\.self) { listener.yield() } }
}
