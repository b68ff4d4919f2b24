import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// Everyone who has written to this library, and how far: the server's replica, its earlier ones, and devices'
/// replicas.
struct WriterTable {
    let database: any SQLSession
    private var counters: [ReplicaID: UInt64] = [:]

    init(_ database: any SQLSession) { self.database = database }

    /// Whether a write was made, as far as the library can know; repeated queries use the first result.
    mutating func hasWritten(_ dot: Dot) throws -> Bool {
        let last = try counters[dot.replica] ?? lastCounter(of: dot.replica)
        counters[dot.replica] = last
        return dot.counter <= last
    }

    /// The counter of a replica's last write; 0 if it never wrote.
    ///
    /// Only devices know what was written after the backup from which a library was restored: until a replica has
    /// called again, it may have made any write.
    private func lastCounter(of replica: ReplicaID) throws -> UInt64 {
        let key = AssetID(rawValue: replica.rawValue).blob
        let statement = try database.statement(
            """
            SELECT replica_counter FROM library WHERE replica = ?1
            UNION ALL SELECT ?2 FROM former_replica WHERE incarnation = ?1
            UNION ALL SELECT CASE WHEN ticket = ?3 THEN ?2 ELSE counter END FROM replica WHERE incarnation = ?1
            """
        )
        let counter = try statement.value(Int64.self, [key, Int64(Limits.counter), ReplicaTable.anyTicket.blob])
        return UInt64(max(counter ?? 0, 0))
    }

    /// Refuses a device's replica with one of the server's identifiers.
    ///
    /// - Throws: `malformedRequest`, with what to do.
    static func requireForeign(_ replica: ReplicaID, _ database: any SQLSession) throws {
        let isServers = try database.statement(
            """
            SELECT EXISTS (SELECT 1 FROM library WHERE replica = ?1)
                OR EXISTS (SELECT 1 FROM former_replica WHERE incarnation = ?1)
            """
        ).value(Bool.self, [AssetID(rawValue: replica.rawValue).blob])
        guard isServers != true else {
            throw StoreError(.malformedRequest, "This incarnation is the library's own: begin a new one.")
        }
    }

    /// Gives the server's replica a new identifier; nobody may ever use the old one again.
    static func renameServer(to replica: AssetID, _ database: any SQLSession) throws {
        try database.execute("INSERT INTO former_replica SELECT replica FROM library WHERE TRUE ON CONFLICT DO NOTHING")
        try database.execute("UPDATE library SET replica = ?, replica_counter = 0", [replica.blob])
    }
}
