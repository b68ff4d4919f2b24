import Authorization
import LibraryAPI
package import PhotoModel
import Replication
import SyncEngine
import TestSupport

/// A box: its disk, the machine that is being tested, and what is under way between it and the library.
///
/// What is on the disk survives a restart, and nothing else does.
struct SimulatedBox {
    /// How the box's own clock is wrong; it stamps with it until a contact of this boot has told it the library's time.
    enum Clock {
        case right
        case off(milliseconds: Int64)
        case frozen(milliseconds: UInt64)

        func milliseconds(_ right: UInt64) -> UInt64 {
            switch self {
            case .right: right
            case .off(let error): UInt64(max(0, Int64(right) + error))
            case .frozen(let time): time
            }
        }

        static func any(_ generator: inout SeededGenerator) -> Self {
            let day: Int64 = 86_400_000
            return generator.pick([
                .right, .right, .right, .off(milliseconds: 60_000), .off(milliseconds: 400 * day),
                .off(milliseconds: 3650 * day), .off(milliseconds: -19_600 * day), .off(milliseconds: -day),
                .frozen(milliseconds: 0), .frozen(milliseconds: SimulatedSurroundings.beginning + 90_000_000),
            ])
        }
    }

    /// The network between the box and the library.
    struct Link {
        /// Until when nothing gets through, and until when only requests do.
        var cutUntil = Duration.zero
        var halfOpenUntil = Duration.zero
        /// One message in so many meets with something, when the link is as usual.
        var trouble = 4
    }

    /// An answer on its way.
    struct Pending {
        let due: Duration
        let action: SyncAction
        let request: SimulatedRequest
        let answer: SimulatedResponse
    }

    let device: DeviceID
    /// Which machine it is: a clone is another one with the same disk.
    let host: Int
    let policy: SyncPolicy
    var clock: Clock
    var link = Link()
    var disk: SimulatedDisk
    var machine: SyncMachine
    /// A copy that was taken out of use.
    var isOff = false

    /// Shots of which nobody was told yet that they are saved: they are taken in again.
    var unfinished: [(entry: SyncEntry, shot: Int)] = []
    /// Decided and not begun; answers that are on their way; requests that the network will bring once more.
    var waiting: [SyncAction] = []
    var answers: [Pending] = []
    /// What the queue was read as, while the machine has not been told.
    var reading: [SyncEntry]?
    var replays: [(due: Duration, request: SimulatedRequest)] = []
    /// What the library promised this box of an upload.
    var promised: [UploadID: Int64] = [:]
    /// Whether a contact of this boot told the library's time.
    var knowsTime = false
    private var boot: UInt64 = 1
    /// How far the feed was really heard, for the promise that nothing of it is passed over.
    var heard: BoxRecord.Place
    private(set) var restarts = 0

    init(_ number: Int, host: Int, _ content: BoxRecord, clock: Clock, seed: UInt64) {
        device = DeviceID(rawValue: UInt128(number) + 1)
        self.host = host
        self.clock = clock
        var policy = SyncPolicy()
        policy.appendByteCount = 1 << 20
        policy.parallelRequests = 3
        policy.batchAssetCount = 2
        // Some may send at night only.
        if number % 3 == 2 { policy.allowedMinutes = AllowedMinutes("20:00-08:00") }
        self.policy = policy
        disk = SimulatedDisk(content)
        heard = content.place
        machine = SyncMachine(device: device, policy: policy, seed: seed)
    }

    /// Another machine with a copy of this one's disk.
    func clone(host: Int, seed: UInt64) -> Self {
        let number = Int(device.rawValue) - 1
        return Self(number, host: host, disk.content, clock: clock, seed: seed)
    }

    func isThrough(_ library: SimulatedLibrary) -> Bool {
        let record = disk.content
        return record.owed.isEmpty && unfinished.isEmpty && answers.isEmpty && replays.isEmpty && record.waiting.isEmpty
            && record.epoch == library.epoch
            && record.place
                == BoxRecord.Place(
                    epoch: library.epoch,
                    version: library.standing(device).grantVersion,
                    position: library.feed.count
                )
            && record.judged == library.rows[record.author.replica]?.record.history.counter ?? 0
            && !record.saved.values.contains { $0.hasOriginals && $0.receipt.epoch != library.epoch }
    }

    /// Whether everything that is not through says why.
    func saysWhy(_ library: SimulatedLibrary) -> Bool {
        let known = machine.remaining
        let isSilent = known.contains { $0.hold == nil } || known.count < disk.content.owed.count
        guard unfinished.isEmpty, answers.isEmpty, !isSilent else { return false }
        let standing = library.standing(device)
        return disk.content.waiting.isEmpty || standing.identity != nil || !standing.grant.readWrite.grantsAccess
    }

    /// What is owed and why, for the report of a broken promise.
    var words: String {
        let known = machine.remaining.map { "\($0.entry.id): \($0.hold?.rawValue ?? "free")" }
        return "\(disk.content.owed.map { "\($0.id), \($0.resources.map(\.byteCount))" }); known \(known)"
    }

    // MARK: What happens to it

    mutating func wakeUp(_ now: Duration) { machine.handle(.woken, now: now) }

    /// An edit made here.
    mutating func edit(_ edit: SimulatedEdit, _ world: inout SimulatedSurroundings) {
        var author = disk.content.author
        author.milliseconds = knowsTime ? world.milliseconds : clock.milliseconds(world.milliseconds)
        let before = disk.content.shown
        var shown = before
        let changes = edit.make(on: &shown, by: &author)
        guard !changes.isEmpty else { return }
        do throws(SimulatedDisk.Failure) {
            try disk.commit([{ [author] in $0.append(changes, by: author) }], &world)
            world.truth.note(changes, madeOn: before)
        } catch {
            if error == .powerCut { restart(isPowerCut: true, &world) }
        }
        wakeUp(world.now)
    }

    /// The process ends, or the power goes; requests that were under way may arrive all the same.
    mutating func restart(isPowerCut: Bool, _ world: inout SimulatedSurroundings) {
        restarts += 1
        boot += isPowerCut ? 1 : 0
        knowsTime = knowsTime && !isPowerCut
        if disk.restart(isPowerCut: isPowerCut, &world) { heard = disk.content.place }
        for action in waiting where world.generator.oneIn(2) {
            if let request = request(for: action, world) { _ = ask(request, arrived: 1, &world) }
        }
        waiting = []
        answers = []
        reading = nil
        promised = [:]
        machine = SyncMachine(device: device, policy: policy, seed: world.generator.next())
    }

    /// An older image of its disk is put back.
    mutating func rollBack(to image: BoxRecord, _ world: inout SimulatedSurroundings) {
        disk = SimulatedDisk(image)
        heard = image.place
        unfinished = []
        restart(isPowerCut: true, &world)
    }

    var contact: Contact {
        guard let fingerprint = HashValue([UInt8](repeating: UInt8(truncatingIfNeeded: host), count: 32)) else {
            preconditionFailure("a hash has 32 bytes")
        }
        return Contact(
            device: device.rawValue,
            incarnation: disk.content.author.replica,
            history: disk.content.history,
            hostFingerprint: fingerprint,
            bootID: UInt128(boot)
        )
    }
}

extension ContentDigest {
    /// The digest of nothing in particular.
    package static let zero: Self = {
        guard let digest = ContentDigest(bytes: [UInt8](repeating: 0, count: 32)) else {
            preconditionFailure("a digest has 32 bytes")
        }
        return digest
    }()
}
