import Authorization
import LibraryAPI
import PhotoModel
import Replication
import SyncEngine
import TestSupport

/// Boxes, their library, the networks between them, disks, clocks and administrators in one process, from one seed.
///
/// Trouble comes first: every ``SimulatedFault``. Then comes quiet, and then the fifteen promises have to hold. What a
/// promise means here is in `Simulation+Promises.swift`; that each of them can be broken is shown by a ``PlantedBug``.
package struct Simulation {
    var world: SimulatedSurroundings
    var boxes: [SimulatedBox]
    private var backup: SimulatedLibrary
    /// The last image that was taken of each machine's disk.
    private var images: [Int: BoxRecord] = [:]
    private var grants: [DeviceID: (mayAdd: Bool, mayView: Bool)] = [:]
    private var refused: Set<DeviceID> = []
    private var lastShot = 0

    /// A hash of everything that happened, in order.
    package private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    /// What was done, in steps.
    package private(set) var steps = 0
    /// What went wrong, and how often.
    package var faults: FaultCounts { world.faults }

    /// A world that has not begun.
    ///
    /// - Parameters:
    ///   - seed: decides everything that happens.
    ///   - bug: what is wrong in this world; nil where everything is as it should be.
    package init(seed: UInt64, planting bug: PlantedBug? = nil) {
        var generator = SeededGenerator(seed: seed)
        boxes = (0..<(1 + generator.below(3))).map { number in
            let replica = ReplicaID(rawValue: UInt128(number) + 2)
            let clock = SimulatedBox.Clock.any(&generator)
            return SimulatedBox(number, host: number, BoxRecord(replica), clock: clock, seed: generator.next())
        }
        for index in boxes.indices { boxes[index].link.trouble = generator.pick([2, 3, 3, 5, 12]) }
        backup = SimulatedLibrary()
        world = SimulatedSurroundings(generator: generator, library: backup, bug: bug)
        for box in boxes {
            let readWrite = world.generator.pick([AccessDecision.ReadWrite.authorized, .limited, .notDetermined])
            decide(box.device, AccessDecision(addOnly: .authorized, readWrite: readWrite))
        }
    }

    /// The simulated time of all boxes together.
    package var deviceTime: Duration { world.now * boxes.count }

    /// Trouble for so many steps, then quiet until nothing is owed.
    ///
    /// - Parameter troubles: steps with faults.
    /// - Returns: what is wrong; nil when every promise held.
    package mutating func run(troubles: Int) -> String? {
        for _ in 0..<troubles {
            step()
            disturb()
            if let problem = world.truth.violations.first { return problem }
        }
        world.isQuiet = true
        return waitForReasons() ?? calmDown() ?? secondLook() ?? leftovers()
    }

    // MARK: Quiet

    /// Everything that is not through says why, as the administrators left it.
    private mutating func waitForReasons() -> String? {
        var quiet = 0
        while quiet < 20_000 {
            if quiet % 8 == 0, !boxes.indices.contains(where: { isSilent($0) }) { return world.truth.violations.first }
            step()
            quiet += 1
        }
        let silent = boxes.indices.first { isSilent($0) }.map { boxes[$0] }
        return world.truth.violations.first
            ?? silent.flatMap { stuck($0) }
            ?? "promise 13: something waits and does not say why: \(silent?.words ?? "")"
    }

    private func isSilent(_ index: Int) -> Bool {
        !boxes[index].isThrough(world.library) && !boxes[index].saysWhy(world.library)
    }

    /// Every device is allowed everything; of copies one after the other works, while the others are off.
    private mutating func calmDown() -> String? {
        let families = Dictionary(grouping: boxes.indices) { boxes[$0].device }
        for device in families.keys.sorted() {
            judge(device, nil)
            decide(device, AccessDecision(addOnly: .authorized, readWrite: .authorized))
        }
        for round in 0..<(families.values.map(\.count).max() ?? 0) {
            for (_, copies) in families.sorted(by: { $0.key < $1.key }) where copies.count > 1 {
                for index in copies { boxes[index].isOff = true }
                let index = copies[min(round, copies.count - 1)]
                boxes[index].isOff = false
                boxes[index].restart(isPowerCut: true, &world)
                world.library.chooseReplicas(of: boxes[index].device)
                world.truth.forgetContacts()
            }
            if let problem = settle() { return problem }
        }
        return nil
    }

    /// Works until nothing is owed; an administrator lets devices go on that were taken for copies.
    mutating func settle() -> String? {
        var quiet = 0
        // To look costs more than a step.
        while quiet < 40_000, quiet % 4 != 0 || !isThrough {
            step()
            quiet += 1
            guard quiet % 200 == 0 else { continue }
            for box in boxes where world.library.standing(box.device).identity != nil { judge(box.device, nil) }
        }
        return verdict
    }

    private var isThrough: Bool { boxes.indices.allSatisfy { boxes[$0].isOff || boxes[$0].isThrough(world.library) } }

    mutating func nextShot() -> Int {
        lastShot += 1
        return lastShot
    }

    /// Takes a backup.
    mutating func backUp() {
        world.library.watermark = world.library.lastNumber
        backup = world.library
    }

    // MARK: Trouble

    /// Something that is not the sync's doing.
    private mutating func disturb() {
        let index = world.generator.below(boxes.count)
        switch world.generator.below(60) {
        case 0...6: boxes[index].capture(nextShot(), &world)
        case 7...11:
            boxes[index].edit(.any(&world.generator, &world.truth), &world)
        case 12...13:
            let edit = SimulatedEdit.any(&world.generator, &world.truth)
            world.library.edit(edit, milliseconds: world.milliseconds, &world.truth)
        case 14...15: boxes[index].free(&world)
        case 16: backUp()
        case 17: images[index] = boxes[index].disk.content
        case 18: world.library.tidyUp(world.now, world.bug)
        case 19...26: breakSomething(of: index)
        default: break
        }
    }

    private mutating func breakSomething(of index: Int) {
        let device = boxes[index].device
        switch world.generator.below(12) {
        case 0: kill(index, isPowerCut: false)
        case 1: kill(index, isPowerCut: true)
        case 2:
            world.faults.note(.grantChanged)
            let addOnly = world.generator.pick([AccessDecision.AddOnly.authorized, .denied, .notDetermined])
            let readWrite = world.generator.pick(AccessDecision.ReadWrite.allCases)
            decide(device, AccessDecision(addOnly: addOnly, readWrite: readWrite))
        case 3:
            world.faults.note(.deviceJudged)
            judge(device, world.generator.pick([nil, nil, .identitySuspect, .identityExpired]))
        case 4:
            world.faults.note(.partition)
            boxes[index].link.cutUntil = world.now + .seconds(world.generator.below(3600))
        case 5:
            world.faults.note(.halfOpen)
            boxes[index].link.halfOpenUntil = world.now + .seconds(world.generator.below(600))
        case 6: killLibrary()
        case 7:
            world.faults.note(.clockJumps)
            boxes[index].clock = .any(&world.generator)
        case 8: rot(index)
        case 9 where world.generator.oneIn(2): restore()
        case 10 where world.generator.oneIn(2): rollBack(index)
        case 11 where world.generator.oneIn(2): clone(index)
        default: break
        }
    }

    private mutating func kill(_ index: Int, isPowerCut: Bool) {
        world.faults.note(isPowerCut ? .boxUnplugged : .boxKilled)
        boxes[index].restart(isPowerCut: isPowerCut, &world)
    }

    private mutating func killLibrary() {
        world.faults.note(.libraryKilled)
        world.library.kill()
        for index in boxes.indices { boxes[index].loseAnswers(&world) }
    }

    private mutating func rot(_ index: Int) {
        let owed = boxes[index].disk.content.owed.map(\.id).filter { world.library.assets[$0] == nil }
        guard let asset = owed.randomElement(using: &world.generator) else { return }
        world.faults.note(.bytesRotten)
        world.truth.rotten.insert(asset)
    }

    private mutating func restore() {
        world.faults.note(.libraryRestored)
        world.library.restore(backup)
        world.truth.restore()
        world.truth.excuse(heldOn: boxes, world.library)
    }

    private mutating func rollBack(_ index: Int) {
        guard let image = images[index] else { return }
        world.faults.note(.boxRolledBack)
        boxes[index].rollBack(to: image, &world)
        world.truth.unlearnContacts(of: boxes[index].contact.hostFingerprint)
        world.truth.excuse(heldOn: boxes, world.library)
    }

    private mutating func clone(_ index: Int) {
        guard boxes.count < 4 else { return }
        world.faults.note(.boxCloned)
        var copy = boxes[index].clone(host: boxes.count, seed: world.generator.next())
        copy.link.trouble = boxes[index].link.trouble
        boxes.append(copy)
    }

    private mutating func decide(_ device: DeviceID, _ decision: AccessDecision) {
        world.library.decide(device, decision)
        grants[device] = (
            decision.addOnly == .authorized || decision.readWrite == .authorized || decision.readWrite == .limited,
            decision.readWrite == .authorized || decision.readWrite == .limited
        )
        noteRights(of: device)
    }

    private mutating func judge(_ device: DeviceID, _ refusal: ErrorCode?) {
        world.library.judge(device, refusal)
        if refusal == nil {
            refused.remove(device)
            world.truth.forgetContacts()
        } else {
            refused.insert(device)
        }
        noteRights(of: device)
    }

    private mutating func noteRights(of device: DeviceID) {
        let grant = grants[device] ?? (mayAdd: true, mayView: false)
        let isGood = !refused.contains(device)
        world.truth.rights[device] = (isGood && grant.mayAdd, isGood && grant.mayView)
    }

    // MARK: Steps

    /// One step of one box; where none has anything to do, time goes by.
    mutating func step() {
        steps += 1
        let first = world.generator.below(boxes.count)
        for offset in boxes.indices {
            let index = (first + offset) % boxes.count
            guard !boxes[index].isOff else { continue }
            switch boxes[index].step(&world) {
            case .nothing: continue
            case .begun(let action): note(index, action, nil)
            case .done(let action, let event): note(index, action, event)
            }
            world.now += .milliseconds(world.generator.below(200))
            return
        }
        let wake = boxes.filter { !$0.isOff }.map { $0.wake(world.now) }.min() ?? world.now
        world.now = max(wake, world.now + .milliseconds(10))
        for index in boxes.indices where !boxes[index].isOff { boxes[index].tick(world.now) }
    }

    private mutating func note(_ index: Int, _ action: SyncAction?, _ event: SyncEvent?) {
        take(UInt64(index))
        take(world.milliseconds)
        if let action { action.fingerprint.forEach { take($0) } }
        if let event { take(event.fingerprint) }
    }

    private mutating func take(_ value: UInt64) { trace = (trace ^ value) &* 0x0000_0100_0000_01B3 }
}
