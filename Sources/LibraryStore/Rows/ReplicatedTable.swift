import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// Replicated state in rows: loads what an edit touches, applies the edit, and writes it back with its consequences.
///
/// The column `entity.state` holds the canonical bytes of this entity's state; the rows used by lists and filters are
/// derived from it in the same transaction, and each changed entity takes a change number.
struct ReplicatedTable {
    let database: any SQLSession
    let effects: StoreEffects
    let note: ChangeNote

    /// The same rows with another history note.
    func noting(_ what: String) -> ReplicatedTable {
        ReplicatedTable(database: database, effects: effects, note: ChangeNote(note.actor, what))
    }

    /// Changes entities as the server's own replica.
    ///
    /// If an entity has writes under the server's replica that the server never made (earlier versions accepted them
    /// from devices), later ones would have no effect there: the server takes another replica, and repeats the edit.
    ///
    /// - Parameters:
    ///   - entities: all entities the body may touch.
    ///   - body: changes the state.
    /// - Returns: the changed entities.
    /// - Throws: what the body throws, and damage of rows.
    @discardableResult
    func edit(
        _ entities: [EntityReference],
        _ body: (inout ReplicaState, inout Author) throws -> Void
    ) throws -> [EntityReference] {
        do {
            return try write(entities, body)
        } catch let error as ReplicationError where error.code == .historyForked {
            try WriterTable.renameServer(to: AssetID(rawValue: effects.randomBits()), database)
            return try write(entities, body)
        }
    }

    private func write(
        _ entities: [EntityReference],
        _ body: (inout ReplicaState, inout Author) throws -> Void
    ) throws -> [EntityReference] {
        var author = try author()
        let changed = try update(entities) { try body(&$0, &author) }
        try save(author)
        return changed
    }

    /// Applies other replicas' changes to entities.
    ///
    /// - Parameters:
    ///   - entities: all entities the body may touch.
    ///   - body: changes the state.
    /// - Returns: the changed entities.
    /// - Throws: what the body throws, and damage of rows.
    @discardableResult
    func update(
        _ entities: [EntityReference],
        _ body: (inout ReplicaState) throws -> Void
    ) throws -> [EntityReference] {
        var state = ReplicaState()
        var before: [[UInt8]?] = []
        for entity in entities {
            let bytes = try load(entity)
            before.append(bytes)
            if let bytes { state.merge(try ReplicaState(canonicalBytes: bytes)) }
        }
        let sizes = entities.map { state.size(of: $0.id) }
        try body(&state)
        for (entity, size) in zip(entities, sizes) {
            try Self.requireRoom(state.size(of: entity.id), after: size, entity)
        }
        var changed: [EntityReference] = []
        for (entity, bytes) in zip(entities, before) where try write(state, of: entity, before: bytes) {
            changed.append(entity)
        }
        return changed
    }

    /// Refuses an edit that makes an entity exceed its limits.
    private static func requireRoom(_ size: EntitySize, after before: EntitySize, _ entity: EntityReference) throws {
        // The server's replica adds at most one gap, which must fit, so that surplus can be retired. Registers always fit:
        // nothing that devices write keeps an operator from hiding or trashing a photo.
        var size = size
        (size.gaps, size.registers) = (before.gaps, before.registers)
        guard !size.isTooLarge(after: before, share: 2) else {
            throw StoreError(
                .tooLarge,
                "There are too many edits here that nothing has overwritten: overwrite or remove some first.",
                about: "\(entity)"
            )
        }
    }

    /// Writes one entity of a state with its consequences; false if unchanged.
    ///
    /// - Parameters:
    ///   - state: a state that holds the entity.
    ///   - entity: the entity.
    ///   - before: the canonical bytes in its row; nil without a row.
    ///   - number: the number of the entity's last change, if already assigned; otherwise the next one is.
    ///   - stored: an asset's current row, if it was read already.
    /// - Returns: whether it changed.
    /// - Throws: damage of rows.
    @discardableResult
    func write(
        _ state: ReplicaState,
        of entity: EntityReference,
        before: [UInt8]?,
        numbered number: ChangeNumber? = nil,
        over stored: AssetTable.Stored? = nil
    ) throws -> Bool {
        let after = (state.count == 1 ? state : state.part([entity.id])).canonicalBytes
        guard let view = state.entityView(entity.id), after != before else { return false }
        try EntityProjection(database: database, effects: effects).project(view, of: entity, over: stored)
        try EntityTable.write(
            after,
            of: entity,
            isPresent: EntityProjection.isPresent(view, entity),
            as: number ?? self.number(entity),
            database
        )
        return true
    }

    /// Overwrites registers' surplus losers; merging alone never drops any.
    func retireSurplus(of entities: [EntityReference]) throws {
        for entity in entities {
            guard let bytes = try load(entity) else { continue }
            let crowded = try ReplicaState(canonicalBytes: bytes).crowdedFields(of: entity)
            guard !crowded.isEmpty else { continue }
            try edit([entity]) { state, author in
                for field in crowded { _ = try state.retireSurplus(of: field, of: entity.id, by: &author) }
            }
        }
    }

    /// The canonical bytes of an entity's state; nil if it has none.
    func load(_ entity: EntityReference) throws -> [UInt8]? { try EntityTable.state(of: entity, database) }

    /// Assigns an entity its change number, and records who changed what.
    @discardableResult
    func touch(_ entity: EntityReference) throws -> ChangeNumber {
        let number = try number(entity)
        try EntityTable.touch(entity, as: number, database)
        return number
    }

    /// Takes a change number for an entity, and records who changed what.
    func number(_ entity: EntityReference) throws -> ChangeNumber {
        let number = try EntityTable.nextNumber(database)
        let line = HistoryTable.Line(number: number, entity: entity, what: note.what)
        try HistoryTable.append([line], by: note.actor, at: effects.now(), database)
        return number
    }

    private func author() throws -> Author {
        let statement = try database.statement("SELECT replica, replica_counter, replica_clock FROM library")
        guard let row = try statement.row() else { throw RowDamage("no library row") }
        let counter: Int64 = try row["replica_counter"]
        let clock: Int64 = try row["replica_clock"]
        return Author(
            incarnation: Incarnation(
                replica: ReplicaID(rawValue: try AssetID(blob: row["replica"]).rawValue),
                counter: UInt64(bitPattern: counter)
            ),
            clock: HybridLogicalClock(last: HybridTimestamp(rawValue: UInt64(bitPattern: clock))),
            milliseconds: UInt64(max(effects.now().millisecondsSince1970, 0))
        )
    }

    private func save(_ author: Author) throws {
        let statement = try database.statement("UPDATE library SET replica_counter = ?, replica_clock = ?")
        try statement.execute([
            Int64(bitPattern: author.incarnation.counter), Int64(bitPattern: author.clock.last.rawValue),
        ])
    }
}

extension ReplicaState {
    /// The registers of an entity with surplus losers.
    ///
    /// Elements of sets and maps are never losers, and fields that this version does not know cannot be judged.
    func crowdedFields(of entity: EntityReference) -> [FieldID] {
        guard let view = entityView(entity.id) else { return [] }
        return view.fields.filter { field in
            Schema.library.field(field, of: entity.id.kind)?.rule == .latest
                && view.register(field)?.surplus.isEmpty == false
        }
    }
}
