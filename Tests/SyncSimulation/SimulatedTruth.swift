import PhotoModel
import Replication
import SyncEngine

/// What really happened in a world, kept beside boxes and library and never seen by them: what the promises are held
/// against.
struct SimulatedTruth {
    /// Every asset that was ever put together, with the shot that it is of.
    private(set) var shots: [AssetID: Int] = [:]
    private(set) var entries: [AssetID: SyncEntry] = [:]
    /// Assets of which a person was told that they are saved on the box.
    private(set) var reported: Set<AssetID> = []
    /// Assets whose bytes rotted on a box.
    var rotten: Set<AssetID> = []
    /// Assets whose last copy, and ratings whose last trace, went with a disk or a library that people set back.
    private(set) var excusedAssets: Set<AssetID> = []
    private(set) var excusedRatings: Set<Int64> = []
    /// Ratings are numbered, so that each edit is known wherever it comes up again.
    private(set) var ratings: Set<Int64> = []
    private var lastRating: Int64 = 0
    /// What removals had seen; a box that was set back may give a name again, so that a name alone tells none.
    private(set) var removals: [(change: Change, seen: Set<Dot>)] = []
    /// What the library admitted under each name, in any of its histories.
    private var admitted: [Dot: Change] = [:]
    /// What each device may do, as the administrators said.
    var rights: [DeviceID: (mayAdd: Bool, mayView: Bool)] = [:]
    /// Promises that were broken on the way.
    private(set) var violations: [String] = []

    mutating func blame(_ promise: Int, _ words: String) {
        if violations.count < 10 { violations.append("promise \(promise): \(words)") }
    }

    /// Good contacts of each incarnation since people last looked: by which machine, and whether it learned of it.
    private var contacts: [ReplicaID: [(serial: Int, host: HashValue, isKnown: Bool)]] = [:]

    // MARK: Captures

    mutating func attempt(_ entry: SyncEntry, shot: Int) {
        shots[entry.id] = shot
        entries[entry.id] = entry
    }

    mutating func report(_ asset: AssetID) { reported.insert(asset) }

    // MARK: Edits

    mutating func nextRating() -> Int64 {
        lastRating += 1
        return lastRating
    }

    /// Notes edits that were made and kept, and what each of them had seen.
    mutating func note(_ changes: [Change], madeOn seen: ReplicaState) {
        for change in changes {
            if change.field == AssetField.rating, case .integer(let rating) = change.value { ratings.insert(rating) }
            guard change.value == nil, let view = seen.entityView(change.entity) else { continue }
            removals.append((change, Set(change.superseded.filter { view.hasSeen($0) })))
        }
    }

    /// Notes what the library takes into a history.
    mutating func admit(_ change: Change) {
        // A restored library has forgotten which of the copies it had believed.
        if let known = admitted[change.dot], known != change, !isRestored {
            blame(11, "two changes are called \(change.dot.counter) of \(change.dot.replica)")
        }
        admitted[change.dot] = change
    }

    // MARK: Copies

    /// The library takes a contact for good.
    mutating func meet(_ contact: Contact, _ serial: Int) {
        let last = contacts[contact.incarnation]?.suffix(11) ?? []
        contacts[contact.incarnation] = last + [(serial, contact.hostFingerprint, false)]
    }

    private var isRestored = false

    /// The library takes a change for one that it has.
    mutating func passOver(_ change: Change) {
        if let known = admitted[change.dot], known != change {
            blame(11, "of two changes that are called \(change.dot.counter) of \(change.dot.replica), one is lost")
        }
    }

    /// The answer of a good contact is kept by its machine.
    ///
    /// A ticket is good until the one after it is used, so that two machines may each go on once; the next of them to call
    /// has to be found.
    mutating func metArrived(_ serial: Int, _ incarnation: ReplicaID) {
        guard let index = contacts[incarnation]?.firstIndex(where: { $0.serial == serial }) else { return }
        contacts[incarnation]?[index].isKnown = true
        let hosts = (contacts[incarnation] ?? []).filter(\.isKnown).map(\.host)
        for other in Set(hosts) {
            let pair = hosts.filter { $0 == hosts.last || $0 == other }
            let changes = zip(pair, pair.dropFirst()).count { $0 != $1 }
            if changes > 2 { return blame(11, "two machines go on as \(incarnation), and nobody noticed") }
        }
    }

    /// People have looked at a device's copies, or a restored library asks for no tickets.
    mutating func restore() {
        isRestored = true
        forgetContacts()
    }

    mutating func forgetContacts() { contacts = [:] }

    /// A machine's disk was set back: what it had learned at contacts is gone, as if the answers had been lost.
    mutating func unlearnContacts(of host: HashValue) {
        for (incarnation, known) in contacts {
            contacts[incarnation] = known.map { $0.host == host ? ($0.serial, host, false) : $0 }
        }
    }

    // MARK: What people lose by their own doing

    /// After a disk or a library was set back: what is nowhere any more cannot be asked for.
    mutating func excuse(heldOn boxes: [SimulatedBox], _ library: SimulatedLibrary) {
        var assets = Set(library.assets.keys)
        var known = library.ratings
        for box in boxes {
            assets.formUnion(box.disk.content.heldAssets)
            known.formUnion(box.disk.content.ratings)
        }
        excusedAssets.formUnion(reported.subtracting(assets))
        excusedRatings.formUnion(ratings.subtracting(known))
    }
}
