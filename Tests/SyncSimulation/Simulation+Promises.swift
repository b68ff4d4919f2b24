import PhotoModel
import Replication
import SyncEngine

// The fifteen promises of `docs/invariants.md`, held against what really happened.

extension Simulation {
    /// The first promise that is broken while everything is quiet.
    var verdict: String? {
        if let first = world.truth.violations.first { return first }
        for (index, box) in boxes.enumerated() where !box.isOff {
            if let problem = verdict(of: box) { return "\(problem) (box \(index))" }
        }
        return verdictOfAssets ?? verdictOfEdits ?? verdictOfWaste
    }

    /// Why a box is not through: 15 where its clock is to blame.
    func stuck(_ box: SimulatedBox) -> String? {
        let record = box.disk.content
        guard let first = record.waiting.first else { return nil }
        let isAhead = first.stamp.milliseconds > world.milliseconds + 120_000
        return "promise \(isAhead ? 15 : 13): \(record.waiting.count) changes wait after a long quiet"
    }

    private func verdict(of box: SimulatedBox) -> String? {
        let record = box.disk.content
        if !record.owed.isEmpty {
            return "promise 13: \(record.owed.count) are owed after a long quiet: \(box.words)"
        }
        if let problem = stuck(box) { return problem }
        if record.rejected.contains(where: { !world.truth.rotten.contains($0) }) {
            return "promise 3: a good asset is among the dead letters"
        }
        if record.saved.keys.contains(where: { world.library.assets[$0] == nil }) {
            return "promise 4: there is a receipt for what the library does not have"
        }
        if box.heard != record.place { return "promise 10: the box goes on behind what it never heard" }
        if !box.isThrough(world.library) { return "promise 10: the feed was not read to its end" }
        if record.base.canonicalBytes != world.library.replica.canonicalBytes {
            return "promise 7: box and library do not agree"
        }
        return nil
    }

    private var verdictOfAssets: String? {
        let assets = world.library.assets
        let truth = world.truth
        guard assets.keys.allSatisfy({ truth.entries[$0] != nil }) else {
            return "promise 5: an asset that nobody captured"
        }
        guard Set(assets.keys.compactMap { truth.shots[$0] }).count == assets.count else {
            return "promise 5: one shot became two assets"
        }
        for asset in assets.values {
            let isWhole = asset.entry.resources.allSatisfy { resource in
                world.library.blobs[resource.id].map { $0.byteCount == resource.byteCount && !$0.isRotten } ?? false
            }
            if !isWhole { return "promise 6: an asset of the library is not whole" }
            // The row that made it into the queue must be the row of the shot.
            if asset.entry.resources != truth.entries[asset.entry.id]?.resources {
                return "promise 1: an asset is not what was captured"
            }
        }
        // What the copies that are off have yet to tell is asked for in their round.
        let pending = boxes.filter(\.isOff).reduce(into: Set<AssetID>()) { $0.formUnion($1.disk.content.heldAssets) }
        let gone = truth.reported.subtracting(truth.excusedAssets).subtracting(truth.rotten).subtracting(pending)
        return gone.allSatisfy { assets[$0] != nil } ? nil : "promise 1: a shot that was reported is not in the library"
    }

    private var verdictOfEdits: String? {
        let library = world.library
        let truth = world.truth
        // Under a new name nothing is offered again that a lost library had acknowledged under the old one.
        let isGone = faults[.libraryRestored] > 0 && boxes.contains { $0.disk.content.hasBegunAnew }
        let pending = boxes.filter(\.isOff).reduce(into: Set<Int64>()) { $0.formUnion($1.disk.content.ratings) }
        if !isGone, !truth.ratings.subtracting(truth.excusedRatings).subtracting(pending).isSubset(of: library.ratings)
        {
            return "promise 8: an edit that was kept never reached the library"
        }
        var live: Set<Dot> = []
        for entity in library.replica.identifiers {
            guard let view = library.replica.entityView(entity) else { continue }
            for field in view.fields { live.formUnion(view.writes(field).map(\.dot)) }
        }
        var admitted: [Dot: Change] = [:]
        for entry in library.feed { if case .change(let change) = entry.item { admitted[change.dot] = change } }
        let overwritten = admitted.values.reduce(into: Set<Dot>()) { $0.formUnion($1.superseded) }
        for (removal, seen) in truth.removals where !seen.isDisjoint(with: live) {
            // Under a new stamp it is the same removal.
            guard let known = admitted[removal.dot], known.entity == removal.entity, known.value == nil,
                known.superseded == removal.superseded
            else { continue }
            return "promise 9: what was removed is there again"
        }
        let forgotten = library.forgottenMemberships
        for change in admitted.values where change.value != nil {
            // A place in an album goes with the membership, also one that was given while another took the asset out.
            if change.field == MembershipField.position, forgotten.contains(change.entity) { continue }
            if !live.contains(change.dot), !overwritten.contains(change.dot) {
                return "promise 8: an edit is neither shown, nor overwritten, nor kept as a loser"
            }
        }
        return nil
    }

    /// A fault costs at most one append; copies of a box get into each other's way.
    private var verdictOfWaste: String? {
        guard faults[.boxCloned] == 0 else { return nil }
        let restarts = boxes.reduce(0) { $0 + $1.restarts * $1.policy.parallelRequests }
        let allowed = Int64(faults.total + restarts + faults[.libraryRestored] * 3) << 20
        let wasted = world.library.wastedBytes
        return wasted <= allowed ? nil : "promise 2: \(wasted) bytes were sent again for \(faults.total) faults"
    }

    // MARK: After everything is quiet

    /// An edit made after seeing everything wins whatever the clocks say (15), and a box that was full takes shots again
    /// once its originals may go (14).
    mutating func secondLook() -> String? {
        for index in boxes.indices where !boxes[index].isOff {
            let stars = world.truth.nextRating()
            boxes[index].edit(.rate(0, stars), &world)
            if let problem = settle() { return problem }
            let shown = world.library.replica.entityView(.asset(0))?.value(AssetField.rating)
            guard shown == .integer(stars) else {
                return "promise 15: box \(index) saw all and wrote \(stars), and it does not show"
            }
        }
        backUp()
        for index in boxes.indices where !boxes[index].isOff {
            boxes[index].wakeUp(world.now)
            world.now += .seconds(120)
            for _ in 0..<50 { step() }
            if let problem = settle() { return problem }
            boxes[index].free(&world)
            let reported = world.truth.reported.count
            boxes[index].capture(nextShot(), &world)
            guard world.truth.reported.count > reported else {
                return "promise 14: box \(index) takes no shots, though everything is saved"
            }
            if let problem = settle() { return problem }
        }
        return nil
    }

    /// Nothing lies in the library for nobody once the uploads' age and the quarantine are over (6).
    mutating func leftovers() -> String? {
        for wait in [SimulatedLibrary.uploadAge, SimulatedLibrary.quarantineAge, .seconds(1)] {
            world.now += wait
            world.library.tidyUp(world.now, world.bug)
        }
        let count = world.library.leftoverCount
        return count == 0 ? nil : "promise 6: \(count) uploads and files belong to no asset, and are not collected"
    }
}
