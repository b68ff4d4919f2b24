import Authorization
import LibraryAPI
import PhotoModel
import Replication

/// Judges a replica's change like the equivalent call.
struct ChangeJudgement {
    let record: DecisionRecord?
    let database: any SQLSession
    /// What was read for the changes together.
    let ahead: RowsAhead

    /// Reads what is needed to judge changes.
    ///
    /// - Parameters:
    ///   - replica: the replica that made them.
    ///   - changes: part of a push.
    ///   - record: the device's record; nil for an operator.
    ///   - database: the turn's transaction.
    /// - Throws: the database's error.
    init(
        of replica: IncarnationRecord,
        _ changes: ArraySlice<ChangePush.Change>,
        by record: DecisionRecord?,
        _ database: any SQLSession
    ) throws {
        self.record = record
        self.database = database
        // Where earlier changes decide about later ones, each is read alone, after those were written.
        let isAlone = record.map { $0.view != .everything } ?? false
        ahead = try isAlone ? RowsAhead() : RowsAhead(for: changes, after: replica.history.counter, database)
    }

    /// Whether a previously accepted change may affect the judgement of this one.
    var dependsOnView: Bool { record.map { $0.view != .everything } ?? false }

    /// The change number in the answer to a push, or nil.
    ///
    /// The library's last number would show a device that sees only a part how much others changed, so it is told only
    /// those of its own changes.
    func number(after taken: PushedChanges) throws -> ChangeNumber? {
        try dependsOnView ? taken.latest : EntityTable.lastNumber(database)
    }

    /// Refuses a change that its author, or anybody, may not make.
    ///
    /// - Parameters:
    ///   - change: the replica's change.
    ///   - taken: earlier accepted changes of the same push, which are written if they decide.
    ///   - turn: counts the documents that are read for it, or rewritten.
    /// - Returns: the changed entity.
    /// - Throws: the refusal for the device.
    func admit(
        _ change: Change,
        after taken: inout PushedChanges,
        in turn: inout WriterTurn
    ) throws -> EntityReference {
        let entity = try judge(change, after: taken, in: &turn)
        try requireAlbumRoom(for: change, of: entity, after: &taken, in: &turn)
        return entity
    }

    private func judge(
        _ change: Change,
        after taken: PushedChanges,
        in turn: inout WriterTurn
    ) throws -> EntityReference {
        guard let entity = EntityReference(change.entity) else {
            throw StoreError(.changeInvalid, "The change is of a kind that this server does not know yet.")
        }
        do {
            try Schema.library.admit(change, isFromServer: false)
        } catch {
            throw StoreError(.changeInvalid, error.message, about: "\(entity)", cause: error)
        }
        let isKnown = taken.holds(entity)
        try Self.requireValid(change, about: entity)
        guard let record else {
            if !isKnown { try requireAsset(of: entity, in: &turn) }
            return entity
        }
        var asset: Asset?
        // A device that sees everything is never judged by an asset's content.
        if dependsOnView {
            asset = try visibleAsset(of: entity, record, in: &turn)
        } else if !isKnown {
            try requireAsset(of: entity, in: &turn)
        }
        let caller = Authorization.Caller(device: record, isExpired: false)
        let relation = relation(of: entity, asset, record)
        let verdict = decide(route: route(for: change, entity), caller: caller, object: relation)
        if let denial = verdict.denial { throw StoreError(denial, about: "\(entity)") }
        if case (.album, AlbumField.cover, .identifier(let cover)?) = (entity, change.field, change.value) {
            let cover = AssetID(rawValue: cover)
            guard try record.view.shows(cover, database) else { throw StoreError.notFound(cover.description) }
        }
        guard verdict.isAllowed else { throw StoreError(.identitySuspect, Explanation(verdict).description) }
        return entity
    }

    /// Refuses to put an asset into more albums than it may be in.
    private func requireAlbumRoom(
        for change: Change,
        of entity: EntityReference,
        after taken: inout PushedChanges,
        in turn: inout WriterTurn
    ) throws {
        guard let (album, asset) = entity.joined(by: change) else { return }
        let known = try ahead.albumCount(of: asset) ?? AlbumTable.albumCount(of: asset, database)
        guard known + taken.additionCount(of: asset) >= APILimits.albumsPerAsset else { return }
        // It may have left some, or have been in this one before: the rows tell, once they are written.
        try taken.write()
        turn.countMembership()
        if try AlbumTable.standing(of: asset, in: album, database) == .full { throw AlbumTable.fullError(asset) }
    }

    /// Whether an accepted change needed more than the right to add: it concerns an asset that the device did not save.
    func needsReadWrite(_ entity: EntityReference) throws -> Bool {
        guard case .asset(let id) = entity, let record else { return true }
        if let isOwn = ahead.isSaved(id, by: record.device) { return !isOwn }
        let statement = try database.statement("SELECT 1 FROM asset WHERE id = ? AND device = ?")
        return try statement.value(Int.self, [id.blob, record.device.blob]) == nil
    }

    /// Refuses values that no edit can produce, which the schema of fields cannot express.
    private static func requireValid(_ change: Change, about entity: EntityReference) throws {
        guard let value = change.value else { return }
        let problem: String? =
            switch (entity, change.field, value) {
            case (.asset, AssetField.captureDateOverride, .group(let parts)):
                isCaptureDate(parts) ? nil : "A capture date lies in the years 0 to 9999."
            case (.asset, AssetField.locationOverride, .group(let parts)) where !hasAltitude(parts):
                "That is not an altitude of a camera."
            case (.asset, AssetField.trashed, .integer(let milliseconds)):
                WallTime(millisecondsSince1970: milliseconds).millisecondsSince1970 == milliseconds
                    ? nil : "A date in the trash lies in the years 0 to 9999."
            case (.asset, AssetField.keyword, .text(let text)): Keyword(text) == nil ? "That is not a keyword." : nil
            case (.asset, let field, _) where AssetFields.restorable.contains(field): problem(of: value, in: field)
            case (.album, AlbumField.title, .text(let title)): AlbumEdit(title: title).problem?.detail
            case (.album, AlbumField.sort, .text(let order)):
                AlbumEdit(order: Album.Order(rawValue: order)).problem?.detail
            case (.membership, MembershipField.position, .bytes(let bytes)):
                PositionKey(bytes: bytes)?.leavesRoom == true ? nil : "That is not a position in an album."
            case (.asset, AssetField.trashed, .nothing), (.album, AlbumField.cover, .identifier),
                (.album, AlbumField.cover, .nothing), (.album, AlbumField.presence, .bool),
                (.album, AlbumField.tombstone, .bool), (.membership, MembershipField.presence, .bool),
                (_, _, .unrecognized):
                nil
            default:
                Schema.library.field(change.field, of: change.entity.kind)
                    .map { "That is not a value that an edit gives to “\($0.name)”." }
            }
        if let problem { throw StoreError(.changeInvalid, problem, about: "\(entity)") }
    }

    private static func isCaptureDate(_ parts: [FieldValue]) -> Bool {
        switch parts.first {
        case .integer(let microseconds)?: WallTime.range.contains(microseconds)
        case .unrecognized?: true
        default: false
        }
    }

    /// Whether a place has an altitude that is possible, or tells none.
    private static func hasAltitude(_ parts: [FieldValue]) -> Bool {
        switch parts.dropFirst(2).first {
        case .double(let metres)?: Location.altitudes.contains(metres)
        case .nothing?, .unrecognized?: true
        default: false
        }
    }

    /// Why an asset's field cannot have a value; nil if it can, or if only a newer version can read it.
    private static func problem(of value: FieldValue, in field: FieldID) -> String? {
        switch value {
        case .nothing, .unrecognized: return nil
        default: break
        }
        guard let edit = AssetFields.edit(restoring: value, to: field) else {
            return "That is not a value of \(AssetField.name(of: field))."
        }
        return edit.problem?.detail
    }

    private func requireAsset(of entity: EntityReference, in turn: inout WriterTurn) throws {
        switch entity {
        case .album: return
        case .membership(_, let id):
            let exists = try ahead.exists(id) ?? (AssetTable.key(of: id, database) != nil)
            guard exists else { throw StoreError.notFound(id.description) }
        case .asset(let id):
            turn.count(documentBytes: try documentBytes(of: id).orNotFound(id))
        }
    }

    /// The bytes of an asset's document; nil if it does not exist.
    private func documentBytes(of id: AssetID) throws -> Int? {
        if ahead.exists(id) != nil { return ahead.documentBytes(of: id) }
        let statement = try database.statement("SELECT \(database.dialect.documentByteCount) FROM asset WHERE id = ?")
        return try statement.value(Int.self, [id.blob])
    }

    /// The asset of an entity, if the device may see it; a hidden one counts as nonexistent.
    private func visibleAsset(
        of entity: EntityReference,
        _ record: DecisionRecord,
        in turn: inout WriterTurn
    ) throws -> Asset? {
        switch entity {
        case .album: return nil
        case .asset(let id), .membership(_, let id):
            let found = try AssetTable.read(id, in: record.view, database)
            turn.count(documentBytes: found.documentBytes)
            return found.asset
        }
    }

    private func route(for change: Change, _ entity: EntityReference) -> Authorization.Route {
        switch (entity, change.field) {
        case (.asset, AssetField.trashed): .trashAsset
        case (.asset, AssetField.resource): .adjustAsset
        case (.asset, _): .editAsset
        case (.album, AlbumField.presence): .createAlbum
        case (.album, AlbumField.tombstone): .deleteAlbum
        case (.album, _): .editAlbum
        case (.membership, MembershipField.presence) where change.value == nil: .removeFromAlbum
        case (.membership, _): .addToAlbum
        }
    }

    private func relation(of entity: EntityReference, _ asset: Asset?, _ record: DecisionRecord) -> ObjectRelation {
        switch entity {
        case .asset:
            guard dependsOnView else { return .inView }
            return asset.map { $0.deviceID == record.device ? .own : .inView } ?? .outside
        case .album(let id): return record.selection.relation(of: id)
        case .membership(let album, _):
            // A device that may not see an asset may not add it anywhere, whatever album it was granted.
            let isVisible = !dependsOnView || asset != nil
            return isVisible ? record.selection.relation(of: album) : .outside
        }
    }
}

extension EntityReference {
    /// The album that a change puts an asset into, and the asset; nil for any other change.
    func joined(by change: Change) -> (album: AlbumID, asset: AssetID)? {
        guard case .membership(let album, let asset) = self, change.field == MembershipField.presence,
            change.value != nil
        else { return nil }
        return (album, asset)
    }
}
