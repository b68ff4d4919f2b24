import Authorization
import LibraryAPI
import Logging
import PhotoModel
import SyncSimulation
import Synchronization
import Testing

@testable import SyncEngine

/// A library that takes batches, and a queue that takes its word; both say what was asked of them.
private final class Desk: SyncLibrary, SyncQueue {
    enum Call: Hashable {
        case beginUpload([AssetID])
        case batch([AssetID])
        case commit(Set<AssetID>)
        case reject(AssetID)
    }

    /// An entry that the library does not take, and one whose first receipt the box does not believe.
    static let (unwanted, doubted) = (AssetID(rawValue: 3), AssetID(rawValue: 2))

    /// Changes that wait, and what becomes of them.
    struct Changes {
        var waiting: [ChangePush.Change] = []
        /// Those that the library cannot even judge.
        var poisoned: Set<UInt64> = []
        var taken: [UInt64] = []
        var refused: [UInt64] = []

        mutating func drop(_ push: ChangePush) { waiting.removeAll { push.changes.contains($0) } }
    }

    private let ids: Mutex<[AssetID]>
    private let state = Mutex<[Call]>([])
    let changes: Mutex<Changes>

    init(_ ids: [AssetID], changes: Changes = Changes()) {
        self.ids = Mutex(ids)
        self.changes = Mutex(changes)
    }

    var calls: [Call] { state.withLock { $0 } }

    /// More comes into the queue.
    func add(_ asset: AssetID) { ids.withLock { $0.append(asset) } }

    private func note(_ call: Call) { state.withLock { $0.append(call) } }

    // MARK: Library

    func contact() -> ContactOutcome { ContactOutcome(grantVersion: 1) }
    func authorization() -> SyncAuthorization {
        let isEditing = changes.withLock { !$0.waiting.isEmpty || !$0.taken.isEmpty }
        return SyncAuthorization(
            readWrite: isEditing ? .authorized : .notDetermined,
            addOnly: .authorized,
            grantVersion: 1
        )
    }
    func authorization(after version: UInt64, waitSeconds: Int) -> SyncAuthorization { authorization() }
    func request(_ level: AccessLevel) -> SyncAuthorization { authorization() }

    func batch(_ assets: [AssetID]) -> [AssetID: Result<CommitResponse, SyncFailure>] {
        note(.batch(assets))
        return Dictionary(uniqueKeysWithValues: assets.map { ($0, answer(for: $0)) })
    }

    private func answer(for asset: AssetID) -> Result<CommitResponse, SyncFailure> {
        if asset == Self.unwanted {
            return .failure(.refused(ProblemDetails(.resourceInvalid, "no photo in it")))
        }
        let receipt = Receipt(
            libraryID: LibraryID(rawValue: 1),
            libraryEpoch: LibraryEpoch(rawValue: 1),
            deviceID: DeviceID(rawValue: 7),
            assetID: asset,
            changeNumber: ChangeNumber(rawValue: 1),
            time: WallTime(microsecondsSince1970: 0),
            resources: []
        )
        return .success(CommitResponse(receipt: SignedReceipt(receipt: receipt, keyID: "key", signature: [1])))
    }

    func describe(_ asset: AssetID) throws(SyncFailure) -> AssetCreationResponse { throw .noAnswer("not asked here") }
    func position(of upload: UploadID) throws(SyncFailure) -> (offset: Int64, isComplete: Bool) {
        throw .noAnswer("not asked here")
    }
    func append(_ append: Append) throws(SyncFailure) -> (offset: Int64, isComplete: Bool) {
        throw .noAnswer("not asked here")
    }
    func commit(_ asset: AssetID) throws(SyncFailure) -> CommitResponse { throw .noAnswer("not asked here") }
    func push(_ push: ChangePush) throws(SyncFailure) -> ChangePushResponse {
        let poisoned = changes.withLock { $0.poisoned }
        guard !push.changes.contains(where: { poisoned.contains($0.counter) }) else {
            throw .refused(ProblemDetails(.malformedRequest, "what is this?"))
        }
        changes.withLock { $0.taken += push.changes.map(\.counter) }
        return ChangePushResponse(acknowledged: push.changes.last?.counter ?? 0)
    }
    func changes(since token: ChangeToken?, waitSeconds: Int) throws(SyncFailure) -> ChangeFeedPage {
        throw .noAnswer("not asked here")
    }
    func ranges(_ bounds: ChangeRange.Bounds, count: Int) -> [ChangeRange] { [] }
    func entities(_ bounds: ChangeRange.Bounds) -> [EntityChange] { [] }

    // MARK: Queue

    func owed(limit: Int) -> [SyncEntry] {
        ids.withLock { $0 }.map { id in
            let photo = AssetResource(
                id: ResourceID(rawValue: id.rawValue),
                type: .photo,
                digest: .zero,
                byteCount: 10,
                contentType: "image/jpeg"
            )
            return SyncEntry(id: id, deviceID: DeviceID(rawValue: 7), resources: [photo])
        }
    }

    func commit(_ answers: [AssetID: CommitResponse]) -> [AssetID: SyncFailure] {
        let isFirst = !calls.contains { if case .commit = $0 { true } else { false } }
        let isDoubted = isFirst && answers[Self.doubted] != nil
        ids.withLock { $0.removeAll { answers[$0] != nil && !(isDoubted && $0 == Self.doubted) } }
        note(.commit(Set(answers.keys)))
        return isDoubted ? [Self.doubted: .receiptRefused("another key")] : [:]
    }

    func beginUpload(_ assets: [AssetID]) { note(.beginUpload(assets)) }
    func reject(_ asset: AssetID, _ problem: String) { note(.reject(asset)) }
    func hold(_ assets: [AssetID], _ reason: HoldReason) {}
    func release(_ assets: [AssetID]) {}
    func pendingPush() -> ChangePush? {
        let waiting = changes.withLock { $0.waiting }
        return waiting.isEmpty ? nil : ChangePush(incarnation: "i", changes: waiting)
    }
    func acknowledge(_ push: ChangePush, _ answer: ChangePushResponse) -> Int {
        changes.withLock { $0.drop(push) }
        return push.changes.count
    }
    func refuse(_ push: ChangePush, _ problem: ProblemDetails) {
        changes.withLock { state in
            state.drop(push)
            state.refused += push.changes.map(\.counter)
        }
    }
    func restamp() {}
    func beginIncarnation() {}
    func feedPosition() -> ChangeFeedPosition { ChangeFeedPosition(token: nil, enumeration: 0) }
    func apply(_ page: ChangeFeedPage, at position: ChangeFeedPosition) -> Bool { true }
    func beginEnumeration() {}
    func differing(_ ranges: [ChangeRange]) -> [ChangeRange] { [] }
    func mend(_ bounds: ChangeRange.Bounds, by entities: [EntityChange], at position: ChangeFeedPosition) -> Int { 0 }
    func noteComparison() {}
}

struct SyncSessionTests {
    /// Syncs once, with a desk on both sides.
    private func run(_ desk: Desk, feed: AsyncStream<Void>? = nil) async -> SyncReport {
        var policy = SyncPolicy()
        policy.minimumBackoff = .milliseconds(1)
        let session = SyncSession(
            library: desk,
            queue: desk,
            clock: ContinuousClock(),
            minuteOfDay: { 0 },
            logger: Logger(label: "session") { _ in SwiftLogNoOpLogHandler() }
        )
        let machine = SyncMachine(device: DeviceID(rawValue: 7), policy: policy, isFed: feed != nil, seed: 1)
        return await session.run(machine, .once, feed: feed)
    }

    @Test("A single sync beside an import sends while that goes on, and does not end before it")
    func feed() async {
        let desk = Desk([])
        let (feed, fed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        async let report = run(desk, feed: feed)
        for number in UInt128(10)..<13 {
            let asset = AssetID(rawValue: number)
            desk.add(asset)
            fed.yield()
            // The next one comes when this one is in the library.
            while !desk.calls.contains(.commit([asset])) { await Task.yield() }
        }
        fed.finish()
        #expect(await report.tally.committed == 3)
        #expect(await report.outcome == .done)
    }

    @Test("Of changes that the library cannot judge as a push, the guilty ones are found and keep no other back")
    func poison() async {
        var changes = Desk.Changes()
        changes.waiting = (1...100).map { ChangePush.Change(counter: $0, delta: Base64Bytes([1])) }
        changes.poisoned = [17, 64]
        let desk = Desk([], changes: changes)
        _ = await run(desk)
        let ended = desk.changes.withLock { $0 }
        #expect(ended.refused == [17, 64] && ended.waiting.isEmpty)
        #expect(Set(ended.taken) == Set(1...100).subtracting([17, 64]) && ended.taken == ended.taken.sorted())
    }

    @Test("A batch's receipts are stored by one call; what was refused or not believed in it keeps nothing else back")
    func batch() async {
        let ids = (1...4).map { AssetID(rawValue: $0) }
        let desk = Desk(ids)
        let report = await run(desk)
        let taken = Set(ids).subtracting([Desk.unwanted])
        #expect(desk.calls.prefix(3) == [.beginUpload(ids), .batch(ids), .commit(taken)])
        #expect(desk.calls.contains(.reject(Desk.unwanted)))
        #expect(desk.calls.last { if case .commit = $0 { true } else { false } } == .commit([Desk.doubted]))
        #expect(report.tally.committed == 3 && report.tally.rejected == 1 && report.outcome == .partly)
    }
}
