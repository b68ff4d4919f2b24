/// What goes wrong in a simulated world; each is counted, so that a campaign tells what it has tried.
package enum SimulatedFault: Int, CaseIterable, Sendable {
    /// A request is lost before its first byte, or is cut within its head: nothing of it counts.
    case requestLost, cutInHead
    /// A request is cut within its body: the library may have taken a part.
    case cutInBody
    /// The library did it all, and the answer is lost, or is cut within its head or its body.
    case answerLost, answerCut
    /// A request comes twice, or once more much later, when nobody waits for its answer.
    case deliveredTwice, replayed
    /// An answer is late, and other answers overtake it.
    case answerLate
    /// Nothing gets through, or only what the box sends.
    case partition, halfOpen
    /// The library answers that it cannot: busy, broken, full.
    case libraryRefuses
    /// A box's disk has no room for a record, gives an I/O error, or fails to synchronise once.
    case diskFull, diskError, syncFailure
    /// The power goes while a record is written: it is whole, absent, or torn.
    case powerCut
    /// A box's process is killed; its power goes between two records.
    case boxKilled, boxUnplugged
    /// Originals rot on a box; its space for captures is used up.
    case bytesRotten, boxFull
    /// The library is killed between two calls, or while it publishes an asset.
    case libraryKilled, libraryKilledWhilePublishing
    /// A box's disk is copied to another machine, or set back to an older image.
    case boxCloned, boxRolledBack
    /// The library is restored from its last backup.
    case libraryRestored
    /// A box's clock jumps.
    case clockJumps
    /// An administrator changes a grant, or a device expires or is suspected.
    case grantChanged, deviceJudged
}

/// How often each fault happened.
package struct FaultCounts: Sendable {
    private var counts = [Int](repeating: 0, count: SimulatedFault.allCases.count)

    /// None yet.
    package init() {}

    /// How often one happened.
    package subscript(_ fault: SimulatedFault) -> Int { counts[fault.rawValue] }

    /// Notes one.
    package mutating func note(_ fault: SimulatedFault) { counts[fault.rawValue] += 1 }

    /// Adds those of another world.
    package mutating func add(_ other: Self) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    /// All of them.
    package var total: Int { counts.reduce(0, +) }

    /// Each kind with its number, as `requestLost 12, cutInHead 3`.
    package var words: String {
        SimulatedFault.allCases.map { "\($0) \(self[$0])" }.joined(separator: ", ")
    }
}
