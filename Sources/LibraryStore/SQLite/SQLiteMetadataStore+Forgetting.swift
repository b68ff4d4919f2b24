import GRDB
import LibraryAPI
package import PhotoModel
import Replication

extension SQLiteMetadataStore {
    /// Forgets removals that are old enough and known to every replica that follows the feed.
    ///
    /// A replica that has been silent too long no longer counts: when it calls again its token has expired, and it
    /// enumerates; its captures are accepted as ever.
    package func forgetRemovals(silentSince: WallTime, before time: WallTime) async throws -> Int {
        try await database.write { database in
            try database.execute(
                sql: "UPDATE replica SET followed = NULL WHERE last_contact < ?",
                arguments: [silentSince.microsecondsSince1970]
            )
            let followed = try Int64.fetchOne(
                database,
                sql: "SELECT min(followed) FROM replica WHERE standing IN (?, ?)",
                arguments: [ReplicaStanding.good.rawValue, ReplicaStanding.chosen.rawValue]
            )
            let aged = try Int64.fetchOne(
                database,
                sql: "SELECT number FROM history WHERE time < ? ORDER BY number DESC LIMIT 1",
                arguments: [time.microsecondsSince1970]
            )
            let until = min(followed ?? .max, aged ?? 0)
            try database.execute(sql: "DELETE FROM entity WHERE removed <= ?", arguments: [until])
            let count = database.changesCount
            try database.execute(sql: "DELETE FROM view_member WHERE gone <= ?", arguments: [until])
            try database.execute(sql: "UPDATE library SET forgotten = max(forgotten, ?)", arguments: [until])
            return count
        }
    }

    /// Samples every index; SQLite bases its choice among them on that.
    package func refreshPlans() async throws {
        try await database.write { database in
            try database.execute(sql: "PRAGMA analysis_limit = 1000; ANALYZE")
        }
    }
}
