import PhotoModel
import Replication
import SyncEngine

/// What a box keeps on its disk: its queue, its receipts, its replica, and what it writes with.
struct BoxRecord {
    /// An asset of which the library has said that it keeps it.
    struct Saved {
        let entry: SyncEntry
        let receipt: SimulatedReceipt
        var hasOriginals = true
    }

    /// How far the feed was read, under which grant and of which history.
    struct Place: Hashable {
        var epoch = 0
        var version: UInt64 = 0
        /// Nil before the view was enumerated.
        var position: Int?
    }

    var owed: [SyncEntry] = []
    /// Resources whose bytes are here.
    var files: Set<ResourceID> = []
    var saved: [AssetID: Saved] = [:]
    var rejected: Set<AssetID> = []

    /// What the library has shown of its state, and what it took from here; what waits comes on top.
    var base = ReplicaState()
    /// Every change of this incarnation, in order, with the history that ends in it; the library has judged those up to
    /// `judged`.
    private(set) var changes: [Change] = []
    private var histories: [HistoryChain] = []
    private(set) var judged: UInt64 = 0
    var author: Author
    /// Whether it goes on under another name than it began with: what was acknowledged before is not offered again.
    private(set) var hasBegunAnew = false
    var place = Place()
    /// The history of the library that was met last, and up to which change it is backed up.
    var epoch = 0
    var watermark = 0
    var ticket: UInt64?
    /// What it was last told that it may do.
    var authorization: SyncAuthorization?

    init(_ replica: ReplicaID) {
        author = Author(incarnation: Incarnation(replica: replica), milliseconds: 0)
    }

    var waiting: ArraySlice<Change> { changes.dropFirst(Int(judged)) }

    var history: HistoryChain { history(through: changes.count) }

    /// The history before the first change that waits.
    var judgedHistory: HistoryChain { history(through: Int(judged)) }

    private func history(through count: Int) -> HistoryChain {
        count > 0 ? histories[count - 1] : HistoryChain(of: author.replica, hash: .simulated)
    }

    /// What people see.
    var shown: ReplicaState {
        var shown = base
        for change in waiting { shown.apply(change) }
        return shown
    }

    /// Bytes of originals.
    var usedBytes: Int64 {
        owed.reduce(0) { $0 + $1.byteCount }
            + saved.values.reduce(0) { $0 + ($1.hasOriginals ? $1.entry.byteCount : 0) }
    }

    /// Assets whose originals are here whole.
    var heldAssets: Set<AssetID> {
        let here = owed.filter { $0.resources.allSatisfy { files.contains($0.id) } }.map(\.id)
        return Set(here).union(saved.filter(\.value.hasOriginals).keys)
    }

    /// The numbered edits that the box could still tell of.
    var ratings: Set<Int64> {
        Set(
            changes.compactMap { change in
                if change.field == AssetField.rating, case .integer(let stars) = change.value { stars } else { nil }
            }
        )
    }

    // MARK: Edits

    mutating func append(_ made: [Change], by author: Author) {
        self.author = author
        for change in made { append(change) }
    }

    private mutating func append(_ change: Change) {
        var history = history
        do {
            try history.append(change, hash: .simulated)
        } catch {
            preconditionFailure("a change of this box is not the next one: \(error)")
        }
        changes.append(change)
        histories.append(history)
    }

    /// The library judged changes up to a counter.
    mutating func acknowledge(_ counter: UInt64) {
        guard counter > judged else { return }
        for change in waiting where change.dot.counter <= counter { base.apply(change) }
        judged = counter
    }

    /// A restored library knows less than it had said.
    mutating func reconcile(_ acknowledged: UInt64) { judged = min(judged, acknowledged) }

    /// Goes on under another name: what waits is written once more, and the view is read from its start.
    mutating func begin(_ fresh: ReplicaID) {
        hasBegunAnew = true
        var incarnation = Incarnation(replica: fresh)
        let again = Reauthoring.reauthor(Array(waiting), as: &incarnation)
        author.incarnation = incarnation
        judged = 0
        replaceWaiting(by: again)
        place = Place(epoch: epoch)
    }

    /// Gives what waits stamps that the library accepts.
    mutating func restamp(_ milliseconds: UInt64) {
        var state = shown
        guard let again = try? state.restamp(Array(waiting), clock: &author.clock, milliseconds: milliseconds) else {
            return
        }
        replaceWaiting(by: again)
    }

    private mutating func replaceWaiting(by again: [Change]) {
        changes.removeLast(changes.count - Int(judged))
        histories.removeLast(histories.count - Int(judged))
        for change in again { append(change) }
    }
}

// What the library's answers make of it.
extension BoxRecord {
    /// A note about an entry that needs no answer.
    mutating func note(_ action: SyncAction) {
        guard case .reject(let asset, _) = action, owed.contains(where: { $0.id == asset }) else { return }
        rejected.insert(asset)
        owed.removeAll { $0.id == asset }
    }

    mutating func keep(_ receipt: SimulatedReceipt, of asset: AssetID) {
        guard let entry = owed.first(where: { $0.id == asset }) else { return }
        saved[asset] = Saved(entry: entry, receipt: receipt)
        owed.removeAll { $0.id == asset }
    }

    mutating func free(_ assets: Set<AssetID>) {
        for asset in assets {
            saved[asset]?.hasOriginals = false
            let entry = saved[asset]?.entry ?? owed.first { $0.id == asset }
            for resource in entry?.resources ?? [] { files.remove(resource.id) }
        }
        owed.removeAll { assets.contains($0.id) }
    }

    /// A library of another history is offered again what the lost one had, and tells everything anew.
    mutating func offerAgain(unlessOf epoch: Int) {
        // At every contact: a receipt of the lost history may have come after the first one.
        let again = saved.values.filter { $0.receipt.epoch != epoch && $0.hasOriginals }
        owed += again.map(\.entry).sorted { $0.id < $1.id }
        for entry in again { saved[entry.entry.id] = nil }
        guard self.epoch != epoch else { return }
        self.epoch = epoch
        place = Place(epoch: epoch)
    }

    /// Takes in what a page tells, with its place.
    mutating func take(_ page: SimulatedPage, skippingEach skipped: Int?) {
        if let whole = page.whole {
            base = whole
            author.incarnation.noteForgotten()
        }
        for (index, item) in page.items.enumerated() {
            if let skipped, ((page.start.position ?? 0) + index) % skipped == skipped - 1 { continue }
            switch item {
            case .change(let change): base.apply(change)
            case .forget(let entities):
                author.incarnation.noteForgotten()
                entities.forEach { base.forget($0) }
            }
        }
        place = page.end
    }
}
