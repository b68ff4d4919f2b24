import TestSupport

/// A box's disk: what its process sees, and what a power cut leaves of it.
///
/// A transaction is a list of pages that become durable together: its record carries a checksum and is synchronised
/// before the call returns. One whose synchronising failed is rolled back, and may be there after a restart all the same,
/// until the next transaction is written over it.
struct SimulatedDisk {
    typealias Page = (inout BoxRecord) -> Void

    enum Failure: Error {
        case full, inputOutput, synchronize, powerCut
    }

    private(set) var content: BoxRecord
    /// A record that is written and was not synchronised.
    private var limbo: [Page] = []
    /// The power went while this was written.
    private var torn: [Page] = []
    /// With the bug that a call returns before its record is synchronised: what is durable so far.
    private var durable: [BoxRecord] = []

    init(_ content: BoxRecord) { self.content = content }

    /// Writes a transaction.
    ///
    /// - Throws: why it is not there; after `powerCut` only a restart helps.
    mutating func commit(_ pages: [Page], _ world: inout SimulatedSurroundings) throws(Failure) {
        if world.happens(.diskFull, oneIn: 90) { throw .full }
        if world.happens(.diskError, oneIn: 90) { throw .inputOutput }
        if world.happens(.syncFailure, oneIn: 90) {
            limbo = pages
            throw .synchronize
        }
        if world.happens(.powerCut, oneIn: 200) {
            torn = pages
            throw .powerCut
        }
        if world.bug == .reportsBeforeSync { durable = durable.suffix(3) + [content] }
        limbo = []
        for page in pages { page(&content) }
    }

    /// The process is gone, or the power.
    ///
    /// - Returns: whether a record is found that nobody was told of.
    mutating func restart(isPowerCut: Bool, _ world: inout SimulatedSurroundings) -> Bool {
        let unsaid = torn.isEmpty ? limbo : torn
        defer { (torn, limbo) = ([], []) }
        if isPowerCut, let last = durable.randomElement(using: &world.generator) { content = last }
        durable = []
        if world.bug == .takesTornRecords {
            for page in torn.prefix(world.generator.below(torn.count + 1)) { page(&content) }
            return true
        }
        // A record is there as a whole, or its checksum tells that it is not.
        guard !unsaid.isEmpty, world.generator.oneIn(2) else { return false }
        for page in unsaid { page(&content) }
        return true
    }
}
