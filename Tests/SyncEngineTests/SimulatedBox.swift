import Authorization
import LibraryAPI
import PhotoModel
import Replication
import SyncEngine
import TestSupport

/// A box, its library and the network between them in one process, from one seed: requests and answers are lost, bodies
/// cut, answers late; the box restarts at any step; an administrator changes his mind.
struct SimulatedBox {
    private struct Pending {
        let action: SyncAction
    }

    var generator: SeededGenerator
    var library = SimulatedLibrary()
    let device = DeviceID(rawValue: 1)
    let policy: SyncPolicy
    var machine: SyncMachine
    var now = Duration.zero
    /// The durable queue: what is owed.
    var owed: [SyncEntry] = []
    var captured: Set<AssetID> = []
    var receipts: Set<AssetID> = []
    var buried: Set<AssetID> = []
    /// What the library promised this box of an upload.
    private var promised: [UploadID: Int64] = [:]
    private var pending: [Pending] = []
    /// What the box shows, the changes that the library has not judged, and how far the feed was read.
    private var replica = ReplicaState()
    private var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 2)), milliseconds: 0)
    private var waiting: [Change] = []
    private var place: (position: Int, version: UInt64) = (0, 0)
    private var isAnswerLost = false
    /// A hash of everything that happened, in order.
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var faults = 0
    private(set) var restarts = 0
    private(set) var violations: [String] = []
    private var isQuiet = false

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        var policy = SyncPolicy()
        policy.appendByteCount = 1 << 20
        policy.parallelRequests = 3
        self.policy = policy
        machine = SyncMachine(device: device, policy: policy, seed: seed)
    }

    /// Trouble for so many steps, then quiet until nothing is owed.
    ///
    /// - Returns: what is wrong at the end; nil when every promise held.
    mutating func run(troubles: Int) -> String? {
        for _ in 0..<troubles {
            step()
            switch generator.below(24) {
            case 0, 1, 2: capture()
            case 3: restart()
            case 4:
                library.decide(
                    generator.pick([.authorized, .denied, .notDetermined, .authorized]),
                    readWrite: generator.pick([.authorized, .limited, .denied, .notDetermined])
                )
            case 5, 6: edit()
            case 7: library.edit(edited(), Int64(generator.below(6)), milliseconds: milliseconds)
            default: break
            }
        }
        isQuiet = true
        library.decide(.authorized)
        machine.handle(.woken, now: now)
        var steps = 0
        while !isThrough, steps < 20_000 {
            step()
            steps += 1
        }
        return verdict
    }

    private var isThrough: Bool { owed.isEmpty && waiting.isEmpty && place.position == library.feed.count }

    private var milliseconds: UInt64 { UInt64(max(0, now / .milliseconds(1))) }

    /// One of a few assets, so that edits meet.
    private mutating func edited() -> UInt128 { UInt128(generator.below(4)) }

    /// An edit made here.
    private mutating func edit() {
        author.milliseconds = milliseconds
        let asset = edited()
        let rating = FieldValue.integer(Int64(generator.below(6)))
        let change = try? replica.set(rating, field: AssetField.rating, of: .asset(asset), by: &author)
        if let change { waiting.append(change) }
        machine.handle(.woken, now: now)
    }

    private var verdict: String? {
        if let first = (violations + library.violations).first { return first }
        if !owed.isEmpty { return "\(owed.count) of \(captured.count) are still owed after a long quiet" }
        if !buried.isEmpty { return "\(buried.count) were buried though nothing was wrong with them" }
        if Set(library.visible.keys) != captured { return "the library has other assets than were captured" }
        if receipts != captured { return "an asset left the queue without a receipt" }
        if library.visible.values.contains(where: { $0 != 1 }) { return "an asset was made twice" }
        let allowed = Int64(faults + restarts * policy.parallelRequests) * policy.appendByteCount
        if !waiting.isEmpty { return "\(waiting.count) changes still wait after a long quiet" }
        if place.position < library.feed.count { return "the feed was not read to its end" }
        if replica.canonicalBytes != library.replica.canonicalBytes { return "box and library do not agree" }
        if library.wastedBytes > allowed { return "\(library.wastedBytes) bytes were sent again for \(faults) faults" }
        return nil
    }

    private mutating func capture() {
        let id = AssetID.version7(unixMilliseconds: Int64(captured.count), using: &generator)
        let sizes = generator.pick([[1000], [900_000], [1 << 20, 5_000_000], [12_000_000], [1, 1_048_577]])
        let types: [AssetResourceType] = [.photo, .pairedVideo]
        let resources = zip(sizes, types).map { size, type in
            AssetResource(
                id: .version7(unixMilliseconds: 0, using: &generator),
                type: type,
                digest: ContentDigest(bytes: generator.bytes(32)) ?? .zero,
                byteCount: Int64(size),
                contentType: "image/jpeg"
            )
        }
        captured.insert(id)
        owed.append(SyncEntry(id: id, deviceID: device, resources: resources, wantsAlbum: generator.oneIn(5)))
        machine.handle(.woken, now: now)
    }

    /// The box loses everything but its queue; what was under way may arrive all the same.
    private mutating func restart() {
        restarts += 1
        for request in pending where generator.oneIn(2) { _ = perform(request.action, arrived: 1) }
        pending = []
        machine = SyncMachine(device: device, policy: policy, seed: generator.next())
        promised = [:]
    }

    private mutating func step() {
        pending += machine.next(now: now).map { Pending(action: $0) }
        guard !pending.isEmpty else {
            now = machine.wake(now: now)
            return machine.handle(.ticked, now: now)
        }
        let action = pending.remove(at: generator.below(pending.count)).action
        now += .milliseconds(generator.below(200))
        if case .append(let append) = action, append.offset < promised[append.uploadID] ?? 0 {
            violations.append("bytes were sent again that the library had promised to keep")
        }
        let event = event(of: action)
        for byte in "\(now) \(action) \(event)".utf8 { trace = (trace ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        machine.handle(event, now: now)
    }

    private mutating func event(of action: SyncAction) -> SyncEvent {
        if isQuiet || action.isLocal { return perform(action, arrived: 1) }
        switch generator.below(10) {
        case 0:
            faults += 1
            return .failed(action, .noAnswer("the request was lost"))
        case 1:
            faults += 1
            isAnswerLost = true
            _ = perform(action, arrived: 1)
            isAnswerLost = false
            return .failed(action, .noAnswer("the answer was lost"))
        case 2:
            faults += 1
            _ = perform(action, arrived: Double(generator.below(100)) / 100)
            return .failed(action, .noAnswer("the connection was cut"))
        case 3:
            // The network delivers twice, so the library reads bytes again that the box sent once.
            faults += 1
            _ = perform(action, arrived: 1)
            return perform(action, arrived: 1)
        case 4:
            let code = generator.pick([ErrorCode.unavailable, .internalError, .slowDown, .storageFull])
            return .failed(action, .refused(ProblemDetails(code, "", retryAfterSeconds: generator.oneIn(2) ? 3 : nil)))
        default:
            return perform(action, arrived: 1)
        }
    }

    /// The library's side of an action, of whose body a part arrived.
    private mutating func perform(_ action: SyncAction, arrived: Double) -> SyncEvent {
        func refused(_ problem: ProblemDetails) -> SyncEvent { .failed(action, .refused(problem)) }
        switch action {
        case .load: return .loaded(owed)
        case .contact:
            let hasChanges = place.position < library.feed.count || place.version != library.grantVersion
            return .contacted(ContactAnswer(grantVersion: library.grantVersion, hasChanges: hasChanges))
        case .authorize, .request: return .authorized(action, library.authorization)
        case .hold, .release: return .noted(action)
        case .push: return push(arrived: arrived)
        case .pull: return pull(action)
        case .bury(let asset, _):
            buried.insert(asset)
            return .noted(action)
        case .batch(let assets):
            guard arrived == 1 else { return .noted(action) }
            var committed: [AssetID] = []
            var failures: [AssetID: SyncFailure] = [:]
            for (asset, problem) in library.batch(owed.filter { assets.contains($0.id) }) {
                if let problem { failures[asset] = .refused(problem) } else { committed.append(asset) }
            }
            committed.forEach { keepReceipt(of: $0) }
            return .batched(committed: committed, refused: failures)
        case .describe(let asset):
            guard let entry = owed.first(where: { $0.id == asset }) else { return .committed(asset) }
            switch library.describe(entry) {
            case .failure(let problem): return refused(problem)
            case .success(nil):
                keepReceipt(of: asset)
                return .committed(asset)
            case .success(let uploads?):
                return .described(asset, uploads)
            }
        case .position(let asset, let upload):
            return positioned(asset, upload, library.position(upload)) ?? refused(ProblemDetails(.notFound, ""))
        case .append(let append):
            let whole = arrived == 1 ? append.byteCount : Int64(Double(append.byteCount) * arrived)
            let result = library.append(append, arrived: whole)
            if case .failure(let problem) = result { return refused(problem) }
            return positioned(append.assetID, append.uploadID, result) ?? refused(ProblemDetails(.notFound, ""))
        case .commit(let asset):
            if let problem = library.commit(asset) { return refused(problem) }
            keepReceipt(of: asset)
            return .committed(asset)
        }
    }

    private mutating func push(arrived: Double) -> SyncEvent {
        guard !waiting.isEmpty else { return .pushed(PushOutcome()) }
        guard arrived == 1 else { return .failed(.push, .noAnswer("the request was cut")) }
        switch library.push(Array(waiting.prefix(3))) {
        case .failure(let problem): return .failed(.push, .refused(problem))
        case .success(let acknowledged):
            guard !isAnswerLost else { return .pushed(PushOutcome()) }
            let judged = waiting.prefix { $0.dot.counter <= acknowledged }.count
            waiting.removeFirst(judged)
            return .pushed(PushOutcome(judged: judged, hasMore: true))
        }
    }

    private mutating func pull(_ action: SyncAction) -> SyncEvent {
        switch library.changes(after: place.position, version: place.version) {
        case .failure(let problem) where problem.code == .tokenExpired:
            place = (0, library.grantVersion)
            return .pulled(action, PullOutcome(hasMore: true))
        case .failure(let problem): return .failed(action, .refused(problem))
        case .success(let changes):
            guard !isAnswerLost else { return .pulled(action, PullOutcome()) }
            for change in changes { replica.apply(change) }
            place.position += changes.count
            return .pulled(
                action,
                PullOutcome(count: changes.count, hasMore: place.position < library.feed.count)
            )
        }
    }

    private mutating func positioned(
        _ asset: AssetID,
        _ upload: UploadID,
        _ result: Result<(Int64, Bool), ProblemDetails>
    ) -> SyncEvent? {
        guard case .success(let (offset, isComplete)) = result else { return nil }
        if offset < promised[upload] ?? 0 { violations.append("an offset decreased") }
        promised[upload] = offset
        return .positioned(asset, upload, offset: offset, isComplete: isComplete)
    }

    private mutating func keepReceipt(of asset: AssetID) {
        receipts.insert(asset)
        owed.removeAll { $0.id == asset }
    }
}

extension ContentDigest {
    static let zero = ContentDigest(bytes: [UInt8](repeating: 0, count: 32)).unsafelyPresent
}

extension Optional {
    /// For values that the test itself made.
    fileprivate var unsafelyPresent: Wrapped {
        guard let self else { preconditionFailure("the test made a value that cannot be") }
        return self
    }
}
