import LibraryAPI
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// Forgets removals that are old enough and that every replica following the feed has received.
    ///
    /// A replica that has been silent too long no longer counts, nor does one that still names a number from before that
    /// time: when it calls again its token has expired, and it enumerates; its captures are accepted as before.
    package func forgetRemovals(silentSince: WallTime, before time: WallTime) async throws -> Int {
        try await store.write([.library]) { database in
            let passed = try Self.lastNumber(before: silentSince, database) ?? 0
            try database.execute(
                "UPDATE replica SET followed = NULL WHERE last_contact < ? OR followed < ?",
                [silentSince.microsecondsSince1970, passed]
            )
            let followed = try database.value(
                Int64.self,
                "SELECT min(followed) FROM replica WHERE standing IN (?, ?)",
                [ReplicaStanding.good.rawValue, ReplicaStanding.chosen.rawValue]
            )
            let aged = try Self.lastNumber(before: time, database)
            let until = min(followed ?? .max, aged ?? 0)
            try database.execute("DELETE FROM entity WHERE removed <= ?", [until])
            let count = database.changesCount
            try database.execute("DELETE FROM view_member WHERE gone <= ?", [until])
            try database.execute("UPDATE library SET forgotten = ?1 WHERE forgotten < ?1", [until])
            return count
        }
    }

    private static func lastNumber(before time: WallTime, _ database: any SQLSession) throws -> Int64? {
        try database.value(
            Int64.self,
            "SELECT number FROM history WHERE time < ? ORDER BY number DESC LIMIT 1",
            [time.microsecondsSince1970]
        )
    }

    /// Samples every index, for SQLite's choice among them.
    package func refreshPlans() async throws {
        try await store.refreshPlans()
    }
}
