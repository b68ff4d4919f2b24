import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import PhotoModel
import Replication

/// The changes of one push that were taken: each has its own number and its own line of history, in the order of the
/// push, while each entity is loaded once, merged in memory, and written once under the number of its last change.
///
/// The writing happens when the push ends, or when a judgement has to see what the changes before it did; nobody sees
/// the rows before the push's transaction ends, and nobody else takes a number in between.
struct PushedChanges {
    private struct Pending {
        var state: ReplicaState
        let before: [UInt8]?
        var number: ChangeNumber
    }

    private let rows: ReplicatedRows
    private var pending: [EntityReference: Pending] = [:]
    private var history: [HistoryRows.Line] = []
    /// The last number that was given; nil while the library's row knows it.
    private var lastNumber: ChangeNumber?

    init(_ rows: ReplicatedRows) {
        self.rows = rows
    }

    /// Whether an entity has been changed since the last writing, and so is there.
    func holds(_ entity: EntityReference) -> Bool { pending[entity] != nil }

    /// Merges a change that was judged good.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - delta: the same as a delta of its own.
    ///   - entity: what it is of.
    /// - Throws: damage of rows.
    mutating func take(_ change: Change, as delta: Delta, of entity: EntityReference) throws {
        let last = try lastNumber ?? EntityRows.lastNumber(rows.database)
        let number = ChangeNumber(rawValue: last.rawValue + 1)
        lastNumber = number
        let field = change.entity.kind == .asset ? AssetField.name(of: change.field) : "field \(change.field.rawValue)"
        history.append(HistoryRows.Line(number: number, entity: entity, what: field))
        if pending[entity] == nil {
            let before = try rows.load(entity)
            let state = try before.map { try ReplicaState(canonicalBytes: $0) } ?? ReplicaState()
            pending[entity] = Pending(state: state, before: before, number: number)
        }
        pending[entity]?.state.apply(delta)
        pending[entity]?.number = number
    }

    /// Writes what has been merged since the last time.
    mutating func write() throws {
        guard let lastNumber else { return }
        // Before the entities: what retires surplus takes numbers of its own.
        try EntityRows.save(lastNumber: lastNumber, rows.database)
        try HistoryRows.append(history, by: rows.note.actor, at: rows.effects.now(), rows.database)
        for (entity, changed) in pending.sorted(by: { $0.value.number < $1.value.number }) {
            try rows.write(changed.state, of: entity, before: changed.before, numbered: changed.number)
            // Read again only where there is something to retire, which is seldom.
            if !changed.state.crowdedFields(of: entity).isEmpty { try rows.retireSurplus(of: [entity]) }
        }
        self.lastNumber = nil
        history.removeAll(keepingCapacity: true)
        pending.removeAll(keepingCapacity: true)
    }
}
