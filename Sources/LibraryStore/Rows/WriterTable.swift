import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// Everyone who has written to this library, and how far: the server's replica, its earlier ones, and devices'
/// replicas.
struct WriterTable {
    let database: any SQLSession
    /// The device that names the writes.
    private let device: DeviceID
    private var counters: [ReplicaID: UInt64] = [:]

    init(namedBy device: DeviceID, _ database: any SQLSession) {
        self.device = device
        self.database = database
    }

    /// Whether a write may have been made to an entity whose state does not have it; repeated queries use the first
    /// result.
    ///
    /// An entity's state has every write to it except refused ones, which only their own device knows, and those that
    /// a restore undid. Any other write belongs to another entity, or was never made: both are refused alike, so that
    /// nobody can try out how much is written elsewhere.
    mutating func mayHaveWritten(_ dot: Dot) throws -> Bool {
        let last = try counters[dot.replica] ?? lastCounter(of: dot.replica)
        counters[dot.replica] = last
        return dot.counter <= last
    }

    /// The highest counter that such a write of a replica may have; 0 if it can have made none.
    ///
    /// Only devices know what was written after the backup from which a library was restored: until a replica has
    /// called again, it may have made any write. Afterwards some of its writes may be refused, which others have seen.
    private func lastCounter(of replica: ReplicaID) throws -> UInt64 {
        let key = AssetID(rawValue: replica.rawValue).blob
        let statement = try database.statement(
            """
            SELECT CASE WHEN ticket = ?3 THEN ?2 ELSE counter END FROM replica
            WHERE incarnation = ?1 AND (device = ?4 OR EXISTS (SELECT 1 FROM former_replica))
            UNION ALL SELECT ?2 FROM former_replica WHERE incarnation = ?1
            """
        )
        let counter = try statement.value(
            Int64.self,
            [key, Int64(Limits.counter), ReplicaTable.anyTicket.blob, device.blob]
        )
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
