import Persistence
import PhotoModel
import PostgreSQL

/// A mark that keeps a library in PostgreSQL from being served: a row of `schema_migrations` with a special number,
/// which programs that do not know marks take for a newer program's migration.
enum SchemaMark: Hashable, Sendable {
    /// Its arrival is incomplete.
    case arriving(ArrivalID)
    /// It moved away.
    case departed(Departure)

    /// The number of the row; migrations have smaller numbers.
    static let number: Int64 = 1_000_000

    private init?(text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        if let departure = Departure(Array(text.utf8)) {
            self = .departed(departure)
        } else if words.count == 2, words[0] == "arriving", let id = ArrivalID(String(words[1])) {
            self = .arriving(id)
        } else {
            return nil
        }
    }

    private var text: String {
        switch self {
        case .arriving(let id): "arriving \(id)"
        case .departed(let departure): departure.line
        }
    }

    /// The mark of a schema, which may not exist.
    static func find(_ schema: String, _ connection: PostgreSQLConnection) throws -> SchemaMark? {
        let known = try connection.execute(
            "SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'schema_migrations'",
            [.text(schema)]
        )
        guard known.count > 0 else { return nil }
        let rows = try connection.execute(
            "SELECT name FROM \"\(schema)\".schema_migrations WHERE number = ?",
            [.integer(number)]
        )
        guard rows.count > 0, case .text(let text) = try rows.value(0, 0) else { return nil }
        return SchemaMark(text: text)
    }

    /// Sets the mark.
    func set(_ connection: PostgreSQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO schema_migrations (number, name, fingerprint) VALUES (?, ?, '')
            ON CONFLICT (number) DO UPDATE SET name = EXCLUDED.name
            """,
            [.integer(Self.number), .text(text)]
        )
    }

    /// Removes any mark.
    static func remove(_ connection: PostgreSQLConnection) throws {
        try connection.execute("DELETE FROM schema_migrations WHERE number = ?", [.integer(number)])
    }
}

extension PostgreSQLSchema {
    /// Checks that a library's rows may be used.
    ///
    /// - Throws: `foreign` if it moved away, or is arriving by a different arrival.
    static func requireServable(_ schema: String, _ arrival: ArrivalID?, _ connection: PostgreSQLConnection) throws {
        let problem: String
        switch try SchemaMark.find(schema, connection) {
        case nil: return
        case .arriving(let id) where id == arrival: return
        case .arriving: problem = "its arrival is incomplete: run the interrupted migrate or restore again"
        case .departed(let departure): problem = "the library moved to \(departure.place): serve it there"
        }
        throw PersistenceError(.foreign, "open", MetadataLocation.schemaWord + schema, problem)
    }

    /// Drops everything that an earlier attempt of the same arrival left in the schema.
    static func clear(_ schema: String, _ connection: PostgreSQLConnection) throws {
        let statements = try connection.execute(
            """
            SELECT format('DROP TABLE %I.%I CASCADE', schemaname, tablename) FROM pg_tables WHERE schemaname = ?1
            UNION ALL
            SELECT format('DROP FUNCTION IF EXISTS %I.%I(%s) CASCADE', nspname, proname,
                pg_get_function_identity_arguments(pg_proc.oid))
            FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace WHERE nspname = ?1
            """,
            [.text(schema)]
        )
        for row in 0..<statements.count {
            if case .text(let statement) = try statements.value(row, 0) { try connection.run(statement) }
        }
    }
}
