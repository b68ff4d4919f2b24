package import Authorization
import FoundationEssentials
import GRDB
package import LibraryAPI
import Persistence
package import PhotoModel

extension AgentStore {
    /// An entry; nil if there is none.
    package func entry(_ asset: AssetID) throws -> QueueEntry? { try entries([asset]).first }

    /// The assets' entries in the same order; assets not in the queue are left out.
    package func entries(_ assets: some Collection<AssetID>) throws -> [QueueEntry] {
        let rows = try database.read { database in
            let statement = try database.cachedStatement(sql: "SELECT * FROM entries WHERE asset_id = ?")
            return try assets.compactMap { try Row.fetchOne(statement, arguments: [$0.description]) }
        }
        return try rows.map(Self.entry)
    }

    /// Entries whose identifiers begin with these hexadecimal digits, in lower case and without dashes, in capture
    /// order.
    ///
    /// - Throws: `storage`.
    package func entries(beginningWith digits: String) throws -> [QueueEntry] {
        try database.read { database in
            try Self.rows("replace(asset_id, '-', '') GLOB ?", ["\(digits)*"], limit: .max, database).map(Self.entry)
        }
    }

    /// The oldest entries in one of these states, or in any state if none is named, in capture order.
    ///
    /// - Throws: `storage`.
    package func entries(states: [String] = [], limit: Int = 1000) throws -> [QueueEntry] {
        try database.read { database in
            let marks = states.map { _ in "?" }.joined(separator: ", ")
            let filter = states.isEmpty ? "1" : "state IN (\(marks))"
            return try Self.rows(filter, StatementArguments(states), limit: limit, database).map(Self.entry)
        }
    }

    /// Entries owed to the library, oldest first.
    ///
    /// Above the limit, entries with individual holds are left out before entries without holds or with common ones,
    /// and entries of a former identity come last. So however many entries are held, the rest are sent.
    ///
    /// - Throws: `storage`.
    package func owed(limit: Int) throws -> [OutgoingAsset] {
        let rows = try database.read { database in
            var rows: [Row] = []
            for part in Self.owedParts where rows.count < limit {
                let sql = """
                    SELECT sequence, \(OutgoingAsset.columns) FROM entries WHERE \(part) ORDER BY sequence LIMIT ?
                    """
                rows += try Row.fetchAll(database, sql: sql, arguments: [limit - rows.count])
            }
            return rows
        }
        // Decoded once the connection is free for an import that runs beside the sync.
        func sequence(_ row: Row) -> Int64 { row["sequence"] }
        return try rows.sorted { sequence($0) < sequence($1) }.map { try OutgoingAsset($0) }
    }

    /// The assets' entries as sending needs them, in the same order; assets not in the queue are left out.
    ///
    /// - Throws: `storage`.
    package func outgoing(_ assets: some Collection<AssetID>) throws -> [OutgoingAsset] {
        let rows = try database.read { database in
            let sql = "SELECT \(OutgoingAsset.columns) FROM entries WHERE asset_id = ?"
            let statement = try database.cachedStatement(sql: sql)
            return try assets.compactMap { try Row.fetchOne(statement, arguments: [$0.description]) }
        }
        return try rows.map { try OutgoingAsset($0) }
    }

    private static let owedParts = [
        "state IN ('captured', 'uploading')",
        "state = 'held' AND hold NOT IN ('pending', 'denied', 'restricted', 'metered', 'revoked')",
        "state = 'held' AND hold IN ('pending', 'denied', 'restricted', 'metered')",
        "state = 'held' AND hold = 'revoked'",
    ]

    private static func rows(
        _ filter: String,
        _ arguments: StatementArguments,
        limit: Int,
        _ database: Database
    ) throws -> [Row] {
        let sql = "SELECT * FROM entries WHERE \(filter) ORDER BY sequence LIMIT ?"
        return try Row.fetchAll(database, sql: sql, arguments: arguments + [limit])
    }

    /// Counts and bytes, by state; counting only owed and refused entries costs the same however many were sent.
    ///
    /// - Throws: `storage`.
    package func summary(ofOpenOnly isOpenOnly: Bool = false) throws -> QueueSummary {
        try database.read { database in
            var summary = QueueSummary()
            let filter = isOpenOnly ? "WHERE state IN ('captured', 'held', 'uploading', 'deadLetter')" : ""
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT state, hold, count(*), sum(byte_count) FROM entries INDEXED BY entries_in_sum
                    \(filter) GROUP BY state, hold
                    """
            )
            for row in rows {
                let count: Int = row[2]
                summary.states[row[0], default: .init()].count += count
                summary.states[row[0], default: .init()].byteCount += row[3]
                if let hold = (row[1] as String?).flatMap(HoldReason.init(rawValue:)) { summary.holds[hold] = count }
            }
            return summary
        }
    }

    /// Records why entries are held; entries that are not owed are unchanged.
    package func hold(_ assets: [AssetID], _ reason: HoldReason) throws {
        try update(assets, "state = 'held', hold = ?", [reason.rawValue])
    }

    /// Releases held entries.
    package func release(_ assets: [AssetID]) throws {
        try update(assets, "state = 'captured', hold = NULL", [])
    }

    /// Records that entries are about to be described to the library, which freezes their manifests.
    package func beginUpload(_ assets: [AssetID]) throws {
        try update(assets, "state = 'uploading', hold = NULL, is_described = 1", [])
    }

    /// Moves an entry to the dead letters; its bytes are kept.
    package func reject(_ asset: AssetID, _ problem: String) throws {
        try update([asset], "state = 'deadLetter', hold = NULL, problem = ?", [problem])
    }

    /// Retries a dead letter, or adopts an entry of a former identity for a device; nil keeps its own.
    ///
    /// - Throws: `notFound`.
    package func retry(_ asset: AssetID, as device: DeviceID? = nil) throws {
        try database.write { database in
            guard
                let row = try Row.fetchOne(
                    database,
                    sql: "SELECT * FROM entries WHERE asset_id = ? AND state IN ('deadLetter', 'held', 'captured')",
                    arguments: [asset.description]
                )
            else { throw AgentStoreError(.notFound, asset, "no such entry is waiting: see tintype-agent queue list") }
            var manifest = try Self.entry(row).manifest
            manifest.deviceID = device ?? manifest.deviceID
            try database.execute(
                sql: """
                    UPDATE entries SET state = 'captured', hold = NULL, problem = NULL, manifest = ?, device_id = ?
                    WHERE asset_id = ?
                    """,
                arguments: [try Self.blob(manifest), manifest.deviceID?.description, asset.description]
            )
        }
    }

    /// Verifies and stores receipts: all valid ones in a single transaction.
    ///
    /// - Returns: why receipts were not stored: `receiptRefused` for a wrong signature, device, asset or digest, or of
    ///   a history that the library left; `notFound`.
    /// - Throws: `storage`; then no receipt is stored.
    package func commit(
        _ receipts: [AssetID: SignedReceipt],
        verifiedBy isGenuine: ReceiptVerifier,
        now: WallTime
    ) throws -> [AssetID: AgentStoreError] {
        let entries = try Dictionary(outgoing(receipts.keys).map { ($0.id, $0) }) { first, _ in first }
        // On all processors, and before the transaction, during which an import cannot use the connection; sixteen
        // signatures are some milliseconds of work.
        let judged = try Array(receipts).concurrentMap(by: 16) { asset, receipt in
            let problem = Self.problem(in: receipt, of: asset, entries[asset], verifiedBy: isGenuine)
            return (problem: problem, bytes: try Self.blob(receipt))
        }
        return try database.write { database in
            // In the same transaction: the library may announce another history meanwhile.
            let former = try Fact<[LibraryEpoch]>.formerEpochs.value(database) ?? []
            var refused: [AssetID: AgentStoreError] = [:]
            let statement = try database.cachedStatement(
                sql: """
                    UPDATE entries SET state = 'committed', hold = NULL, problem = NULL, receipt = ?, committed_at = ?
                    WHERE asset_id = ? AND state NOT IN ('committed', 'freed')
                    """
            )
            for ((asset, receipt), (problem, bytes)) in zip(receipts, judged) {
                refused[asset] = problem ?? Self.problem(in: receipt, of: asset, given: former)
                guard refused[asset] == nil else { continue }
                try statement.execute(arguments: [bytes, now.microsecondsSince1970, asset.description])
            }
            return refused
        }
    }

    /// Why a receipt does not prove that the pinned library has an asset's bytes.
    private static func problem(
        in receipt: SignedReceipt,
        of asset: AssetID,
        _ entry: OutgoingAsset?,
        verifiedBy isGenuine: ReceiptVerifier
    ) -> AgentStoreError? {
        guard let entry else { return AgentStoreError(.notFound, asset, "it is not in the queue") }
        guard isGenuine(receipt) else {
            return AgentStoreError(.receiptRefused, asset, "the receipt's signature is not the pinned library's")
        }
        guard receipt.receipt.deviceID == entry.deviceID,
            receipt.receipt.covers(asset, resources: entry.resources)
        else { return AgentStoreError(.receiptRefused, asset, "the receipt is not for these bytes of this device") }
        return nil
    }

    /// Why a receipt no longer counts, given the histories that the library left.
    ///
    /// What was saved after the restored backup was made is offered again, and must not be freed by its old receipt.
    private static func problem(
        in receipt: SignedReceipt,
        of asset: AssetID,
        given former: [LibraryEpoch]
    ) -> AgentStoreError? {
        guard former.contains(receipt.receipt.libraryEpoch) else { return nil }
        return AgentStoreError(.receiptRefused, asset, "the receipt is of a history that the library left")
    }

    private func update(_ assets: [AssetID], _ change: String, _ arguments: [String]) throws {
        guard !assets.isEmpty else { return }
        try database.write { database in
            let statement = try database.cachedStatement(
                sql: """
                    UPDATE entries SET \(change)
                    WHERE asset_id = ? AND state IN ('captured', 'held', 'uploading')
                    """
            )
            for asset in assets {
                try statement.execute(arguments: StatementArguments(arguments + [asset.description]))
            }
        }
    }

    static func blob(_ value: some Encodable) throws -> Data {
        Data(try json(value))
    }

    static func entry(_ row: Row) throws -> QueueEntry {
        let manifest: Data = row["manifest"]
        let receipt: Data? = row["receipt"]
        let added: Int64 = row["added_at"]
        let state: String = row["state"]
        let hold: String? = row["hold"]
        return QueueEntry(
            manifest: try value(AssetManifest.self, from: Array(manifest)),
            state: Self.state(state, hold),
            isIncompleteLivePhoto: row["is_incomplete_live_photo"],
            addedAt: WallTime(microsecondsSince1970: added),
            problem: row["problem"],
            receipt: try receipt.map { try value(SignedReceipt.self, from: Array($0)) }
        )
    }

    /// The reason in an entry's column; nil if it is not held.
    static func holdReason(_ name: String?) -> HoldReason? { name.map { HoldReason(rawValue: $0) ?? .pending } }

    private static func state(_ name: String, _ hold: String?) -> QueueEntry.State {
        switch name {
        case "captured": .captured
        case "held": .held(holdReason(hold) ?? .pending)
        case "uploading": .uploading
        case "committed": .committed
        case "freed": .freed
        default: .deadLetter
        }
    }
}
