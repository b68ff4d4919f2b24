// The writing half of the merge rules: which live writes a new one supersedes. Each call applies its change locally and
// returns it for the journal. If the state knows writes by this author beyond its counter, a copy of the replica is
// alive: each call then throws `.historyForked`, until the next contact gives the author a new incarnation.

extension ReplicaState {
    /// Writes a register, a `.latest` field, overwriting all values this replica sees; nil if it was never written and
    /// the value is its default in the schema.
    ///
    /// To restore a superseded value, write it again.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func set(
        _ value: FieldValue,
        field: FieldID,
        of id: EntityID,
        by author: inout Author,
        schema: Schema = .library
    ) throws(ReplicationError) -> Change? {
        let superseded = liveDots(of: id) { $0 == field }
        if superseded.isEmpty, let known = schema.field(field, of: id.kind), known.defaultValue == value { return nil }
        return try write(value, field: field, of: id, superseding: superseded, by: &author)
    }

    /// Adds an element to a set, an `.addWinsSet` field, replacing the adds of it that this replica sees.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func add(
        _ element: FieldValue,
        to field: FieldID,
        of id: EntityID,
        by author: inout Author
    ) throws(ReplicationError) -> Change {
        let superseded = liveDots(of: id, field: field, holding: element)
        return try write(element, field: field, of: id, superseding: superseded, by: &author)
    }

    /// Removes an element from a set, an `.addWinsSet` field, as far as this replica sees its adds; nil if it is not
    /// there.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func remove(
        _ element: FieldValue,
        from field: FieldID,
        of id: EntityID,
        by author: inout Author
    ) throws(ReplicationError) -> Change? {
        let superseded = liveDots(of: id, field: field, holding: element)
        guard !superseded.isEmpty else { return nil }
        return try write(nil, field: field, of: id, superseding: superseded, by: &author)
    }

    /// Puts an entry into a grow-only map, where a group is keyed by its first member; nil if the key is taken, as
    /// entries are immutable.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func insert(
        _ entry: FieldValue,
        into field: FieldID,
        of id: EntityID,
        by author: inout Author
    ) throws(ReplicationError) -> Change? {
        guard entityView(id)?.map(field).value(forKeyOf: entry) == nil else { return nil }
        return try write(entry, field: field, of: id, superseding: [], by: &author)
    }

    /// Puts an asset into an album, or moves it there.
    ///
    /// A move is one register write. An addition also confirms the album, so that it survives a concurrent deletion.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func place(
        asset: UInt128,
        in album: UInt128,
        at position: PositionKey,
        by author: inout Author
    ) throws(ReplicationError) -> [Change] {
        let id = EntityID.membership(album: album, asset: asset)
        var changes: [Change] = []
        if entityView(id)?.isPresent(MembershipField.presence) != true {
            changes.append(try confirm(MembershipField.presence, of: id, by: &author))
            changes.append(try confirmAlbum(album, by: &author))
        }
        if let move = try set(.bytes(position.bytes), field: MembershipField.position, of: id, by: &author) {
            changes.append(move)
        }
        return changes
    }

    /// Removes an asset from an album, as far as this replica sees its additions; nil if it is not there.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func takeOut(
        asset: UInt128,
        of album: UInt128,
        by author: inout Author
    ) throws(ReplicationError) -> Change? {
        let id = EntityID.membership(album: album, asset: asset)
        let superseded = liveDots(of: id) { _ in true }
        guard !superseded.isEmpty else { return nil }
        return try write(nil, field: MembershipField.presence, of: id, superseding: superseded, by: &author)
    }

    /// Creates an album, or confirms one, undoing any deletion this replica has seen.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func confirmAlbum(_ album: UInt128, by author: inout Author) throws(ReplicationError) -> Change {
        let id = EntityID.album(album)
        let superseded = liveDots(of: id) { $0 == AlbumField.presence || $0 == AlbumField.tombstone }
        return try write(.bool(true), field: AlbumField.presence, of: id, superseding: superseded, by: &author)
    }

    /// Deletes an album as this replica sees it, nil if there is none: an unseen addition revives it.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func deleteAlbum(_ album: UInt128, by author: inout Author) throws(ReplicationError) -> Change? {
        let id = EntityID.album(album)
        guard entityView(id)?.isPresent(AlbumField.presence) == true else { return nil }
        let superseded = liveDots(of: id) { $0 == AlbumField.presence || $0 == AlbumField.tombstone }
        return try write(.bool(true), field: AlbumField.tombstone, of: id, superseding: superseded, by: &author)
    }

    /// Purges an entity permanently; only the server does this, after the retention time.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func purge(_ id: EntityID, by author: inout Author) throws(ReplicationError) -> Change {
        try write(.bool(true), field: .purge, of: id, superseding: [], by: &author)
    }

    /// Overwrites a `.latest` register's surplus losers, if there are any, by an ordinary change.
    ///
    /// Merging never drops one, because the result would depend on the order of arrival; the server calls this.
    ///
    /// - Throws: `.stampExhausted`, or `.ruleViolated` if the entity was purged.
    package mutating func retireSurplus(
        of field: FieldID,
        of id: EntityID,
        by author: inout Author
    ) throws(ReplicationError) -> Change? {
        guard let surplus = entityView(id)?.register(field)?.surplus, !surplus.isEmpty else { return nil }
        return try write(nil, field: field, of: id, superseding: surplus, by: &author)
    }

    private mutating func confirm(
        _ field: FieldID,
        of id: EntityID,
        by author: inout Author
    ) throws(ReplicationError) -> Change {
        try write(.bool(true), field: field, of: id, superseding: liveDots(of: id) { $0 == field }, by: &author)
    }

    private mutating func write(
        _ value: FieldValue?,
        field: FieldID,
        of id: EntityID,
        superseding superseded: [Dot],
        by author: inout Author
    ) throws(ReplicationError) -> Change {
        let entity = entity(id)
        // It would have no effect; and a purged entity no longer knows its replica's earlier writes.
        guard entity?.purge == nil || field == .purge else {
            throw ReplicationError(.ruleViolated, "The entity was purged")
        }
        let own = replicas.index(of: author.replica).flatMap { entity?.context.newest(of: $0) } ?? 0
        guard own <= author.incarnation.counter else {
            throw ReplicationError(
                .historyForked,
                "A copy of this replica has written here: make contact first",
                subject: "\(author.replica)"
            )
        }
        let stamp = try author.clock.next(
            at: author.milliseconds,
            after: entity?.lastStamp ?? HybridTimestamp(rawValue: 0)
        )
        let change = Change(
            entity: id,
            field: field,
            dot: author.incarnation.nextDot(),
            after: max(own, author.incarnation.forgottenThrough),
            stamp: stamp,
            value: value,
            superseded: superseded
        )
        apply(change)
        return change
    }

    private func liveDots(of id: EntityID, where isIncluded: (FieldID) -> Bool) -> [Dot] {
        (entity(id)?.entries ?? []).filter { isIncluded($0.field) }
            .map { Dot(replica: replicas[$0.replica], counter: $0.counter) }
            .sorted()
    }

    private func liveDots(of id: EntityID, field: FieldID, holding element: FieldValue) -> [Dot] {
        let encoded = element.encoded
        return (entity(id)?.entries ?? []).filter { $0.field == field && arena.encoded($0.value) == encoded }
            .map { Dot(replica: replicas[$0.replica], counter: $0.counter) }
            .sorted()
    }
}
