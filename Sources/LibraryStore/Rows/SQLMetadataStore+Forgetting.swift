import FoundationEssentials
import LibraryAPI
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// Forgets removals that are old enough and that every replica following the feed has received, in as many writer
    /// turns as that needs.
    ///
    /// A replica that has been silent too long no longer counts, nor does one that still names a number from before that
    /// time: when it calls again its token has expired, and it enumerates; its captures are accepted as before.
    package func forgetRemovals(silentSince: WallTime, before time: WallTime) async throws -> Int {
        // By a reader, since the history after these times may be long.
        let (passed, aged) = try await store.read { database in
            (try Self.lastNumber(before: silentSince, database) ?? 0, try Self.lastNumber(before: time, database) ?? 0)
        }
        let until = try await store.write([.library]) { database in
            try database.execute(
                "UPDATE replica SET followed = NULL WHERE last_contact < ? OR followed < ?",
                [silentSince.microsecondsSince1970, passed]
            )
            let followed = try database.value(
                Int64.self,
                "SELECT min(followed) FROM replica WHERE standing IN (?, ?)",
                [ReplicaStanding.good.rawValue, ReplicaStanding.chosen.rawValue]
            )
            let until = min(followed ?? .max, aged)
            // Before the first one goes, so that no token is served that may have missed it.
            try database.execute("UPDATE library SET forgotten = ?1 WHERE forgotten < ?1", [until])
            return until
        }
        let count = try await delete([.library], from: "entity", where: "removed <= ?", [until], by: "removed")
        let devices = try await store.read { database in
            try database.values(Data.self, "SELECT DISTINCT device FROM view_member WHERE gone <= ?", [until])
                .map(DeviceID.init(blob:))
        }
        for device in devices {
            let left: SQLArguments = [device.blob, until]
            let condition = "device = ? AND gone <= ?"
            _ = try await delete([.view(of: device)], from: "view_member", where: condition, left, by: "gone")
        }
        return count
    }

    /// Deletes rows, in as many writer turns as that needs; returns how many.
    private func delete(
        _ locks: [RowLock],
        from table: String,
        where condition: String,
        _ arguments: SQLArguments,
        by column: String
    ) async throws -> Int {
        var total = 0
        var isLeft = true
        while isLeft {
            // Others waiting for the writer get their turn in between.
            let turn = try await store.write(locks) { [width = turns.forgottenRemovals] database in
                let isLeft = try database.deleteFirst(width, from: table, where: condition, arguments, by: column)
                return (count: try database.changesCount, isLeft: isLeft)
            }
            total += turn.count
            isLeft = turn.isLeft
        }
        return total
    }

    private static func lastNumber(before time: WallTime, _ database: any SQLSession) throws -> Int64? {
        try database.value(
            Int64.self,
            "SELECT number FROM history WHERE time < ? ORDER BY number DESC LIMIT 1",
            [time.microsecondsSince1970]
        )
    }

    /// Samples every index, for SQLite's choice among them.
    package func refreshPlans() async throws { try await store.refreshPlans() }
}
