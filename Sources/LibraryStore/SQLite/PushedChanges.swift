import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import PhotoModel
import Replication

/// The changes of one push that were taken: each entity is loaded once, merged in memory, and written once, with one
/// change number, when the push ends or when a judgement has to see what the changes before it did.
struct PushedChanges {
    private struct Pending {
        var state: ReplicaState
        let before: [UInt8]?
        var fields: [String]
    }

    private let rows: ReplicatedRows
    private var pending: [EntityReference: Pending] = [:]
    /// The entities in the order in which they were first changed.
    private var order: [EntityReference] = []

    init(_ rows: ReplicatedRows) {
        self.rows = rows
    }

    /// Merges a change that was judged good.
    mutating func take(_ change: Change, of entity: EntityReference) throws {
        if pending[entity] == nil {
            let before = try rows.load(entity)
            let state = try before.map { try ReplicaState(canonicalBytes: $0) } ?? ReplicaState()
            pending[entity] = Pending(state: state, before: before, fields: [])
            order.append(entity)
        }
        pending[entity]?.state.apply(change)
        let field = change.entity.kind == .asset ? AssetField.name(of: change.field) : "field \(change.field.rawValue)"
        if pending[entity]?.fields.contains(field) == false { pending[entity]?.fields.append(field) }
    }

    /// Writes what has been merged since the last time.
    mutating func write() throws {
        for entity in order {
            guard let changed = pending[entity] else { continue }
            let rows = rows.noting(changed.fields.joined(separator: ", "))
            try rows.write(changed.state, of: entity, before: changed.before)
            try rows.retireSurplus(of: [entity])
        }
        pending.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
    }
}
