import LibraryAPI
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// Forgets removals that are old enough and that every replica following the feed has received.
    ///
    /// A replica that has been silent too long no longer counts: when it calls again its token has expired, and it
    /// enumerates; its captures are accepted as before.
    package func forgetRemovals(silentSince: WallTime, before time: WallTime) async throws -> Int {
        try await store.write([.library]) { database in
            try database.execute(
                "UPDATE replica SET followed = NULL WHERE last_contact < ?",
                [silentSince.microsecondsSince1970]
            )
            let followed = try database.value(
                Int64.self,
                "SELECT min(followed) FROM replica WHERE standing IN (?, ?)",
                [ReplicaStanding.good.rawValue, ReplicaStanding.chosen.rawValue]
            )
            let aged = try database.value(
                Int64.self,
                "SELECT number FROM history WHERE time < ? ORDER BY number DESC LIMIT 1",
                [time.microsecondsSince1970]
            )
            let until = min(followed ?? .max, aged ?? 0)
            try database.execute("DELETE FROM entity WHERE removed <= ?", [until])
            let count = database.changesCount
            try database.execute("DELETE FROM view_member WHERE gone <= ?", [until])
            try database.execute("UPDATE library SET forgotten = ?1 WHERE forgotten < ?1", [until])
            return count
        }
    }

    /// Samples every index, for SQLite's choice among them.
    package func refreshPlans() async throws {
        try await store.refreshPlans()
    }
}
