import Authorization
import LibraryAPI
import PhotoModel
import SyncSimulation
import TestSupport
import Testing

@testable import SyncEngine

/// A machine that has met its library, and how to drive it.
private struct Bench {
    var machine: SyncMachine
    var now = Duration.zero
    static let device = DeviceID(rawValue: 7)

    init(
        _ entries: [SyncEntry],
        readWrite: AuthorizationStatus = .notDetermined,
        addOnly: AuthorizationStatus = .authorized,
        policy: SyncPolicy = SyncPolicy(),
        isFed: Bool = false
    ) {
        machine = SyncMachine(device: Self.device, policy: policy, isFed: isFed, seed: 1)
        _ = machine.next(now: now)
        machine.handle(.loaded(entries), now: now)
        _ = machine.next(now: now)
        machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: now)
        let authorization = SyncAuthorization(readWrite: readWrite, addOnly: addOnly, grantVersion: 1)
        _ = machine.next(now: now)
        machine.handle(.authorized(.authorize, authorization), now: now)
    }

    mutating func next() -> [SyncAction] { machine.next(now: now) }

    /// The next actions that ask the library; what is only noted on the box is done.
    mutating func nextCalls() -> [SyncAction] {
        let actions = next()
        for action in actions where action.isLocal { machine.handle(.noted(action), now: now) }
        return actions.filter { !$0.isLocal }
    }

    mutating func fail(_ action: SyncAction, _ failure: SyncFailure) {
        machine.handle(.failed(action, failure), now: now)
    }

    /// Brings a single large entry to its first append.
    mutating func firstAppend(of entry: SyncEntry) -> Append? {
        _ = next()
        machine.handle(.described(entry.id, [status(of: entry)]), now: now)
        guard case .append(let append)? = next().first else { return nil }
        return append
    }

    func status(of entry: SyncEntry, offset: Int64 = 0) -> UploadStatus {
        UploadStatus(
            id: UploadID(rawValue: 9),
            resourceID: entry.resources[0].id,
            offset: offset,
            length: entry.byteCount,
            isComplete: offset == entry.byteCount,
            expires: WallTime(microsecondsSince1970: 0)
        )
    }
}

private func entry(_ number: UInt128, bytes: Int64, album: Bool = false, device: DeviceID? = Bench.device) -> SyncEntry
{
    let resource = AssetResource(
        id: ResourceID(rawValue: number),
        type: .photo,
        digest: .zero,
        byteCount: bytes,
        contentType: "image/jpeg"
    )
    return SyncEntry(id: AssetID(rawValue: number), deviceID: device, resources: [resource], wantsAlbum: album)
}

struct SyncMachineTests {
    @Test("A sync loads, makes contact, and asks what it may do before it sends")
    func order() {
        var machine = SyncMachine(device: Bench.device, seed: 1)
        #expect(machine.next(now: .zero) == [.load])
        #expect(machine.next(now: .zero) == [])
        machine.handle(.loaded([entry(1, bytes: 10)]), now: .zero)
        #expect(machine.next(now: .zero) == [.contact])
        machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: .zero)
        #expect(machine.next(now: .zero) == [.authorize])
        let may = SyncAuthorization(readWrite: .notDetermined, addOnly: .authorized, grantVersion: 1)
        machine.handle(.authorized(.authorize, may), now: .zero)
        let batch = SyncAction.batch([AssetID(rawValue: 1)])
        #expect(machine.next(now: .zero) == [batch])
        machine.handle(.batched(batch, committed: [AssetID(rawValue: 1)], refused: [:]), now: .zero)
        #expect(machine.next(now: .zero) == [])
        #expect(machine.isSpent(now: .zero))
        #expect(machine.tally.committed == 1)
    }

    @Test("With nothing owed a sync is one contact")
    func nothingToDo() {
        var machine = SyncMachine(device: Bench.device, seed: 1)
        _ = machine.next(now: .zero)
        machine.handle(.loaded([]), now: .zero)
        #expect(machine.next(now: .zero) == [.contact])
        let may = SyncAuthorization(readWrite: .notDetermined, addOnly: .authorized, grantVersion: 1)
        machine.handle(.contacted(ContactOutcome(grantVersion: 1, remembered: may)), now: .zero)
        #expect(machine.next(now: .zero) == [])
        #expect(machine.isSpent(now: .zero))
    }

    @Test(
        "What the box remembers of its rights counts at the same version only, with nothing pending and something allowed",
        arguments: [
            (SyncAuthorization(readWrite: .limited, addOnly: .notDetermined, grantVersion: 2), false),
            (SyncAuthorization(readWrite: .limited, addOnly: .notDetermined, grantVersion: 1), true),
            (SyncAuthorization(readWrite: .denied, addOnly: .denied, grantVersion: 2), true),
            (SyncAuthorization(readWrite: .notDetermined, addOnly: .notDetermined, grantVersion: 2), true),
            (SyncAuthorization(readWrite: .notDetermined, addOnly: .restricted, grantVersion: 2), true),
            (
                SyncAuthorization(
                    readWrite: .notDetermined,
                    addOnly: .authorized,
                    pending: [.readWrite],
                    grantVersion: 2
                ),
                true
            ),
        ]
    )
    func remembers(remembered: SyncAuthorization, isAsked: Bool) {
        var machine = SyncMachine(device: Bench.device, seed: 1)
        _ = machine.next(now: .zero)
        machine.handle(.loaded([entry(1, bytes: 10)]), now: .zero)
        _ = machine.next(now: .zero)
        machine.handle(.contacted(ContactOutcome(grantVersion: 2, remembered: remembered)), now: .zero)
        #expect(machine.next(now: .zero).contains(.authorize) == isAsked)
        if isAsked {
            let may = SyncAuthorization(readWrite: .limited, addOnly: .notDetermined, grantVersion: 2)
            machine.handle(.authorized(.authorize, may), now: .zero)
            #expect(!machine.next(now: .zero).contains(.authorize), "it is known now")
        }
        machine.handle(.contacted(ContactOutcome(grantVersion: 3, remembered: remembered)), now: .zero)
        #expect(machine.next(now: .zero).contains(.authorize), "the decision has changed since")
    }

    @Test("What the answer to a batch does not name is read from the queue anew, and not sent in a loop")
    func unnamed() {
        var bench = Bench([entry(1, bytes: 10), entry(2, bytes: 10)])
        let (first, second) = (AssetID(rawValue: 1), AssetID(rawValue: 2))
        #expect(bench.next() == [.batch([first, second])])
        bench.machine.handle(.batched(.batch([first, second]), committed: [first], refused: [:]), now: bench.now)
        #expect(bench.next() == [], "not at once")
        bench.now += bench.machine.policy.minimumBackoff
        #expect(bench.next() == [.load])
        bench.machine.handle(.loaded([entry(2, bytes: 10)]), now: bench.now)
        #expect(bench.next() == [.batch([second])], "it is owed still")
        bench.machine.handle(.batched(.batch([second]), committed: [], refused: [:]), now: bench.now)
        bench.now += bench.machine.policy.minimumBackoff
        #expect(bench.next() == [.load])
        bench.machine.handle(.loaded([]), now: bench.now)
        #expect(bench.next() == [])
        #expect(bench.machine.isSpent(now: bench.now), "nobody owes it any more")
    }

    @Test("Rights that are less than the box remembers are asked for after the first refusal, and what waits is held")
    func remembersTooMuch() {
        var machine = SyncMachine(device: Bench.device, seed: 1)
        _ = machine.next(now: .zero)
        machine.handle(.loaded([entry(1, bytes: 10)]), now: .zero)
        _ = machine.next(now: .zero)
        let may = SyncAuthorization(readWrite: .notDetermined, addOnly: .authorized, grantVersion: 2)
        machine.handle(.contacted(ContactOutcome(grantVersion: 2, remembered: may)), now: .zero)
        let batch = SyncAction.batch([AssetID(rawValue: 1)])
        #expect(machine.next(now: .zero) == [batch])
        machine.handle(.failed(batch, .refused(ProblemDetails(.denied, "no"))), now: .zero)
        #expect(machine.next(now: .zero) == [.authorize])
        let mayNot = SyncAuthorization(readWrite: .notDetermined, addOnly: .denied, grantVersion: 2)
        machine.handle(.authorized(.authorize, mayNot), now: .zero)
        #expect(machine.next(now: .zero) == [.hold([AssetID(rawValue: 1)], .denied)])
    }

    @Test("Small assets go in one batch beside two large ones, the oldest large one first")
    func slots() {
        let large = (10...12).map { entry(UInt128($0), bytes: 50 << 20) }
        var policy = SyncPolicy()
        policy.parallelRequests = 3
        var bench = Bench([large[0], entry(1, bytes: 10), large[1], entry(2, bytes: 20), large[2]], policy: policy)
        #expect(
            bench.next() == [
                .batch([AssetID(rawValue: 1), AssetID(rawValue: 2)]), .describe(large[0].id), .describe(large[1].id),
            ]
        )
    }

    @Test("Two batches go at once, the oldest assets first, and each ends by itself")
    func parallelBatches() {
        let ids = (1...6).map { AssetID(rawValue: $0) }
        var policy = SyncPolicy()
        policy.batchAssetCount = 2
        var bench = Bench((1...6).map { entry($0, bytes: 10) }, policy: policy)
        #expect(bench.next() == [.batch(Array(ids[0..<2])), .batch(Array(ids[2..<4]))])
        let second = Array(ids[2..<4])
        bench.machine.handle(.batched(.batch(second), committed: second, refused: [:]), now: bench.now)
        #expect(bench.next() == [.batch(Array(ids[4..<6]))], "the other one is under way still")
        bench.fail(.batch(Array(ids[0..<2])), .refused(ProblemDetails(.malformedRequest, "")))
        #expect(bench.next() == ids[0..<2].map { .describe($0) })
        #expect(bench.machine.tally.committed == 2)
    }

    @Test("An answer to one batch judges nothing that another one sends")
    func strangersInAnswer() {
        let ids = (1...4).map { AssetID(rawValue: $0) }
        var policy = SyncPolicy()
        policy.batchAssetCount = 2
        var bench = Bench((1...4).map { entry($0, bytes: 10) }, policy: policy)
        #expect(bench.next().count == 2)
        let refused = [ids[2]: SyncFailure.refused(ProblemDetails(.resourceInvalid, "no photo in it"))]
        let answer = SyncEvent.batched(.batch(Array(ids[0..<2])), committed: ids, refused: refused)
        bench.machine.handle(answer, now: bench.now)
        #expect(bench.next() == [] && bench.machine.tally.committed == 2 && bench.machine.tally.rejected == 0)
        #expect(bench.machine.remaining.map(\.entry.id) == Array(ids[2..<4]))
    }

    @Test("What an answer does not name is looked up, and the batch beside it goes on")
    func unnamedBesideAnother() {
        let ids = (1...4).map { AssetID(rawValue: $0) }
        var policy = SyncPolicy()
        policy.batchAssetCount = 2
        var bench = Bench((1...4).map { entry($0, bytes: 10) }, policy: policy)
        let batches = bench.next()
        bench.machine.handle(.batched(batches[0], committed: [], refused: [:]), now: bench.now)
        bench.now += policy.minimumBackoff
        #expect(bench.next() == [.load])
        bench.machine.handle(.batched(batches[1], committed: Array(ids[2..<4]), refused: [:]), now: bench.now)
        // It was read before the second batch was through.
        bench.machine.handle(.loaded((1...4).map { entry($0, bytes: 10) }), now: bench.now)
        #expect(bench.next() == [batches[0]], "and what was committed meanwhile is not sent again")
        bench.machine.handle(.batched(batches[0], committed: Array(ids[0..<2]), refused: [:]), now: bench.now)
        #expect(bench.machine.isSpent(now: bench.now) && bench.machine.tally.committed == 4)
    }

    @Test("What is captured while the queue is being read is read after it, and what is known is sent meanwhile")
    func wokenWhileLoading() {
        var bench = Bench([])
        bench.machine.handle(.woken, now: bench.now)
        #expect(bench.next() == [.load, .contact])
        bench.machine.handle(.woken, now: bench.now)
        bench.machine.handle(.loaded([entry(1, bytes: 10)]), now: bench.now)
        #expect(!bench.machine.isSpent(now: bench.now))
        #expect(bench.next() == [.load, .batch([AssetID(rawValue: 1)])])
        bench.machine.handle(.loaded([entry(1, bytes: 10), entry(2, bytes: 10)]), now: bench.now)
        #expect(bench.next() == [.batch([AssetID(rawValue: 2)])])
    }

    @Test("Beside an import a sync reads the queue on when what it knows has nearly gone, and ends after the import")
    func fed() {
        var policy = SyncPolicy()
        policy.fedEntryCount = 2
        var bench = Bench([entry(1, bytes: 10), entry(2, bytes: 10)], policy: policy, isFed: true)
        let ids = [AssetID(rawValue: 1), AssetID(rawValue: 2)]
        bench.machine.handle(.fed(isLast: false), now: bench.now)
        #expect(bench.next() == [.batch(ids)], "enough is known")
        bench.machine.handle(.batched(.batch(ids), committed: ids, refused: [:]), now: bench.now)
        #expect(bench.next() == [.load])
        bench.machine.handle(.loaded([entry(3, bytes: 10)]), now: bench.now)
        let third = [AssetID(rawValue: 3)]
        #expect(bench.next() == [.batch(third)])
        bench.machine.handle(.batched(.batch(third), committed: third, refused: [:]), now: bench.now)
        #expect(bench.next() == [] && !bench.machine.isSpent(now: bench.now), "more may come")
        bench.machine.handle(.fed(isLast: true), now: bench.now)
        #expect(bench.next() == [.load], "the last files came after the last reading")
        bench.machine.handle(.loaded([]), now: bench.now)
        #expect(bench.next() == [] && bench.machine.isSpent(now: bench.now))
    }

    @Test("A queue longer than what is taken into memory is read on, past what is refused for good and what is held")
    func readsOn() {
        var policy = SyncPolicy()
        policy.loadedEntryCount = 3
        let former = entry(1, bytes: 10, device: DeviceID(rawValue: 99))
        var bench = Bench([former, entry(2, bytes: 10), entry(3, bytes: 10)], policy: policy)
        let ids = [AssetID(rawValue: 2), AssetID(rawValue: 3)]
        let hold = SyncAction.hold([former.id], .revoked)
        #expect(bench.next() == [.batch(ids)])
        bench.machine.handle(.noted(hold), now: bench.now)
        let refused = [ids[0]: SyncFailure.refused(ProblemDetails(.resourceInvalid, "no photo in it"))]
        bench.machine.handle(.batched(.batch(ids), committed: [ids[1]], refused: refused), now: bench.now)
        guard case .reject? = bench.next().first else { return #expect(Bool(false), "no rejection") }
        bench.machine.handle(.noted(.reject(ids[0], "resource.invalid: no photo in it")), now: bench.now)
        #expect(!bench.machine.isSpent(now: bench.now))
        #expect(bench.next() == [.load])
        bench.machine.handle(.loaded([former, entry(4, bytes: 10)]), now: bench.now)
        #expect(bench.next() == [.batch([AssetID(rawValue: 4)])])
        bench.machine.handle(
            .batched(.batch([AssetID(rawValue: 4)]), committed: [AssetID(rawValue: 4)], refused: [:]),
            now: bench.now
        )
        #expect(bench.next() == [] && bench.machine.isSpent(now: bench.now), "there was no more")
    }

    @Test("Where contacts pass and what is long does not, waits grow all the same, and a single sync comes to its end")
    func longOnesAreCut() {
        var bench = Bench([entry(1, bytes: 10)])
        let batch = SyncAction.batch([AssetID(rawValue: 1)])
        var waits: [Duration] = []
        while !bench.machine.isSpent(now: bench.now), waits.count < 20 {
            #expect(bench.nextCalls() == [batch])
            bench.fail(batch, .noAnswer("cut"))
            let failed = bench.now
            if bench.machine.isSpent(now: bench.now) { break }
            bench.now = bench.machine.wake(now: bench.now)
            #expect(bench.nextCalls() == [.contact], "first it is asked whether anybody is there")
            bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
            waits.append(bench.now - failed)
        }
        #expect(waits.count == bench.machine.policy.onceFailureCount - 1)
        #expect(bench.machine.link.retry.failures == bench.machine.policy.onceFailureCount)
        bench.now = bench.machine.wake(now: bench.now)
        _ = bench.nextCalls()
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        #expect(bench.nextCalls() == [batch], "a service goes on")
        bench.machine.handle(.batched(batch, committed: [AssetID(rawValue: 1)], refused: [:]), now: bench.now)
        #expect(bench.machine.link.retry.failures == 0, "what came through proves the link")
    }

    @Test("A library that has no room for any of a batch is asked less and less often")
    func full() {
        var bench = Bench([entry(1, bytes: 10)])
        let batch = SyncAction.batch([AssetID(rawValue: 1)])
        for count in 1...3 {
            #expect(bench.nextCalls() == [batch])
            let refused = [AssetID(rawValue: 1): SyncFailure.refused(ProblemDetails(.quotaExceeded, "full"))]
            bench.machine.handle(.batched(batch, committed: [], refused: refused), now: bench.now)
            #expect(bench.machine.link.retry.failures == count)
            bench.machine.handle(.woken, now: bench.now)
            #expect(!bench.nextCalls().contains(batch), "what is new here makes no room there")
            bench.machine.handle(.loaded([entry(1, bytes: 10)]), now: bench.now)
            bench.now = bench.machine.wake(now: bench.now)
            _ = bench.nextCalls()
            bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        }
    }

    @Test("A batch that something on the way finds too long is taken apart")
    func tooLongForProxy() {
        var bench = Bench([entry(1, bytes: 10), entry(2, bytes: 10)])
        let ids = [AssetID(rawValue: 1), AssetID(rawValue: 2)]
        #expect(bench.nextCalls() == [.batch(ids)])
        var problem = ProblemDetails(.unavailable, "status 413")
        problem.type = "about:blank"
        problem.status = 413
        bench.fail(.batch(ids), .refused(problem))
        bench.now += .seconds(60)
        #expect(bench.nextCalls().contains(.describe(ids[0])), "each by itself")
    }

    @Test("A link that failed for an asset which is given up is good again by the next contact")
    func givenUpAfterCut() {
        var bench = Bench([entry(1, bytes: 10)])
        let batch = SyncAction.batch([AssetID(rawValue: 1)])
        _ = bench.nextCalls()
        bench.fail(batch, .noAnswer("cut"))
        bench.now = bench.machine.wake(now: bench.now)
        _ = bench.nextCalls()
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        #expect(bench.machine.link.retry.failures == 1 && bench.nextCalls() == [batch])
        bench.fail(batch, .damaged("the disk lost it"))
        #expect(bench.nextCalls() == [] && bench.machine.link.retry.failures == 1)
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        #expect(bench.machine.link.retry.failures == 0)
    }

    @Test(
        "A level that cannot be asked for is asked for once, what needs it waits for a decision, and the link stays good",
        arguments: [
            SyncFailure.local("the setting library.readWrite.usage is missing"),
            .refused(ProblemDetails(.usageMissing, "why?")),
        ]
    )
    func unaskable(failure: SyncFailure) {
        var bench = Bench([entry(1, bytes: 10, album: true)], addOnly: .notDetermined)
        let asked = bench.nextCalls().filter { if case .request = $0 { true } else { false } }
        #expect(asked.count == 1)
        for action in asked { bench.fail(action, failure) }
        for action in bench.nextCalls() where action == .authorize {
            let same = SyncAuthorization(readWrite: .notDetermined, addOnly: .notDetermined, grantVersion: 1)
            bench.machine.handle(.authorized(.authorize, same), now: bench.now)
        }
        #expect(bench.nextCalls().isEmpty && bench.machine.link.retry.failures == 0)
        #expect(bench.machine.remaining.map(\.hold) == [.pending] && bench.machine.isSpent(now: bench.now))
        bench.now += SyncPolicy().contactInterval
        #expect(bench.next().contains(.contact))
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        let again = bench.next().filter { if case .request = $0 { true } else { false } }
        #expect(again == (failure.code == nil ? asked : []), "what failed here alone is tried again, once a contact")
    }

    @Test("The library is told soon that nothing waits any more, where the policy says so", arguments: [nil, 5])
    func deliveryReport(seconds: Int?) {
        var policy = SyncPolicy()
        policy.deliveryReportDelay = seconds.map { .seconds($0) }
        var bench = Bench([entry(1, bytes: 10), entry(2, bytes: 9 << 20)], policy: policy)
        _ = bench.next()
        bench.machine.handle(
            .batched(.batch([AssetID(rawValue: 1)]), committed: [AssetID(rawValue: 1)], refused: [:]),
            now: bench.now
        )
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1, interval: .seconds(900))), now: bench.now)
        bench.machine.contact = .made(at: bench.now, due: bench.now + .seconds(900))
        bench.now += .seconds(100)
        #expect(!bench.next().contains(.contact), "something is owed still")
        bench.machine.handle(.committed(AssetID(rawValue: 2)), now: bench.now)
        #expect(!bench.next().contains(.contact), "what comes just after it shares the contact")
        bench.now += .seconds(5)
        #expect(bench.next().contains(.contact) == (seconds != nil))
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1, interval: .seconds(900))), now: bench.now)
        bench.machine.handle(.committed(AssetID(rawValue: 3)), now: bench.now)
        bench.now += .seconds(20)
        #expect(!bench.next().contains(.contact), "a box that captures all the time says so once a minute")
        bench.now += .seconds(40)
        #expect(bench.next().contains(.contact) == (seconds != nil))
    }

    @Test("Requests that are cut together are one failure of the link")
    func oneCut() {
        var policy = SyncPolicy()
        policy.batchAssetCount = 1
        let entries = [entry(1, bytes: 10), entry(2, bytes: 10), entry(3, bytes: 9 << 20), entry(4, bytes: 9 << 20)]
        var bench = Bench(entries, policy: policy)
        let actions = bench.next()
        #expect(actions.count == policy.onceFailureCount)
        for action in actions { bench.fail(action, .noAnswer("cut")) }
        #expect(bench.machine.link.retry.failures == 1 && !bench.machine.isSpent(now: bench.now))
    }

    @Test(
        "Batches leave one of several parallel requests to larger assets",
        arguments: [(1, 1), (2, 1), (3, 2), (4, 2)]
    )
    func batchesAtOnce(requests: Int, batches: Int) {
        var policy = SyncPolicy()
        policy.parallelRequests = requests
        policy.batchAssetCount = 1
        let entries = (1...5).map { entry($0, bytes: 10) } + (6...9).map { entry($0, bytes: 50 << 20) }
        var bench = Bench(entries, policy: policy)
        let actions = bench.next()
        #expect(actions.count == requests)
        #expect(actions.count { if case .batch = $0 { true } else { false } } == batches)
    }

    @Test("A batch stays below what the library takes, whatever its manifests are")
    func batchLimits() {
        let policy = SyncPolicy()
        let manifests = Int64(policy.batchAssetCount * APILimits.manifestByteCount)
        #expect(policy.batchAssetCount <= APILimits.batchAssetCount)
        #expect(manifests + policy.batchByteCount < APILimits.batchByteCount)
        var bench = Bench((1...20).map { entry($0, bytes: 1 << 20) })
        #expect(bench.next() == [1...8, 9...16].map { .batch($0.map { AssetID(rawValue: $0) }) })
    }

    @Test("Within an asset the smaller resource goes first, and no append is above 8 MiB")
    func resourceOrder() {
        let ids = [ResourceID(rawValue: 1), ResourceID(rawValue: 2)]
        let sizes: [Int64] = [20 << 20, 2 << 20]
        let resources = zip(ids, zip(sizes, [AssetResourceType.pairedVideo, .photo])).map { id, rest in
            AssetResource(id: id, type: rest.1, digest: .zero, byteCount: rest.0, contentType: "image/jpeg")
        }
        let asset = SyncEntry(id: AssetID(rawValue: 5), deviceID: Bench.device, resources: resources)
        var policy = SyncPolicy()
        policy.parallelRequests = 1
        var bench = Bench([asset], policy: policy)
        _ = bench.next()
        let uploads = resources.enumerated().map { index, resource in
            UploadStatus(
                id: UploadID(rawValue: UInt128(index)),
                resourceID: resource.id,
                offset: 0,
                length: resource.byteCount,
                isComplete: false,
                expires: WallTime(microsecondsSince1970: 0)
            )
        }
        bench.machine.handle(.described(asset.id, uploads), now: .zero)
        guard case .append(let first)? = bench.next().first else { return #expect(Bool(false), "no append") }
        #expect(first.resourceID == ids[1] && first.byteCount == 2 << 20 && first.isLast)
        bench.machine.handle(.positioned(asset.id, first.uploadID, offset: 2 << 20, isComplete: true), now: .zero)
        guard case .append(let second)? = bench.next().first else { return #expect(Bool(false), "no append") }
        #expect(second.resourceID == ids[0] && second.byteCount == 8 << 20 && !second.isLast)
    }

    @Test("After a cut the offset is asked for, and at most one append is sent again")
    func resume() {
        let asset = entry(1, bytes: 20 << 20)
        var bench = Bench([asset])
        guard let append = bench.firstAppend(of: asset) else { return #expect(Bool(false), "no append") }
        bench.fail(.append(append), .noAnswer("cut"))
        #expect(bench.next() == [])
        bench.now = bench.machine.wake(now: bench.now)
        #expect(bench.next() == [.contact])
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        #expect(bench.next() == [.position(asset.id, append.uploadID)])
        bench.machine.handle(.positioned(asset.id, append.uploadID, offset: 8 << 20, isComplete: false), now: bench.now)
        guard case .append(let again)? = bench.next().first else { return #expect(Bool(false), "no append") }
        #expect(again.offset == 8 << 20)
    }

    @Test(
        "T68: a library that takes no bytes, or takes them back, is asked less and less often, and a single sync ends",
        arguments: [[0], [8 << 20, 0], [20 << 20], Array(1...60), [-1, .max]] as [[Int64]]
    )
    func noProgress(offsets: [Int64]) {
        let asset = entry(1, bytes: 20 << 20)
        var bench = Bench([asset])
        guard var append = bench.firstAppend(of: asset) else { return #expect(Bool(false), "no append") }
        var appendCount = 0
        var waits: [Duration] = []
        while appendCount < 60 {
            let offset = offsets[appendCount % offsets.count]
            bench.machine.handle(
                .positioned(asset.id, append.uploadID, offset: offset, isComplete: false),
                now: bench.now
            )
            appendCount += 1
            if bench.machine.isSpent(now: bench.now) { break }
            var actions = bench.nextCalls()
            if actions.isEmpty {
                let wake = bench.machine.wake(now: bench.now)
                waits.append(wake - bench.now)
                bench.now = wake
                actions = bench.nextCalls()
            }
            if actions == [.describe(asset.id)] {
                bench.machine.handle(.described(asset.id, [bench.status(of: asset)]), now: bench.now)
                actions = bench.nextCalls()
            }
            guard case .append(let next)? = actions.first else { return #expect(Bool(false), "\(actions)") }
            append = next
        }
        let policy = bench.machine.policy
        #expect(waits.count == policy.onceFailureCount - 1 && waits.allSatisfy { $0 >= policy.minimumBackoff })
        #expect(appendCount <= 2 * (policy.immediateRetries + policy.onceFailureCount))
        #expect(bench.machine.tally.lastProblem?.contains("does not take the bytes") == true)
    }

    @Test(
        "T104: a library that wants bytes that the asset does not have, or the same ones twice, makes no dead letter",
        arguments: 0..<4
    )
    func otherUploads(_ kind: Int) {
        let asset = entry(1, bytes: 20 << 20)
        var bench = Bench([asset])
        var uploads = [bench.status(of: asset), bench.status(of: asset)]
        switch kind {
        case 0: uploads[1].id = UploadID(rawValue: 10)
        case 1: break
        case 2:
            uploads.removeLast()
            uploads[0].resourceID = ResourceID(rawValue: 99)
        default:
            uploads.removeLast()
            uploads[0].length += 1
        }
        var answerCount = 0
        while answerCount < 60 {
            var actions = bench.nextCalls()
            if actions.isEmpty {
                bench.now = bench.machine.wake(now: bench.now)
                actions = bench.nextCalls()
            }
            guard actions == [.describe(asset.id)] else { return #expect(Bool(false), "\(actions)") }
            bench.machine.handle(.described(asset.id, uploads), now: bench.now)
            answerCount += 1
            if bench.machine.isSpent(now: bench.now) { break }
        }
        let policy = bench.machine.policy
        #expect(answerCount <= 2 * (policy.immediateRetries + policy.onceFailureCount))
        #expect(bench.machine.tally.rejected == 0)
        #expect(bench.machine.tally.lastProblem?.contains("other bytes") == true)
    }

    @Test("What a library lost is sent again without a pause")
    func lostUpload() {
        let asset = entry(1, bytes: 80 << 20)
        var bench = Bench([asset])
        guard var append = bench.firstAppend(of: asset) else { return #expect(Bool(false), "no append") }
        for round in 0..<2 {
            for number in Int64(1)...9 {
                bench.machine.handle(
                    .positioned(asset.id, append.uploadID, offset: number << 23, isComplete: false),
                    now: bench.now
                )
                guard case .append(let next)? = bench.next().first else { return #expect(Bool(false), "a pause") }
                append = next
            }
            guard round == 0 else { break }
            bench.fail(.append(append), .refused(ProblemDetails(.uploadGone, "")))
            guard let again = bench.firstAppend(of: asset) else { return #expect(Bool(false), "no append") }
            append = again
        }
        #expect(append.isLast && bench.now == .zero)
    }

    @Test("T68: a library that tells where an upload stands, but takes none of it, is asked less and less often")
    func superseded() {
        let asset = entry(1, bytes: 20 << 20)
        var bench = Bench([asset])
        guard var append = bench.firstAppend(of: asset) else { return #expect(Bool(false), "no append") }
        var appendCount = 1
        while appendCount < 60 {
            bench.fail(.append(append), .refused(ProblemDetails(.uploadSuperseded, "")))
            if bench.machine.isSpent(now: bench.now) { break }
            var actions = bench.nextCalls()
            if actions.isEmpty {
                bench.now = bench.machine.wake(now: bench.now)
                actions = bench.nextCalls()
            }
            #expect(actions == [.position(asset.id, append.uploadID)])
            let offset = Int64(appendCount % 2) << 20
            bench.machine.handle(
                .positioned(asset.id, append.uploadID, offset: offset, isComplete: false),
                now: bench.now
            )
            guard case .append(let next)? = bench.nextCalls().first else { return #expect(Bool(false), "no append") }
            append = next
            appendCount += 1
        }
        #expect(appendCount == bench.machine.policy.immediateRetries + bench.machine.policy.onceFailureCount)
    }

    @Test("A wrong offset is answered with the right one, without a pause")
    func mismatch() {
        let asset = entry(1, bytes: 20 << 20)
        var bench = Bench([asset])
        guard let append = bench.firstAppend(of: asset) else { return #expect(Bool(false), "no append") }
        bench.fail(.append(append), .refused(.offsetMismatch(expected: 3 << 20, provided: 0)))
        guard case .append(let again)? = bench.next().first else { return #expect(Bool(false), "no append") }
        #expect(again.offset == 3 << 20)
    }

    @Test(
        "000.20, 002.12: every way of not being allowed holds the capture and never drops it",
        arguments: [
            (AuthorizationStatus.notDetermined, AuthorizationStatus.notDetermined, false, HoldReason.pending),
            (.notDetermined, .denied, false, .denied), (.notDetermined, .denied, true, .pending),
            (.denied, .denied, false, .denied), (.restricted, .restricted, true, .restricted),
            (.denied, .notDetermined, false, .pending),
        ]
    )
    func holds(readWrite: AuthorizationStatus, addOnly: AuthorizationStatus, album: Bool, reason: HoldReason) {
        let asset = entry(1, bytes: 10, album: album)
        var bench = Bench([asset], readWrite: readWrite, addOnly: addOnly)
        #expect(bench.next().contains(.hold([asset.id], reason)))
        #expect(bench.machine.remaining.map(\.hold) == [reason])
        #expect(bench.machine.tally.rejected == 0)
    }

    @Test("002.6, 002.18: a level is asked for once, and a pending answer is waited for without a loop")
    func request() {
        var bench = Bench([entry(1, bytes: 10), entry(2, bytes: 10)], addOnly: .notDetermined)
        #expect(bench.next().filter { $0 == .request(.addOnly) }.count == 1)
        let pending = SyncAuthorization(
            readWrite: .notDetermined,
            addOnly: .notDetermined,
            pending: [.addOnly],
            grantVersion: 1
        )
        bench.machine.handle(.authorized(.request(.addOnly), pending), now: .zero)
        _ = bench.next().map { bench.machine.handle(.noted($0), now: .zero) }
        #expect(bench.next() == [])
    }

    @Test("002.20: after the decision the queue drains without a restart")
    func decision() {
        let asset = entry(1, bytes: 10)
        var bench = Bench([asset], readWrite: .denied, addOnly: .denied)
        for action in bench.next() { bench.machine.handle(.noted(action), now: .zero) }
        bench.now = .seconds(61)
        #expect(bench.next() == [.contact])
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 2)), now: bench.now)
        #expect(bench.next() == [.authorize])
        let may = SyncAuthorization(readWrite: .denied, addOnly: .authorized, grantVersion: 2)
        bench.machine.handle(.authorized(.authorize, may), now: bench.now)
        #expect(bench.next() == [.release([asset.id]), .batch([asset.id])])
        #expect(bench.machine.remaining.map(\.hold) == [nil])
    }

    @Test("002.20: a running agent waits at the library for the decision, and drains as soon as it is told")
    func awaitedDecision() {
        let asset = entry(1, bytes: 10)
        var policy = SyncPolicy()
        policy.listenSeconds = 55
        var bench = Bench([asset], readWrite: .denied, addOnly: .denied, policy: policy)
        let wait = SyncAction.awaitDecision(after: 1, waitSeconds: 55)
        #expect(bench.next() == [.hold([asset.id], .denied), wait])
        bench.machine.handle(.noted(.hold([asset.id], .denied)), now: .zero)
        #expect(bench.next() == [], "there is one wait at a time")
        #expect(bench.machine.isQuiet, "a wait keeps nothing else from being done")
        let may = SyncAuthorization(readWrite: .denied, addOnly: .authorized, grantVersion: 2)
        bench.machine.handle(.authorized(wait, may), now: .zero)
        #expect(bench.next() == [.release([asset.id]), .batch([asset.id])])
        bench.now = .seconds(1)
        #expect(bench.next() == [.awaitDecision(after: 2, waitSeconds: 55)])
    }

    @Test("A box that is being retired reads nothing more, and says at once that it has delivered all")
    func retirement() {
        let asset = entry(1, bytes: 10)
        var policy = SyncPolicy()
        policy.listenSeconds = 55
        var bench = Bench([asset], readWrite: .authorized, addOnly: .authorized, policy: policy)
        let underWay = ContactOutcome(grantVersion: 1, interval: .seconds(900), hasChanges: true, drain: .underWay)
        bench.machine.handle(.contacted(underWay), now: .zero)
        #expect(bench.next() == [.batch([asset.id]), .awaitDecision(after: 1, waitSeconds: 55)])
        bench.now = .seconds(2)
        bench.machine.handle(.batched(.batch([asset.id]), committed: [asset.id], refused: [:]), now: bench.now)
        #expect(bench.next() == [.contact], "not after a quarter of an hour")
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 2, drain: .ended)), now: bench.now)
        #expect(bench.next() == [])
        let report = SyncReport(bench.machine)
        #expect(report.outcome == .done && report.isRetired && report.tally.committed == 1)
    }

    @Test("A version that changes nothing of what a device may do is news of how it stands: the contact tells")
    func newStanding() {
        var policy = SyncPolicy()
        policy.listenSeconds = 55
        var bench = Bench([], policy: policy)
        let wait = SyncAction.awaitDecision(after: 1, waitSeconds: 55)
        #expect(bench.next() == [wait])
        let same = SyncAuthorization(readWrite: .notDetermined, addOnly: .authorized, grantVersion: 2)
        bench.machine.handle(.authorized(wait, same), now: .zero)
        #expect(bench.next() == [.contact])
    }

    @Test("A wait that is cut asks at once what has changed, and a library that does not wait is not asked in a loop")
    func cutWait() {
        var policy = SyncPolicy()
        policy.listenSeconds = 55
        var bench = Bench([], policy: policy)
        let wait = SyncAction.awaitDecision(after: 1, waitSeconds: 55)
        #expect(bench.next() == [wait])
        bench.fail(wait, .noAnswer("the connection was closed"))
        #expect(bench.next() == [.contact])
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        #expect(bench.next() == [])
        let waiting = bench.machine.wake(now: bench.now)
        #expect(waiting >= .seconds(1) && waiting <= .seconds(2))
        bench.now = waiting
        #expect(bench.next() == [wait])
        let same = SyncAuthorization(readWrite: .notDetermined, addOnly: .authorized, grantVersion: 1)
        bench.machine.handle(.authorized(wait, same), now: bench.now)
        #expect(bench.next() == [], "not at once again")
    }

    @Test("Over a metered link large assets wait, small ones go, and another link lets them all go")
    func metered() {
        let assets = [entry(1, bytes: 9 << 20), entry(2, bytes: 10)]
        var bench = Bench(assets)
        _ = bench.next()
        bench = Bench(assets)
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1, isMetered: true)), now: .zero)
        #expect(bench.next() == [.hold([assets[0].id], .metered), .batch([assets[1].id])])
        #expect(bench.machine.remaining.map(\.hold) == [.metered, nil])
        bench.machine.handle(.noted(.hold([assets[0].id], .metered)), now: .zero)
        bench.machine.handle(.batched(.batch([assets[1].id]), committed: [assets[1].id], refused: [:]), now: .zero)
        #expect(bench.next() == [])
        bench.now = .seconds(61)
        #expect(bench.next() == [.contact])
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        #expect(bench.next() == [.release([assets[0].id]), .describe(assets[0].id)])
    }

    @Test("A view is compared after what was changed went up and came down; a library that cannot is not asked again")
    func comparison() {
        var bench = Bench([], readWrite: .authorized)
        bench.machine.handle(
            .contacted(ContactOutcome(grantVersion: 1, hasChanges: true, wantsComparison: true)),
            now: .zero
        )
        #expect(bench.next() == [.push])
        bench.machine.handle(.pushed(PushOutcome()), now: .zero)
        #expect(bench.next() == [.pull(waitSeconds: 0)])
        bench.machine.handle(.pulled(.pull(waitSeconds: 0), PullOutcome()), now: .zero)
        #expect(bench.next() == [.compare])
        #expect(!bench.machine.isSpent(now: .zero))
        var refused = bench
        refused.fail(.compare, .refused(ProblemDetails(.malformedRequest, "")))
        refused.now = .seconds(2)
        #expect(refused.next().contains(.compare) == false)
        bench.fail(.compare, .noAnswer("lost"))
        bench.now = .seconds(3)
        _ = bench.next()
        bench.machine.handle(.contacted(ContactOutcome(grantVersion: 1)), now: bench.now)
        bench.now = .seconds(10)
        let push = bench.next()
        #expect(push.contains(.push))
        bench.machine.handle(.pushed(PushOutcome()), now: bench.now)
        #expect(bench.next() == [.compare])
        bench.machine.handle(.compared(2), now: bench.now)
        #expect(bench.machine.tally.entitiesMended == 2 && bench.next() == [])
    }

    @Test("An entry of a former identity is held and does not hold up the others")
    func formerIdentity() {
        let old = entry(1, bytes: 10, device: DeviceID(rawValue: 99))
        var bench = Bench([old, entry(2, bytes: 10)])
        #expect(bench.next() == [.batch([AssetID(rawValue: 2)])])
        #expect(bench.machine.remaining.map(\.hold) == [.revoked, nil])
    }

    @Test(
        "Identity problems hold everything for their reason and never reject an asset",
        arguments: [
            (ErrorCode.identityRevoked, HoldReason.revoked), (.identityExpired, .expired), (.identitySuspect, .suspect),
            (.identityMissing, .revoked),
        ]
    )
    func identity(code: ErrorCode, reason: HoldReason) {
        let asset = entry(1, bytes: 10)
        var bench = Bench([asset])
        _ = bench.next()
        bench.fail(.batch([asset.id]), .refused(ProblemDetails(code, "")))
        #expect(bench.next() == [.hold([asset.id], reason)])
        #expect(bench.machine.tally.rejected == 0)
        #expect(bench.machine.contact.due > bench.now)
    }

    @Test(
        "The link waits for its reason, obeys Retry-After, and everything is held meanwhile",
        arguments: [
            (ErrorCode.slowDown, HoldReason.throttled), (.storageFull, .space), (.unavailable, .offline),
        ]
    )
    func link(code: ErrorCode, reason: HoldReason) {
        let asset = entry(1, bytes: 10)
        var bench = Bench([asset])
        _ = bench.next()
        bench.fail(.batch([asset.id]), .refused(ProblemDetails(code, "", retryAfterSeconds: 30)))
        #expect(bench.next() == [.hold([asset.id], reason)])
        #expect(bench.machine.wake(now: .zero) == .seconds(30))
    }

    @Test("What can never succeed becomes a dead letter with its reason, alone")
    func deadLetter() {
        let assets = [entry(1, bytes: 10), entry(2, bytes: 10)]
        var bench = Bench(assets)
        _ = bench.next()
        let problem = ProblemDetails(.resourceInvalid, "no photo in it")
        bench.machine.handle(
            .batched(
                .batch(assets.map(\.id)),
                committed: [assets[1].id],
                refused: [assets[0].id: .refused(problem)]
            ),
            now: .zero
        )
        #expect(bench.next() == [.reject(assets[0].id, "resource.invalid: no photo in it")])
        #expect(bench.machine.isSpent(now: .zero) == false)
    }

    @Test("What the disk cannot read is tried a few times, alone, and then becomes a dead letter")
    func unreadable() {
        let assets = [entry(1, bytes: 10), entry(2, bytes: 10)]
        let (bad, good) = (assets[0].id, assets[1].id)
        let failure = SyncFailure.unreadable("a bad block")
        var bench = Bench(assets)
        _ = bench.next()
        bench.machine.handle(.batched(.batch([bad, good]), committed: [], refused: [bad: failure]), now: bench.now)
        bench.now = .seconds(10)
        #expect(bench.next() == [.load, .describe(bad)])
        bench.machine.handle(.loaded(assets), now: bench.now)
        #expect(bench.next() == [.batch([good])])
        bench.machine.handle(.batched(.batch([good]), committed: [good], refused: [:]), now: bench.now)
        for _ in 1..<SyncPolicy().immediateRetries {
            bench.fail(.describe(bad), failure)
            #expect(bench.next().isEmpty)
            bench.now += .seconds(10)
            #expect(bench.next() == [.describe(bad)])
        }
        bench.fail(.describe(bad), failure)
        #expect(bench.next() == [.reject(bad, "a bad block")])
        #expect(bench.machine.tally.rejected == 1 && bench.machine.tally.committed == 1)
    }

    @Test("A batch that is refused as a whole is taken apart, so that one bad asset takes no other with it")
    func poisonedBatch() {
        let assets = [entry(1, bytes: 10), entry(2, bytes: 10)]
        var bench = Bench(assets)
        _ = bench.next()
        bench.fail(.batch(assets.map(\.id)), .refused(ProblemDetails(.malformedRequest, "")))
        #expect(bench.next() == assets.map { .describe($0.id) })
        #expect(bench.machine.tally.rejected == 0)
    }

    @Test(
        "Every error class leads somewhere: nothing is under way afterwards, nothing spins",
        arguments: ErrorCode.allCases
    )
    func everyCode(code: ErrorCode) {
        let asset = entry(1, bytes: 20 << 20)
        for stage in 0..<3 {
            var bench = Bench([asset])
            var tries = 0
            while tries < 40 {
                let actions = bench.next()
                if actions.isEmpty { break }
                for action in actions {
                    switch action {
                    case .describe where stage > 0:
                        let offset = stage == 2 ? asset.byteCount : 0
                        bench.machine.handle(
                            .described(asset.id, [bench.status(of: asset, offset: offset)]),
                            now: .zero
                        )
                    case .describe, .append, .commit, .position:
                        bench.fail(action, .refused(ProblemDetails(code, "")))
                    case .authorize:
                        let may = SyncAuthorization(readWrite: .denied, addOnly: .authorized, grantVersion: 1)
                        bench.machine.handle(.authorized(action, may), now: .zero)
                    default:
                        bench.machine.handle(.noted(action), now: .zero)
                    }
                }
                tries += 1
            }
            #expect(tries < 40, "\(code) spins at stage \(stage)")
        }
    }

    @Test("A contact that is refused is tried again only after a wait", arguments: ErrorCode.allCases)
    func refusedContact(code: ErrorCode) {
        var machine = SyncMachine(device: Bench.device, seed: 1)
        _ = machine.next(now: .zero)
        machine.handle(.loaded([entry(1, bytes: 10)]), now: .zero)
        #expect(machine.next(now: .zero) == [.contact])
        machine.handle(.failed(.contact, .refused(ProblemDetails(code, ""))), now: .zero)
        #expect(!machine.next(now: .zero).contains(.contact))
        #expect(machine.wake(now: .zero) >= .seconds(1))
    }

    @Test("Waits grow with failures, with full jitter, between 1 second and 15 minutes")
    func backoff() {
        let policy = SyncPolicy()
        var backoff = Backoff(policy, seed: 3)
        for failures in 0..<100 {
            let ceiling = min(policy.maximumBackoff, .seconds(1) * (1 << min(failures, 20)))
            var longest = Duration.zero
            for _ in 0..<100 {
                let wait = backoff.wait(after: failures)
                #expect(wait >= .seconds(1) && wait <= ceiling)
                longest = max(longest, wait)
            }
            if failures > 2 { #expect(longest > ceiling * 0.7) }
        }
    }

    @Test(
        "Nothing is sent outside the allowed hours",
        arguments: [
            ("22:00-06:00", 21 * 60, 60), ("22:00-06:00", 23 * 60, 0), ("22:00-06:00", 359, 0),
            ("08:00-09:30", 570, 1350),
        ]
    )
    func hours(text: String, minute: Int, wait: Int) throws {
        let allowed = try #require(AllowedMinutes(text))
        #expect(allowed.wait(at: minute) == wait)
        #expect(allowed.description == text)
        var policy = SyncPolicy()
        policy.allowedMinutes = allowed
        var machine = SyncMachine(device: nil, policy: policy, seed: 1)
        _ = machine.next(now: .zero, minuteOfDay: minute)
        machine.handle(.loaded([]), now: .zero)
        #expect(machine.next(now: .zero, minuteOfDay: minute).isEmpty == (wait > 0))
        #expect(machine.isSpent(now: .zero) == (wait > 0), "a single sync does not wait for the hours")
    }

    @Test("Outside the allowed hours what is owed says so, keeps a better reason, and goes when they begin")
    func closed() throws {
        var policy = SyncPolicy()
        policy.allowedMinutes = AllowedMinutes("22:00-06:00")
        var machine = SyncMachine(device: Bench.device, policy: policy, seed: 1)
        var denied = entry(2, bytes: 10)
        denied.hold = .denied
        _ = machine.next(now: .zero, minuteOfDay: 720)
        machine.handle(.loaded([entry(1, bytes: 10), denied]), now: .zero)
        let note = SyncAction.hold([AssetID(rawValue: 1)], .hours)
        #expect(machine.next(now: .zero, minuteOfDay: 720) == [note])
        machine.handle(.noted(note), now: .zero)
        #expect(machine.isSpent(now: .zero))
        #expect(SyncReport(machine).outcome == .held && SyncReport(machine).holds[.hours] == 2)
        #expect(machine.next(now: .seconds(1), minuteOfDay: 1320) == [.contact])
    }

    @Test("A sync that could not do what it should with nothing to send does not say that there is nothing to do")
    func outcomes() {
        func report(_ prepare: (inout Bench) -> Void) -> SyncReport {
            var bench = Bench([], readWrite: .authorized)
            prepare(&bench)
            return SyncReport(bench.machine)
        }
        #expect(report { $0.machine.handle(.pushed(PushOutcome()), now: .zero) }.outcome == .nothingToDo)
        let suspect = report { $0.fail(.contact, .refused(ProblemDetails(.identitySuspect, "two"))) }
        #expect(suspect.outcome == .held && suspect.identityHold == .suspect)
        #expect(report { $0.fail(.contact, .refused(ProblemDetails(.identityExpired, "old"))) }.outcome == .held)
        #expect(report { $0.fail(.contact, .refused(ProblemDetails(.identityRevoked, "gone"))) }.outcome == .notAllowed)
        #expect(report { $0.fail(.contact, .refused(ProblemDetails(.slowDown, "later"))) }.outcome == .partly)
        #expect(report { $0.fail(.contact, .noAnswer("nobody")) }.outcome == .unreachable)
        let unsent = report { bench in
            for second in 0..<4 {
                bench.now = .seconds(1000 * second)
                _ = bench.next()
                bench.fail(.push, .refused(ProblemDetails(.internalError, "no")))
            }
        }
        #expect(unsent.outcome == .partly, "an edit waits")
    }

    @Test(
        "Hours that are none are refused",
        arguments: ["", "22:00", "22:00-22:00", "24:00-01:00", "8:00-09:00", "a-b"]
    )
    func wrongHours(text: String) {
        #expect(AllowedMinutes(text) == nil)
    }
}
