package import GRDB
import PhotoModel

/// The append-only list of a schema's migrations.
///
/// Each migration's SQL is fingerprinted when applied: a migration changed afterwards is detected when the database is
/// opened, not when the first query fails.
package struct DatabaseSchema: Sendable {
    /// One migration: SQL that runs once, in a transaction with its own record.
    package struct Migration: Sendable {
        /// Numbered from 1, without gaps.
        package let number: Int
        /// Its purpose, in a few words.
        package let name: String
        /// The statements.
        package let sql: String

        package init(_ number: Int, _ name: String, sql: String) {
            self.number = number
            self.name = name
            self.sql = sql
        }

        /// SHA-256 of the statements, in hexadecimal.
        package var fingerprint: String { ContentHasher.digest(Array(sql.utf8)).description }
    }

    /// The migrations, by number.
    package let migrations: [Migration]

    /// A gap in the migrations' numbers is a programming error.
    package init(_ migrations: [Migration]) {
        precondition(
            migrations.enumerated().allSatisfy { $0.element.number == $0.offset + 1 },
            "migrations count from 1 without gaps"
        )
        self.migrations = migrations
    }

    /// The schema after this many migrations, for tests of upgrades.
    package func prefix(_ count: Int) -> DatabaseSchema {
        DatabaseSchema(Array(migrations.prefix(count)))
    }

    /// Applies the missing migrations.
    ///
    /// Blocks; call outside a transaction.
    ///
    /// - Throws: `foreign` for a newer program's database, `damaged` for a differing migration; SQLite's errors.
    package func migrate(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                    number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL
                ) STRICT
                """
        )
        let applied = try Row.fetchAll(
            database,
            sql: "SELECT number, fingerprint FROM schema_migrations ORDER BY number"
        )
        guard applied.count <= migrations.count else {
            throw PersistenceError(
                .foreign,
                "migrate",
                "the database",
                "its schema is version \(applied.count), this program knows \(migrations.count): run the newer program"
            )
        }
        for (row, migration) in zip(applied, migrations) {
            let number: Int = row[0]
            let fingerprint: String = row[1]
            guard number == migration.number, fingerprint == migration.fingerprint else {
                throw PersistenceError(
                    .damaged,
                    "migrate",
                    "migration \(number)",
                    "it differs from the applied one: another build of this program created the database"
                )
            }
        }
        for migration in migrations.dropFirst(applied.count) {
            try database.inTransaction {
                try database.execute(sql: migration.sql)
                try database.execute(
                    sql: "INSERT INTO schema_migrations (number, name, fingerprint) VALUES (?, ?, ?)",
                    arguments: [migration.number, migration.name, migration.fingerprint]
                )
                return .commit
            }
        }
    }
}
