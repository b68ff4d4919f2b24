import Authorization
import LibraryAPI
import PhotoModel
import Replication
import SyncEngine
import TestSupport

/// Boxes, their library, the networks between them, disks, clocks and administrators in one process, from one seed.
///
/// After the trouble comes quiet, and then the promises of `docs/invariants.md` that are the sync's have to hold: each
/// capture is one asset and has a receipt (1, 4, 5), no offset goes back (2), what rotted is told and stops nothing else
/// (3), boxes and library are one state (7), no edit is lost (8), every feed was read to its end (10), a restored library
/// gets everything again (11), nothing goes without rights (12), every queue drains (13), a disk that fails stops nothing
/// for good (14), and an edit made after seeing another one wins, whatever the clocks say (15).
package struct Simulation {
    private var generator: SeededGenerator
    private var library = SimulatedLibrary()
    private var backup: SimulatedLibrary
    private var boxes: [SimulatedBox]
    private var now = Duration.zero
    private var restores = 0

    /// A hash of everything that happened, in order.
    package private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    /// What was done, in steps.
    package private(set) var steps = 0

    /// A world that has not begun.
    ///
    /// - Parameter seed: decides everything that happens.
    package init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let clockErrors: [UInt64] = [0, 0, 60_000, 86_400_000 * 400, 86_400_000 * 365 * 30]
        boxes = (0..<(1 + generator.below(3))).map { number in
            SimulatedBox(number, seed: generator.next(), clockError: generator.pick(clockErrors))
        }
        self.generator = generator
        backup = library
    }

    /// The simulated time of all boxes together.
    package var deviceTime: Duration { now * boxes.count }

    /// Trouble for so many steps, then quiet until nothing is owed.
    ///
    /// - Parameter troubles: steps with faults.
    /// - Returns: what is wrong at the end; nil when every promise held.
    package mutating func run(troubles: Int) -> String? {
        for _ in 0..<troubles {
            step(isQuiet: false)
            disturb()
        }
        for index in boxes.indices {
            library.judge(boxes[index].device, nil)
            library.decide(boxes[index].device, .authorized, readWrite: .authorized)
        }
        if let problem = settle() { return problem }
        for index in boxes.indices {
            // Another one than is there, so that it has to win.
            let value: Int64 = rating == .integer(1) ? 2 : 1
            boxes[index].edit(0, value, now)
            if let problem = settle() { return problem }
            if rating != .integer(value) {
                return "promise 15: box \(index) saw all and wrote \(value), and it does not show"
            }
        }
        return nil
    }

    /// Something that is not the sync's doing.
    private mutating func disturb() {
        let index = generator.below(boxes.count)
        let device = boxes[index].device
        switch generator.below(40) {
        case 0...4: boxes[index].capture(now, &generator)
        case 5: boxes[index].restart(&library, &generator)
        case 6:
            library.decide(
                device,
                generator.pick([.authorized, .denied, .notDetermined, .authorized, .restricted]),
                readWrite: generator.pick([.authorized, .limited, .denied, .notDetermined])
            )
        case 7...9: boxes[index].edit(UInt128(generator.below(4)), Int64(generator.below(6)), now)
        case 10:
            library.edit(UInt128(generator.below(4)), Int64(generator.below(6)), milliseconds: milliseconds)
        case 11: boxes[index].partition(until: now + .seconds(generator.below(3600)))
        case 12: library.judge(device, generator.pick([nil, nil, .identitySuspect, .identityExpired]))
        case 13: backup = library
        case 14 where generator.oneIn(4):
            restores += 1
            library.restore(backup)
        default: break
        }
    }

    private var rating: FieldValue? { library.replica.entityView(.asset(0))?.value(AssetField.rating) }

    private var milliseconds: UInt64 { UInt64(max(0, now / .milliseconds(1))) }

    /// One step of one box; where none has anything to do, time goes by.
    private mutating func step(isQuiet: Bool) {
        steps += 1
        let first = generator.below(boxes.count)
        for offset in boxes.indices {
            let index = (first + offset) % boxes.count
            guard let (action, event) = boxes[index].step(&library, &generator, now: now, isQuiet: isQuiet) else {
                continue
            }
            now += .milliseconds(generator.below(200))
            note(index, action, event)
            return
        }
        let wake = boxes.map { $0.wake(now) }.min() ?? now
        now = max(wake, now + .milliseconds(10))
        for index in boxes.indices { boxes[index].tick(now) }
    }

    private mutating func settle() -> String? {
        var quiet = 0
        while !boxes.allSatisfy({ $0.isThrough(library) }), quiet < 40_000 {
            step(isQuiet: true)
            quiet += 1
        }
        return verdict
    }

    private var verdict: String? {
        if let first = (boxes.flatMap(\.violations) + library.violations).first { return first }
        for (index, box) in boxes.enumerated() {
            if let problem = verdict(of: box) { return "box \(index): \(problem)" }
        }
        let captured = boxes.reduce(into: Set<AssetID>()) { $0.formUnion($1.captured.subtracting($1.rotten)) }
        if !Set(library.visible.keys).isSubset(of: captured) { return "promise 5: an asset that nobody captured" }
        if library.visible.values.contains(where: { $0 != 1 }) { return "promise 5: an asset was made twice" }
        let faults = boxes.reduce(0) { $0 + $1.faults + ($1.restarts + restores) * $1.policy.parallelRequests }
        let allowed = Int64(faults) << 20
        if library.wastedBytes > allowed { return "\(library.wastedBytes) bytes were sent again for \(faults) faults" }
        return nil
    }

    private func verdict(of box: SimulatedBox) -> String? {
        if !box.owed.isEmpty {
            return "promise 13: \(box.owed.count) of \(box.captured.count) are owed after a long quiet: \(box.words)"
        }
        if !box.waiting.isEmpty { return "promise 13: \(box.waiting.count) changes wait after a long quiet" }
        if box.buried != box.rotten { return "promise 3: buried are \(box.buried.count), damaged \(box.rotten.count)" }
        let saved = box.captured.subtracting(box.rotten)
        if Set(box.receipts.keys) != saved { return "promise 4: an asset left the queue without a receipt" }
        if !saved.allSatisfy({ library.visible[$0] == 1 }) { return "promise 1: a capture is not in the library" }
        if !box.isThrough(library) { return "promise 10: the feed was not read to its end" }
        if box.base.canonicalBytes != library.replica.canonicalBytes { return "promise 7: it does not agree" }
        return nil
    }

    /// What happened, in numbers that do not depend on how anything lies in memory.
    private mutating func note(_ index: Int, _ action: SyncAction, _ event: SyncEvent) {
        take(UInt64(index))
        take(milliseconds)
        let (kind, asset): (UInt64, UInt128) =
            switch action {
            case .load: (1, 0)
            case .contact: (2, 0)
            case .authorize: (3, 0)
            case .request: (4, 0)
            case .batch(let ids): (5, ids.reduce(0) { $0 ^ $1.rawValue })
            case .describe(let id): (6, id.rawValue)
            case .position(let id, _): (7, id.rawValue)
            case .append(let append): (8, append.assetID.rawValue &+ UInt128(append.offset))
            case .commit(let id): (9, id.rawValue)
            case .push: (10, 0)
            case .pull: (11, 0)
            case .hold(let ids, _): (12, ids.reduce(0) { $0 ^ $1.rawValue })
            case .release(let ids): (13, ids.reduce(0) { $0 ^ $1.rawValue })
            case .bury(let id, _): (14, id.rawValue)
            case .awaitDecision: (15, 0)
            case .compare: (16, 0)
            }
        take(kind)
        take(UInt64(truncatingIfNeeded: asset))
        let outcome: UInt64 =
            switch event {
            case .failed(_, .refused(let problem)): 1000 + UInt64(problem.status)
            case .failed: 1
            case .batched(let committed, let refused): 10 + UInt64(committed.count) << 8 + UInt64(refused.count)
            case .positioned(_, _, let offset, _): UInt64(offset)
            default: 2
            }
        take(outcome)
    }

    private mutating func take(_ value: UInt64) { trace = (trace ^ value) &* 0x0000_0100_0000_01B3 }
}
