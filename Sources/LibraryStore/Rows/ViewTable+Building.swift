import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// Members of a view that its rows lack, as a reader found them.
struct FoundMembers: Sendable {
    /// Those not added yet.
    var members: ArraySlice<EntityReference>
    /// Whether the view has no others.
    let isAll: Bool
}

// A view may hold the whole library, so its rows are built in turns: those of the earlier grant are deleted, then members
// are found by a reader and added by the writer. Everything that changes after the first turn is followed at the end,
// like any change: whether an entity is added before or after it changed makes no difference. Nothing is served from
// the rows until then. Whoever asks continues where an earlier request stopped, since what was added is not found again.
extension ViewTable {
    /// How far the rows of a grant version are.
    enum Stage: Int {
        /// They are built, and changes are followed.
        case whole
        /// Those of an earlier version are being deleted.
        case clearing
        /// Members are being added.
        case filling
    }

    /// Begins the rows of a grant version.
    func begin(at last: ChangeNumber, _ grantVersion: UInt64, in turn: inout WriterTurn) throws -> Progress {
        let rows = Known(stage: .clearing, processed: last.rawValue)
        try save(rows, grantVersion)
        return try clear(rows, grantVersion, in: &turn)
    }

    /// Deletes rows of an earlier grant version.
    func clear(_ rows: Known, _ grantVersion: UInt64, in turn: inout WriterTurn) throws -> Progress {
        let count = turn.viewMemberRoom
        let last = try database.statement(
            """
            SELECT kind, first, second FROM view_member WHERE device = ?
            ORDER BY kind, first, second LIMIT 1 OFFSET ?
            """
        ).row([device.blob, count - 1])
        if let last {
            let end = try EntityReference(last)
            try database.execute(
                "DELETE FROM view_member WHERE device = ? AND (kind, first, second) <= (?, ?, ?)",
                [device.blob, end.kind, end.first, end.second]
            )
            turn.count(viewMembers: count)
            return .unfinished
        }
        try database.execute("DELETE FROM view_member WHERE device = ?", [device.blob])
        turn.count(viewMembers: try database.changesCount)
        try save(Known(stage: .filling, processed: rows.processed), grantVersion)
        return .lacksMembers
    }

    /// Finds members that the rows lack, with the filters' own SQL, since a library may be large.
    func missing(atMost limit: Int) throws -> FoundMembers {
        let visible = FilterSQL(view, database.dialect)
        var found = try database.values(
            Data.self,
            """
            SELECT id FROM asset WHERE \(visible.sql)
                AND EXISTS (SELECT 1 FROM entity WHERE entity.kind = 2 AND entity.first = asset.id)
                AND NOT EXISTS (
                    SELECT 1 FROM view_member AS member
                    WHERE member.device = ? AND member.kind = 2 AND member.first = asset.id
                )
            LIMIT ?
            """,
            visible.arguments + [device.blob, limit]
        ).map { EntityReference.asset(try AssetID(blob: $0)) }
        if found.count < limit, !selection.grantedAlbums.isEmpty {
            found += try missingInAlbums(atMost: limit - found.count)
        }
        return FoundMembers(members: found[...], isAll: found.count < limit)
    }

    /// Granted albums that the rows lack, and their memberships; a member of one of them is in the view unless it is
    /// hidden or in the trash.
    private func missingInAlbums(atMost limit: Int) throws -> [EntityReference] {
        let granted = LibraryView.selection(Selection(grantedAlbums: selection.grantedAlbums), device)
        let visible = FilterSQL(granted, database.dialect, standard: .probe)
        let albums = FilterSQL.list(selection.grantedAlbums.map(\.blob))
        return try database.rows(
            """
            SELECT kind, first, second FROM entity
            WHERE kind IN (4, 5) AND removed IS NULL AND first IN (\(database.dialect.bytes(in: "?")))
                AND first IN (SELECT id FROM album)
                AND (kind = 4 OR EXISTS (SELECT 1 FROM asset WHERE asset.id = entity.second AND \(visible.sql)))
                AND NOT EXISTS (
                    SELECT 1 FROM view_member AS member
                    WHERE member.device = ? AND member.kind = entity.kind AND member.first = entity.first
                        AND member.second = entity.second
                )
            LIMIT ?
            """,
            [albums] + visible.arguments + [device.blob, limit]
        ).map { try EntityReference($0) }
    }

    /// Adds as many members as the turn has room for; returns their number.
    func add(_ members: ArraySlice<EntityReference>, in turn: inout WriterTurn) throws -> Int {
        let added = members.prefix(turn.viewMemberRoom)
        // One statement for many: a server far from its database would wait for each.
        for (group, members) in Dictionary(grouping: added, by: EntityGroup.init) {
            let columns = group.columns
            try database.statement(
                """
                INSERT INTO view_member (device, kind, first, second, entered)
                SELECT ?, kind, first, second, changed FROM entity
                WHERE kind = ? AND \(columns.common) = ? AND \(columns.id) IN (\(database.dialect.bytes(in: "?")))
                    AND NOT EXISTS (
                        SELECT 1 FROM view_member AS member
                        WHERE member.device = ? AND member.kind = entity.kind AND member.first = entity.first
                            AND member.second = entity.second
                    )
                """
            ).execute([
                device.blob, group.kind, group.album, FilterSQL.list(members.map { group.id(of: $0) }), device.blob,
            ])
        }
        turn.count(viewMembers: added.count)
        return added.count
    }
}

extension ViewTable.Known {
    /// Reads a row of `view`; nil if the rows of this version must be begun.
    ///
    /// - Throws: `tokenExpired` for an outdated version.
    init?(_ row: SQLRow, for grantVersion: UInt64) throws {
        let version = Int64(bitPattern: grantVersion)
        let known: Int64 = try row["grant_version"]
        guard known <= version else {
            // A stream about to be closed: building for it would make the rows forget what has left the view.
            throw StoreError(.tokenExpired, "The grant has changed: enumerate again.")
        }
        guard known == version else { return nil }
        guard let stage = ViewTable.Stage(rawValue: try row["stage"]) else { throw RowDamage("the stage of a view") }
        self.init(stage: stage, processed: try row["processed"])
    }
}
