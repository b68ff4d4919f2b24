import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// The accepted changes of one push: each has its own number and line of history, in push order, while each entity is
/// loaded once, merged in memory, and written once under the number of its last change.
///
/// Writing happens when the push ends, or when a judgement depends on earlier changes. Nobody sees the rows before the
/// push's transaction ends, and nobody else takes a number in between.
struct PushedChanges {
    private struct Pending {
        var state: ReplicaState
        let before: [UInt8]?
        /// The number of its last change; nil if none was accepted.
        var number: ChangeNumber?
    }

    private let rows: ReplicatedTable
    private var ahead: RowsAhead
    private var writers: WriterTable
    private var pending: [EntityReference: Pending] = [:]
    private var history: [HistoryTable.Line] = []
    /// How often each asset was put into an album, also if it was there already.
    private var additions: [AssetID: Int] = [:]
    /// The last assigned number; nil while the library's row is current.
    private var lastNumber: ChangeNumber?
    /// The number of the last accepted change, written or not; nil before the first.
    private(set) var latest: ChangeNumber?

    init(_ rows: ReplicatedTable, ahead: RowsAhead, by device: DeviceID) {
        self.rows = rows
        self.ahead = ahead
        writers = WriterTable(namedBy: device, rows.database)
    }

    /// Whether an entity has been loaded since the last write, and so exists.
    func holds(_ entity: EntityReference) -> Bool { pending[entity] != nil }

    /// How often an asset was put into an album, written or not.
    func additionCount(of asset: AssetID) -> Int { additions[asset] ?? 0 }

    /// Merges an admitted change.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - delta: the same as a single-change delta.
    ///   - entity: its entity.
    /// - Returns: the bytes of state read for it.
    /// - Throws: the refusal of an unmergeable change, and damage of rows.
    mutating func take(_ change: Change, as delta: Delta, of entity: EntityReference) throws -> Int {
        let before = try pending[entity] == nil ? load(entity) : nil
        if pending[entity] == nil {
            pending[entity] = Pending(state: try state(before, of: entity), before: before)
        }
        var known = writers
        defer { writers = known }
        do {
            try pending[entity]?.state.admit(change, as: delta) { try known.mayHaveWritten($0) }
        } catch let error as ReplicationError {
            throw StoreError(error.errorCode, error.message + ".", about: error.subject, cause: error)
        }
        let last = try lastNumber ?? EntityTable.lastNumber(rows.database)
        let number = ChangeNumber(rawValue: last.rawValue + 1)
        (lastNumber, latest) = (number, number)
        history.append(HistoryTable.Line(number: number, entity: entity, what: change.what(of: entity)))
        pending[entity]?.number = number
        if let asset = entity.joined(by: change)?.asset { additions[asset, default: 0] += 1 }
        return before?.count ?? 0
    }

    private func load(_ entity: EntityReference) throws -> [UInt8]? {
        if let read = ahead.state(of: entity) { return read.bytes }
        return try rows.load(entity)
    }

    /// Reads a state; damage of one entity refuses only that entity's changes.
    private func state(_ bytes: [UInt8]?, of entity: EntityReference) throws -> ReplicaState {
        do {
            return try bytes.map { try ReplicaState(canonicalBytes: $0) } ?? ReplicaState()
        } catch {
            throw StoreError(
                .storageDamaged,
                "The library's record of this object is damaged: ask the operator to verify the library.",
                about: "\(entity)",
                cause: error
            )
        }
    }

    /// Writes everything merged since the last time.
    mutating func write() throws {
        guard let lastNumber else { return pending.removeAll(keepingCapacity: true) }
        ahead = RowsAhead()
        // Before the entities: retiring surplus takes numbers of its own.
        try EntityTable.save(lastNumber: lastNumber, rows.database)
        try HistoryTable.append(history, by: rows.note.actor, at: rows.effects.now(), rows.database)
        let changes = pending.compactMap { entity, pending in pending.number.map { (entity, pending, $0) } }
        for part in ByteList.parts(of: changes.sorted(by: { $0.2 < $1.2 })) {
            let stored = try AssetTable.stored(part.compactMap { Self.asset($0.0) }, rows.database)
            for (entity, changed, number) in part {
                // Writing one picture of a burst may change others' rows.
                let asset = Self.asset(entity).flatMap { stored[$0] }.flatMap { $0.asset.burst == nil ? $0 : nil }
                try rows.write(changed.state, of: entity, before: changed.before, numbered: number, over: asset)
                // Reread only if there is something to retire, which is rare.
                if !changed.state.crowdedFields(of: entity).isEmpty { try rows.retireSurplus(of: [entity]) }
            }
        }
        self.lastNumber = nil
        history.removeAll(keepingCapacity: true)
        pending.removeAll(keepingCapacity: true)
    }

    private static func asset(_ entity: EntityReference) -> AssetID? {
        if case .asset(let id) = entity { id } else { nil }
    }
}
