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
/// the rows before the push's transaction ends.
struct PushedChanges {
    private struct Pending {
        var state: ReplicaState
        let before: [UInt8]?
        var number: ChangeNumber
    }

    private let rows: ReplicatedRows
    private var pending: [EntityReference: Pending] = [:]

    init(_ rows: ReplicatedRows) {
        self.rows = rows
    }

    /// Whether an entity has been changed since the last writing, and so is there.
    func holds(_ entity: EntityReference) -> Bool { pending[entity] != nil }

    /// Merges a change that was judged good.
    mutating func take(_ change: Change, of entity: EntityReference) throws {
        let field = change.entity.kind == .asset ? AssetField.name(of: change.field) : "field \(change.field.rawValue)"
        let number = try rows.noting(field).number(entity)
        if pending[entity] == nil {
            let before = try rows.load(entity)
            let state = try before.map { try ReplicaState(canonicalBytes: $0) } ?? ReplicaState()
            pending[entity] = Pending(state: state, before: before, number: number)
        }
        pending[entity]?.state.apply(change)
        pending[entity]?.number = number
    }

    /// Writes what has been merged since the last time.
    mutating func write() throws {
        for (entity, changed) in pending.sorted(by: { $0.value.number < $1.value.number }) {
            try rows.write(changed.state, of: entity, before: changed.before, numbered: changed.number)
            // Read again only where there is something to retire, which is seldom.
            if !changed.state.crowdedFields(of: entity).isEmpty { try rows.retireSurplus(of: [entity]) }
        }
        pending.removeAll(keepingCapacity: true)
    }
}
