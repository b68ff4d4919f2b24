import Persistence
import PhotoModel
import PostgreSQL

/// The tables of a library in PostgreSQL, in their own schema: the same ones that `LibrarySchema` creates in SQLite.
///
/// Booleans are the integers 0 and 1, so that the same SQL reads both engines. Texts compare by bytes. Columns queried
/// by `->` are `json`, which keeps the text unchanged. Migrations are only ever appended.
enum PostgreSQLSchema {
    /// One migration: statements that run once, in the transaction that records them.
    struct Migration {
        /// Its purpose, in a few words.
        let name: String
        /// The statements.
        let sql: String

        var fingerprint: String { ContentHasher.digest(Array(sql.utf8)).description }
    }

    static let migrations = [
        Migration(name: "library", sql: tables + timeline + functions + duties + signals),
        Migration(name: "the servers' clocks", sql: clocks),
        Migration(name: "payers", sql: payers),
        Migration(name: "view stages", sql: viewStages),
        Migration(name: "unsettled albums", sql: unsettledAlbums),
        Migration(name: "forgotten lists", sql: forgottenLists),
        Migration(name: "members by entity", sql: membersByEntity),
        Migration(name: "pending devices", sql: pendingDevices),
        Migration(name: "receipts by owner", sql: receiptsByOwner),
        Migration(name: "favorites", sql: favorites),
        Migration(name: "days in the trash", sql: daysInTrash),
        Migration(name: "bursts", sql: bursts),
        Migration(name: "shown bursts", sql: shownBursts),
    ]

    /// The statement that keeps two programs from migrating at once; the schema may not exist yet.
    static func lock(_ schema: String) -> String {
        "SELECT pg_advisory_xact_lock(hashtextextended('tintype.schema.\(schema)', 0))"
    }

    /// Whether the schema has no tables.
    ///
    /// - Throws: `exists` if a new library's schema has some, `notFound` if an existing library's has none.
    static func isEmpty(_ schema: String, isNew: Bool, _ connection: PostgreSQLConnection) throws -> Bool {
        let tables = try connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = ?", [.text(schema)])
        let name = MetadataLocation.schemaWord + schema
        if isNew, tables.count > 0 {
            throw PersistenceError(.exists, "create", name, "it already has tables: name another one, or drop it")
        }
        if !isNew, tables.count == 0 {
            throw PersistenceError(.notFound, "open", name, "it does not have the library's tables: name its database")
        }
        return tables.count == 0
    }

    /// Creates the schema, or applies the missing migrations, in one transaction under ``lock(_:)``.
    ///
    /// - Throws: `exists` if a new library's schema has tables; `notFound` if an existing library's has none; `foreign`
    ///   if a newer program migrated it, if the library moved away, or if its arrival is incomplete; `damaged` if
    ///   another program migrated it.
    static func migrate(
        _ schema: String,
        isNew: Bool,
        arrival: ArrivalID? = nil,
        _ connection: PostgreSQLConnection
    ) throws {
        let name = MetadataLocation.schemaWord + schema
        if !isNew { try requireServable(schema, arrival, connection) }
        if try isEmpty(schema, isNew: isNew, connection) {
            let known = try connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", [.text(schema)])
            if known.count == 0 { try connection.run("CREATE SCHEMA \"\(schema)\"") }
            try connection.run(
                """
                CREATE TABLE schema_migrations (
                    number BIGINT PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL
                )
                """
            )
        }
        let applied = try connection.execute(
            "SELECT fingerprint FROM schema_migrations WHERE number < ? ORDER BY number",
            [.integer(SchemaMark.number)]
        )
        guard applied.count <= migrations.count else {
            throw PersistenceError(
                .foreign,
                "open",
                name,
                "its version is \(applied.count), this program knows \(migrations.count): run the newer program"
            )
        }
        // An index of a big table takes longer than a request's statement may.
        if applied.count < migrations.count { try connection.run("SET LOCAL statement_timeout = 0") }
        for (index, migration) in migrations.enumerated() {
            guard index >= applied.count else {
                guard try applied.value(index, 0) == .text(migration.fingerprint) else {
                    throw PersistenceError(
                        .damaged,
                        "open",
                        name,
                        "migration \(index + 1) differs from the applied one: another program created it"
                    )
                }
                continue
            }
            try connection.run(migration.sql)
            try connection.execute(
                "INSERT INTO schema_migrations (number, name, fingerprint) VALUES (?, ?, ?)",
                [.integer(Int64(index + 1)), .text(migration.name), .text(migration.fingerprint)]
            )
        }
    }

    /// The functions of the shared SQL, and the triggers that count each day's assets.
    private static let functions = """
        -- As `GeographicCircle.contains`, whose products of tiny numbers become 0 where PostgreSQL refuses them.
        CREATE FUNCTION tintype_near(
            latitude DOUBLE PRECISION, longitude DOUBLE PRECISION,
            center_latitude DOUBLE PRECISION, center_longitude DOUBLE PRECISION, radius DOUBLE PRECISION
        ) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
        DECLARE
            tiny CONSTANT DOUBLE PRECISION := 1e-150;
            degrees_per_meter CONSTANT DOUBLE PRECISION := '1'::DOUBLE PRECISION / '111195.0802335329'::DOUBLE PRECISION;
            angles DOUBLE PRECISION[] := ARRAY[center_latitude, center_longitude, latitude, longitude];
            a DOUBLE PRECISION[];
            d DOUBLE PRECISION[];
            reach DOUBLE PRECISION;
            chord DOUBLE PRECISION;
        BEGIN
            FOR i IN 1..4 LOOP
                IF abs(angles[i]) < tiny THEN angles[i] := 0; END IF;
                a[i] := angles[i] * pi() / 180;
            END LOOP;
            d := ARRAY[
                cos(a[1]) * cos(a[2]) - cos(a[3]) * cos(a[4]),
                cos(a[1]) * sin(a[2]) - cos(a[3]) * sin(a[4]),
                sin(a[1]) - sin(a[3])
            ];
            FOR i IN 1..3 LOOP
                IF abs(d[i]) < tiny THEN d[i] := 0; END IF;
            END LOOP;
            chord := d[1] * d[1] + d[2] * d[2] + d[3] * d[3];
            IF radius < tiny THEN RETURN chord = 0; END IF;
            reach := 2 * sin(least(radius * degrees_per_meter / 2, 90) * pi() / 180);
            RETURN chord <= reach * reach;
        END $$;

        -- The day of a local date, counted from 1970 and rounded down.
        CREATE FUNCTION tintype_day(local_date BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN (local_date - (local_date % 86400000000 + 86400000000) % 86400000000) / 86400000000;

        -- Counts the assets of each day, as the triggers in SQLite do.
        CREATE FUNCTION tintype_count() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP <> 'INSERT' THEN
                UPDATE capture_count SET assets = assets - 1
                WHERE is_trashed = OLD.is_trashed AND day = tintype_day(OLD.local_date)
                    AND capture_month = OLD.capture_month AND is_hidden = OLD.is_hidden AND stands_out = OLD.stands_out;
                DELETE FROM capture_count
                WHERE is_trashed = OLD.is_trashed AND day = tintype_day(OLD.local_date)
                    AND capture_month = OLD.capture_month AND is_hidden = OLD.is_hidden AND stands_out = OLD.stands_out
                    AND assets = 0;
            END IF;
            IF TG_OP <> 'DELETE' THEN
                INSERT INTO capture_count (is_trashed, day, capture_month, is_hidden, stands_out, assets) VALUES (
                    NEW.is_trashed, tintype_day(NEW.local_date), NEW.capture_month, NEW.is_hidden, NEW.stands_out, 1
                ) ON CONFLICT (is_trashed, day, capture_month, is_hidden, stands_out)
                    DO UPDATE SET assets = capture_count.assets + 1;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER asset_inserted AFTER INSERT ON asset FOR EACH ROW EXECUTE FUNCTION tintype_count();
        CREATE TRIGGER asset_deleted AFTER DELETE ON asset FOR EACH ROW EXECUTE FUNCTION tintype_count();
        CREATE TRIGGER asset_updated AFTER UPDATE ON asset FOR EACH ROW WHEN (
            (OLD.local_date, OLD.capture_month, OLD.is_trashed, OLD.is_hidden, OLD.stands_out)
                IS DISTINCT FROM (NEW.local_date, NEW.capture_month, NEW.is_trashed, NEW.is_hidden, NEW.stands_out)
        ) EXECUTE FUNCTION tintype_count();
        """
}
