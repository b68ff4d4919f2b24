import Authorization
import LibraryAPI
import Persistence
import PersistenceTestSupport
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

/// What happens at once: two clients with one asset, commits against decisions that change.
struct RaceTests {
    @Test(
        "two clients that race to save one asset make one asset; each gets a receipt that covers it",
        arguments: RowEngine.installed
    )
    func oneAsset(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(seed: 31, in: engine)
        let store = try await fixture.create()
        for round in 0..<25 {
            let (manifest, bytes) = fixture.capture(sizes: [900, 400])
            let callers: [StoreCaller] = [
                .device(StoreFixture.device), .device(StoreFixture.device), .device(StoreFixture.otherDevice),
            ]
            let answers = await withTaskGroup(of: CommitResponse?.self) { group in
                for caller in callers {
                    group.addTask { await saveByAllMeans(manifest, bytes, by: caller, fixture, store) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let receipts = answers.compactMap { $0?.receipt.receipt }
            #expect(receipts.count == callers.count, "round \(round)")
            #expect(receipts.allSatisfy { $0.covers(manifest.id, resources: manifest.resources) })
            #expect(Set(receipts.filter { $0.deviceID == StoreFixture.device }).count == 1, "one device, one receipt")
            #expect(try await store.metadata.count(FetchOptions(), in: .everything) == round + 1)
        }
        #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings == [])
        #expect(try fixture.files.list(fixture.layout.staging) == [])
    }

    @Test(
        "what many clients describe at once shares transactions, and each gets its own answer",
        arguments: RowEngine.installed
    )
    func describedTogether(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(seed: 33, in: engine)
        let store = try await fixture.create()
        let rows = try #require(store.metadata as? SQLMetadataStore)
        let manifests = (0..<200).map { _ in fixture.capture().manifest }
        let before = rows.rounds.rounds
        let answers = try await withThrowingTaskGroup(of: AssetCreationResponse.self) { group in
            for manifest in manifests {
                group.addTask { try await store.create(manifest, by: .device(StoreFixture.device)) }
            }
            return try await group.reduce(into: [AssetCreationResponse]()) { $0.append($1) }
        }
        #expect(Set(answers.map(\.assetID)) == Set(manifests.map(\.id)))
        #expect(answers.allSatisfy { $0.uploads.map(\.offset) == [0] })
        // How many meet is the scheduler's; one transaction each would be as many as there are.
        #expect(rows.rounds.rounds - before < manifests.count)
        let rivals = (0..<2).map { _ in fixture.capture(id: AssetID(rawValue: 7)).manifest }
        let isTaken = await withTaskGroup(of: Bool.self) { group in
            for rival in rivals {
                group.addTask { (try? await store.create(rival, by: .device(StoreFixture.device))) != nil }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(isTaken.count { $0 } == 1, "one that fails leaves the others be")
    }

    @Test(
        "T18: 10,000 commits against a grant that flips: none is admitted after the change number of a revocation",
        arguments: RowEngine.installed
    )
    func flippingGrants(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(seed: 32, in: engine)
        let store = try await fixture.create()
        let wanted = engine == .sqlite ? 10_000 : 1000
        let tally = Tally()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    while !tally.isStopped { tally.take(try await sendBatch(fixture, store)) }
                }
            }
            group.addTask {
                // Batches that ended while a decision was made are told after it: what counts is what became of commits
                // since then, a sixth of them refused.
                var isGranted = true
                var (count, revoked) = (0, ChangeNumber.zero)
                var (admitted, refused) = (0, 0)
                for await _ in tally.batches {
                    count += 1
                    let (good, bad) = (tally.admitted.count - admitted, tally.refusedCount - refused)
                    let isEnough = isGranted ? good >= 12 * 64 : bad * 6 >= good
                    // Where nobody is refused, that is found below.
                    guard isEnough || count == 1000 else { continue }
                    count = 0
                    if isGranted {
                        refused = tally.refusedCount
                        try await fixture.decide(StoreFixture.device, .none, in: store)
                        revoked = try await store.metadata.identity().lastChange
                    } else {
                        #expect(try await store.metadata.identity().lastChange == revoked)
                        admitted = tally.admitted.count
                        try await fixture.decide(StoreFixture.device, .addOnly, in: store)
                        if tally.admitted.count >= wanted { break }
                    }
                    isGranted.toggle()
                }
                tally.stop()
            }
            try await group.waitForAll()
        }
        let numbers = tally.admitted
        #expect(Set(numbers).count == numbers.count, "every commit has a number of its own")
        #expect(try await store.metadata.count(FetchOptions(), in: .everything) == numbers.count)
        #expect(tally.refusedCount > wanted / 10)
    }
}

/// What became of commits that several tasks make.
private final class Tally: Sendable {
    private struct State {
        var admitted: [ChangeNumber] = []
        var refusedCount = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    /// One element a batch that was answered.
    let batches: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (batches, continuation) = AsyncStream.makeStream() }

    var admitted: [ChangeNumber] { state.withLock(\.admitted) }

    var refusedCount: Int { state.withLock(\.refusedCount) }

    var isStopped: Bool { state.withLock(\.isStopped) }

    func stop() { state.withLock { $0.isStopped = true } }

    func take(_ answer: BatchResponse) {
        for result in answer.results {
            if let commit = result.commit {
                state.withLock { $0.admitted.append(commit.receipt.receipt.changeNumber) }
            } else {
                #expect(result.problem?.code == .denied, "\(String(describing: result.problem))")
                state.withLock { $0.refusedCount += 1 }
            }
        }
        continuation.yield()
    }
}

/// Saves as a device does that takes every refusal as a reason to ask again.
private func saveByAllMeans(
    _ manifest: AssetManifest,
    _ bytes: [[UInt8]],
    by caller: StoreCaller,
    _ fixture: StoreFixture,
    _ store: LibraryStore
) async -> CommitResponse? {
    for _ in 0..<20_000 {
        do {
            return try await fixture.save(manifest, bytes, pieces: 3, by: caller, to: store)
        } catch {
            await Task.yield()
        }
    }
    return nil
}

private func sendBatch(_ fixture: StoreFixture, _ store: LibraryStore) async throws -> BatchResponse {
    let receiver = try await store.receiveBatch(by: .device(StoreFixture.device))
    let captures = (0..<64).map { _ in fixture.capture(sizes: [16]) }
    for capture in captures { await receiver.add(capture.manifest) }
    for bytes in captures.flatMap(\.bytes) {
        try await receiver.beginResource(byteCount: Int64(bytes.count))
        try await receiver.append(bytes)
        await receiver.endResource()
    }
    return await receiver.finish()
}
