import FoundationEssentials
import GRDB
package import PhotoModel

extension AgentStore {
    /// Assets of the view as shown here: with pending local changes.
    ///
    /// - Throws: `storage`.
    package func fetchAssets(_ options: FetchOptions = FetchOptions()) throws -> [Asset] {
        try database.read { database in
            guard options.sortDescriptors.count == 1, let order = options.sortDescriptors.first,
                order.key == .captureDate
            else {
                return options.fetch(from: try Self.assets(in: "", database) { _ in true })
            }
            // The default order matches the index: nothing is read beyond the limit.
            let direction = order.isAscending ? "ASC" : "DESC"
            let limit = options.fetchLimit.map { max($0, 0) } ?? .max
            var found = 0
            return try Self.assets(in: "ORDER BY local_date \(direction), first \(direction)", database) { asset in
                guard found < limit, options.includes(asset) else { return found < limit ? false : nil }
                found += 1
                return true
            }
        }
    }

    /// One asset of the view; nil if it is not in the view.
    package func asset(_ id: AssetID) throws -> Asset? {
        try assets([id])[id]
    }

    /// The albums of the view, by title.
    package func fetchAlbums() throws -> [Album] {
        try database.read { database in
            try Data.fetchAll(database, sql: "SELECT shown FROM replica_entities WHERE kind = 4 AND shown IS NOT NULL")
                .map { try Self.value(Album.self, from: Array($0)) }
                .sorted { ($0.title, $0.id) < ($1.title, $1.id) }
        }
    }

    /// The current position in the log of what is shown.
    package func viewSequence() throws -> Int64 {
        try database.read { try Self.viewSequence($0) }
    }

    /// The same, within a larger transaction.
    static func viewSequence(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT coalesce(max(sequence), 0) FROM replica_log") ?? 0
    }

    /// The combined changes of what was shown, changed and hidden after a position in the log; nil if it does not reach
    /// back that far.
    ///
    /// - Throws: `storage`.
    package func viewChanges(after sequence: Int64) throws -> ReplicaDifference? {
        try database.read { try Self.viewChanges(after: sequence, $0) }
    }

    /// The same, within a larger transaction.
    static func viewChanges(after sequence: Int64, _ database: Database) throws -> ReplicaDifference? {
        let ends = try Row.fetchOne(database, sql: "SELECT min(sequence), max(sequence) FROM replica_log")
        let first: Int64 = (ends?[0] as Int64?) ?? 1
        let last: Int64 = (ends?[1] as Int64?) ?? 0
        guard sequence >= first - 1, sequence <= last else { return nil }
        var change = ReplicaDifference(sequence: last)
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT kind, id, event FROM replica_log WHERE sequence > ? ORDER BY sequence",
            arguments: [sequence]
        )
        while let row = try rows.next() {
            let kind: Int = row[0]
            guard let event = ReplicaTable.Event(rawValue: row[2]) else { continue }
            if kind == 2, let id = AssetID(row[1] as String) {
                change.assets.take(event, id)
            } else if kind == 4, let id = AlbumID(row[1] as String) {
                change.albums.take(event, id)
            }
        }
        return change
    }

    /// Decodes assets in an order for a closure that filters them; it returns nil once no more are wanted.
    static func assets(
        in order: String,
        _ database: Database,
        _ isWanted: (Asset) -> Bool?
    ) throws -> [Asset] {
        let rows = try Data.fetchCursor(
            database,
            sql: "SELECT shown FROM replica_entities WHERE kind = 2 AND shown IS NOT NULL \(order)"
        )
        var assets: [Asset] = []
        while let bytes = try rows.next() {
            let asset = try value(Asset.self, from: Array(bytes))
            guard let isWanted = isWanted(asset) else { break }
            if isWanted { assets.append(asset) }
        }
        return assets
    }
}

/// The changes of a view between two positions of its log (PhotoKit's `PHPersistentChange`).
package struct ReplicaDifference: Hashable, Sendable {
    /// The changes of objects of one kind.
    package struct Details<ID: Hashable & Sendable>: Hashable, Sendable {
        /// Objects that are new.
        package private(set) var inserted: Set<ID> = []
        /// Objects that changed.
        package private(set) var updated: Set<ID> = []
        /// Objects that are gone.
        package private(set) var deleted: Set<ID> = []

        /// Whether nothing changed.
        package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

        mutating func take(_ event: ReplicaTable.Event, _ id: ID) {
            switch event {
            case .inserted:
                if deleted.remove(id) != nil { updated.insert(id) } else { inserted.insert(id) }
            case .updated:
                if !inserted.contains(id) { updated.insert(id) }
            case .deleted:
                updated.remove(id)
                if inserted.remove(id) == nil { deleted.insert(id) }
            }
        }
    }

    /// The position in the log that it reaches.
    package let sequence: Int64
    /// Assets.
    package var assets = Details<AssetID>()
    /// Albums.
    package var albums = Details<AlbumID>()
}
