import FoundationEssentials
import LibraryAPI
import Logging
import Persistence
package import PostgreSQL

/// The location of a library's rows.
package enum MetadataLocation: Sendable {
    /// In SQLite, in the library's folder.
    case folder
    /// In a PostgreSQL database.
    case postgresql(ConnectionSettings)

    /// The prefix of the object in errors about the schema.
    package static let schemaWord = "the schema "

    /// The object in errors about rows of another library.
    package static let rowsWord = "the database"

    var isServed: Bool { if case .postgresql = self { true } else { false } }

    /// Checks, before anything is created, that the rows of a new library can be created here, or those of an arrival
    /// already begun.
    ///
    /// Blocks.
    func requireRoom(arrival: ArrivalID? = nil) throws {
        if case .postgresql(let settings) = self { try PostgreSQLRowStore.requireRoom(settings, arrival: arrival) }
    }

    /// Opens the rows.
    ///
    /// Blocks.
    func open(
        _ layout: LibraryLayout,
        library: LibraryID,
        isNew: Bool,
        beginsHistory: Bool,
        isShared: Bool,
        _ settings: LibraryStore.Settings,
        _ effects: StoreEffects,
        _ logger: Logger,
        blocking: BlockingPool
    ) throws -> SQLMetadataStore {
        let rows: any RowStore =
            switch self {
            case .folder:
                try SQLiteRowStore(layout, isNew: isNew, timeZone: settings.timeZone, blocking: blocking)
            case .postgresql(let connections):
                try PostgreSQLRowStore(connections, isNew: isNew, timeZone: settings.timeZone, logger: logger)
            }
        return try SQLMetadataStore(
            over: rows,
            library: library,
            isNew: isNew,
            beginsHistory: beginsHistory,
            isShared: isShared,
            limits: settings.limits,
            timeZone: settings.timeZone,
            effects: effects,
            blocking: blocking
        )
    }
}
