import Authorization
import LibraryAPI
package import PhotoModel
import Replication
import SyncEngine
import TestSupport

/// A box: its durable queue and replica, the machine that is being tested, and what is under way.
///
/// What is durable survives a restart, and nothing else does. Requests and answers are lost, bodies cut, answers late, and
/// the box's own disk fails.
struct SimulatedBox {
    let device: DeviceID
    let policy: SyncPolicy
    /// How far the box's wall clock is wrong, in milliseconds; it may be years.
    let clockError: UInt64
    private(set) var machine: SyncMachine

    // What is durable.
    private(set) var owed: [SyncEntry] = []
    private(set) var captured: Set<AssetID> = []
    /// Assets whose bytes rotted on the box.
    private(set) var rotten: Set<AssetID> = []
    private(set) var buried: Set<AssetID> = []
    /// What was received, with the history of the library whose receipt it is; the originals are still here.
    private(set) var receipts: [AssetID: (entry: SyncEntry, epoch: Int)] = [:]
    /// What the library has shown of its state; what is waiting here comes on top.
    private(set) var base = ReplicaState()
    /// Every change made here, in order; the library has judged those up to `judged`.
    private var changes: [Change] = []
    private(set) var judged: UInt64 = 0
    private var author: Author
    /// How far the feed was read, and under which grant and history.
    private(set) var place: (position: Int, version: UInt64) = (0, 0)
    private var knownEpoch = 0

    /// What the library promised this box of an upload.
    private var promised: [UploadID: Int64] = [:]
    private var pending: [SyncAction] = []
    private var isAnswerLost = false
    /// Until when no request gets through.
    private var partitionedUntil = Duration.zero
    private(set) var faults = 0
    private(set) var restarts = 0
    private(set) var violations: [String] = []

    init(_ number: Int, seed: UInt64, clockError: UInt64) {
        device = DeviceID(rawValue: UInt128(number) + 1)
        self.clockError = clockError
        var policy = SyncPolicy()
        policy.appendByteCount = 1 << 20
        policy.parallelRequests = 3
        self.policy = policy
        author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: UInt128(number) + 2)), milliseconds: 0)
        machine = SyncMachine(device: device, policy: policy, seed: seed)
    }

    var waiting: ArraySlice<Change> { changes.drop { $0.dot.counter <= judged } }

    func isThrough(_ library: SimulatedLibrary) -> Bool {
        owed.isEmpty && waiting.isEmpty && knownEpoch == library.epoch && place.position == library.feed.count
            && place.version == library.standing(device).grantVersion
    }

    /// What is owed and why, for the report of a broken promise.
    var words: String {
        let known = machine.remaining.map { "\($0.entry.id): \($0.hold?.rawValue ?? "free")" }
        return
            "\(owed.map { "\($0.id), \($0.resources.map(\.byteCount)), rotten \(rotten.contains($0.id))" }); known \(known)"
    }

    // MARK: What happens to it

    mutating func wakeUp(_ now: Duration) { machine.handle(.woken, now: now) }

    mutating func partition(until: Duration) { partitionedUntil = until }

    /// An edit made here.
    mutating func edit(_ asset: UInt128, _ rating: Int64, _ now: Duration) {
        author.milliseconds = UInt64(max(0, now / .milliseconds(1))) &+ clockError
        var shown = base
        for change in waiting { shown.apply(change) }
        let change = try? shown.set(.integer(rating), field: AssetField.rating, of: .asset(asset), by: &author)
        if let change { changes.append(change) }
        wakeUp(now)
    }

    mutating func capture(_ now: Duration, _ generator: inout SeededGenerator) {
        let id = AssetID.version7(unixMilliseconds: Int64(captured.count), using: &generator)
        let sizes = generator.pick([[1000], [900_000], [1 << 20, 5_000_000], [12_000_000], [1, 1_048_577]])
        let types: [AssetResourceType] = [.photo, .pairedVideo]
        let resources = zip(sizes, types).map { size, type in
            AssetResource(
                id: .version7(unixMilliseconds: 0, using: &generator),
                type: type,
                digest: ContentDigest(bytes: [UInt8](repeating: UInt8(captured.count % 256), count: 32)) ?? .zero,
                byteCount: Int64(size),
                contentType: "image/jpeg"
            )
        }
        captured.insert(id)
        if generator.oneIn(40) { rotten.insert(id) }
        owed.append(SyncEntry(id: id, deviceID: device, resources: resources, wantsAlbum: generator.oneIn(5)))
        wakeUp(now)
    }

    /// The box loses everything but what is durable; what was under way may arrive all the same.
    mutating func restart(_ library: inout SimulatedLibrary, _ generator: inout SeededGenerator) {
        restarts += 1
        for action in pending where generator.oneIn(2) {
            // The answer finds nobody: nothing of it is kept.
            let kept = self
            _ = perform(action, &library, arrived: 1)
            let noted = violations
            self = kept
            violations = noted
        }
        pending = []
        machine = SyncMachine(device: device, policy: policy, seed: generator.next())
        promised = [:]
    }

    // MARK: A step

    /// Does one thing that is under way, in any order; tells when to look again where there is nothing.
    ///
    /// - Returns: what was done and what became of it; nil where only time can help.
    mutating func step(
        _ library: inout SimulatedLibrary,
        _ generator: inout SeededGenerator,
        now: Duration,
        isQuiet: Bool
    ) -> (SyncAction, SyncEvent)? {
        pending += machine.next(now: now)
        guard !pending.isEmpty else { return nil }
        let action = pending.remove(at: generator.below(pending.count))
        if case .append(let append) = action, append.offset < promised[append.uploadID] ?? 0 {
            violations.append("promise 2: bytes were sent again that the library had promised to keep")
        }
        let event = event(of: action, &library, &generator, now: now, isQuiet: isQuiet)
        machine.handle(event, now: now)
        return (action, event)
    }

    /// When it wants to be looked at again.
    func wake(_ now: Duration) -> Duration { machine.wake(now: now) }

    mutating func tick(_ now: Duration) { machine.handle(.ticked, now: now) }

    private mutating func event(
        of action: SyncAction,
        _ library: inout SimulatedLibrary,
        _ generator: inout SeededGenerator,
        now: Duration,
        isQuiet: Bool
    ) -> SyncEvent {
        if isQuiet { return perform(action, &library, arrived: 1) }
        if action.isLocal {
            guard generator.oneIn(30) else { return perform(action, &library, arrived: 1) }
            faults += 1
            return .failed(action, .local("the disk failed"))
        }
        guard partitionedUntil <= now else {
            faults += 1
            return .failed(action, .noAnswer("the network is cut"))
        }
        switch generator.below(11) {
        case 0:
            faults += 1
            return .failed(action, .noAnswer("the request was lost"))
        case 1:
            return unanswered(action, &library, arrived: 1, .noAnswer("the answer was lost"))
        case 2:
            let arrived = Double(generator.below(100)) / 100
            return unanswered(action, &library, arrived: arrived, .noAnswer("the connection was cut"))
        case 3:
            // The network delivers twice, so the library reads bytes again that the box sent once.
            _ = unanswered(action, &library, arrived: 1, .noAnswer(""))
            return perform(action, &library, arrived: 1)
        case 4:
            let code = generator.pick([ErrorCode.unavailable, .internalError, .slowDown, .storageFull])
            return .failed(action, .refused(ProblemDetails(code, "", retryAfterSeconds: generator.oneIn(2) ? 3 : nil)))
        case 5 where generator.oneIn(3):
            return unanswered(action, &library, arrived: 1, .local("the disk has no room for the answer"))
        default:
            return perform(action, &library, arrived: 1)
        }
    }

    /// The library takes what arrived, and the box learns nothing of it.
    private mutating func unanswered(
        _ action: SyncAction,
        _ library: inout SimulatedLibrary,
        arrived: Double,
        _ failure: SyncFailure
    ) -> SyncEvent {
        faults += 1
        isAnswerLost = true
        _ = perform(action, &library, arrived: arrived)
        isAnswerLost = false
        return .failed(action, failure)
    }

    // MARK: The library's side, and what the box keeps of its answers

    /// The library's side of an action, of whose body a part arrived.
    private mutating func perform(
        _ action: SyncAction,
        _ library: inout SimulatedLibrary,
        arrived: Double
    ) -> SyncEvent {
        func refused(_ problem: ProblemDetails) -> SyncEvent { .failed(action, .refused(problem)) }
        switch action {
        case .load: return .loaded(owed)
        case .contact: return contact(library)
        case .authorize, .awaitDecision, .request:
            if let problem = library.identityRefusal(of: device) { return refused(problem) }
            return .authorized(action, library.authorization(of: device))
        case .hold, .release: return .noted(action)
        case .compare: return .compared(0)
        case .push: return push(&library, arrived: arrived)
        case .pull: return pull(action, library)
        case .bury(let asset, _):
            buried.insert(asset)
            owed.removeAll { $0.id == asset }
            return .noted(action)
        case .batch(let assets):
            return batch(assets, &library, arrived: arrived)
        case .describe(let asset):
            guard let entry = owed.first(where: { $0.id == asset }) else { return .committed(asset) }
            if rotten.contains(asset) { return .failed(action, .damaged("the bytes are not the captured ones")) }
            switch library.describe(device, entry) {
            case .failure(let problem): return refused(problem)
            case .success(nil):
                keepReceipt(of: asset, library)
                return .committed(asset)
            case .success(let uploads?):
                return .described(asset, uploads)
            }
        case .position(let asset, let upload):
            let result = library.position(device, upload)
            return positioned(asset, upload, result) ?? refused(Self.problem(result))
        case .append(let append):
            let whole = arrived == 1 ? append.byteCount : Int64(Double(append.byteCount) * arrived)
            let result = library.append(device, append, arrived: whole)
            return positioned(append.assetID, append.uploadID, result) ?? refused(Self.problem(result))
        case .commit(let asset):
            if let problem = library.commit(device, asset) { return refused(problem) }
            keepReceipt(of: asset, library)
            return .committed(asset)
        }
    }

    private static func problem(_ result: Result<(Int64, Bool), ProblemDetails>) -> ProblemDetails {
        if case .failure(let problem) = result { problem } else { ProblemDetails(.internalError, "") }
    }

    /// Says hello; a library of another history is offered again what the lost one had, and told every change anew.
    private mutating func contact(_ library: SimulatedLibrary) -> SyncEvent {
        if let problem = library.identityRefusal(of: device) { return .failed(.contact, .refused(problem)) }
        let standing = library.standing(device)
        var wantsAgain = false
        if !isAnswerLost, knownEpoch != library.epoch {
            knownEpoch = library.epoch
            let again = receipts.values.filter { $0.epoch != library.epoch }.map(\.entry).sorted { $0.id < $1.id }
            owed += again
            for entry in again { receipts[entry.id] = nil }
            wantsAgain = !again.isEmpty
            judged = min(judged, standing.admitted)
            place = (0, 0)
            promised = [:]
        }
        return .contacted(
            ContactAnswer(
                grantVersion: standing.grantVersion,
                wantsAgain: wantsAgain,
                hasChanges: place.position < library.feed.count || place.version != standing.grantVersion
            )
        )
    }

    private mutating func batch(_ assets: [AssetID], _ library: inout SimulatedLibrary, arrived: Double) -> SyncEvent {
        guard arrived == 1 else { return .noted(.batch(assets)) }
        var committed: [AssetID] = []
        var failures: [AssetID: SyncFailure] = [:]
        let entries = owed.filter { assets.contains($0.id) }
        for entry in entries where rotten.contains(entry.id) { failures[entry.id] = .damaged("not the captured bytes") }
        for (asset, problem) in library.batch(device, entries.filter { !rotten.contains($0.id) }) {
            if let problem { failures[asset] = .refused(problem) } else { committed.append(asset) }
        }
        committed.forEach { keepReceipt(of: $0, library) }
        return .batched(committed: committed.sorted(), refused: failures)
    }

    private mutating func push(_ library: inout SimulatedLibrary, arrived: Double) -> SyncEvent {
        guard !waiting.isEmpty else { return .pushed(PushOutcome()) }
        guard arrived == 1 else { return .failed(.push, .noAnswer("the request was cut")) }
        // A box that has not met this history of the library yet is told so before anything is taken.
        guard knownEpoch == library.epoch else { return .failed(.push, .refused(ProblemDetails(.tokenExpired, ""))) }
        switch library.push(device, Array(waiting.prefix(3))) {
        case .failure(let problem): return .failed(.push, .refused(problem))
        case .success(let admitted):
            guard !isAnswerLost else { return .pushed(PushOutcome()) }
            let count = waiting.prefix { $0.dot.counter <= admitted }.count
            judged = max(judged, admitted)
            return .pushed(PushOutcome(judged: count, hasMore: true))
        }
    }

    private mutating func pull(_ action: SyncAction, _ library: SimulatedLibrary) -> SyncEvent {
        guard knownEpoch == library.epoch else {
            return .failed(action, .refused(ProblemDetails(.unavailable, "")))
        }
        switch library.changes(device, after: place.position, version: place.version) {
        case .failure(let problem) where problem.code == .tokenExpired:
            guard !isAnswerLost else { return .pulled(action, PullOutcome()) }
            // Begins anew.
            place = (0, library.standing(device).grantVersion)
            base = ReplicaState()
            return .pulled(action, PullOutcome(hasMore: true))
        case .failure(let problem): return .failed(action, .refused(problem))
        case .success(let changes):
            guard !isAnswerLost else { return .pulled(action, PullOutcome()) }
            for change in changes { base.apply(change) }
            place.position += changes.count
            let hasMore = place.position < library.feed.count
            return .pulled(action, PullOutcome(count: changes.count, hasMore: hasMore))
        }
    }

    private mutating func positioned(
        _ asset: AssetID,
        _ upload: UploadID,
        _ result: Result<(Int64, Bool), ProblemDetails>
    ) -> SyncEvent? {
        guard case .success(let (offset, isComplete)) = result else { return nil }
        if offset < promised[upload] ?? 0 { violations.append("promise 2: an offset decreased") }
        if !isAnswerLost { promised[upload] = offset }
        return .positioned(asset, upload, offset: offset, isComplete: isComplete)
    }

    private mutating func keepReceipt(of asset: AssetID, _ library: SimulatedLibrary) {
        guard !isAnswerLost, let entry = owed.first(where: { $0.id == asset }) else { return }
        if library.visible[asset] == nil {
            violations.append("promise 4: a receipt for what the library does not have")
        }
        receipts[asset] = (entry, library.epoch)
        owed.removeAll { $0.id == asset }
    }
}

extension ContentDigest {
    /// The digest of nothing in particular.
    package static let zero = ContentDigest(bytes: [UInt8](repeating: 0, count: 32)).unsafelyPresent
}

extension Optional {
    /// For values that the test itself made.
    fileprivate var unsafelyPresent: Wrapped {
        guard let self else { preconditionFailure("the test made a value that cannot be") }
        return self
    }
}
