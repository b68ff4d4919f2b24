import LibraryAPI
import Persistence
package import PhotoModel

// Marks of objects in a bucket that several servers share, by the database's clock; see `ReclaimRules`.
extension SQLMetadataStore {
    /// The database's time, from which the age of received content is counted; nil if no other server deletes
    /// originals.
    package func receivingTime() async throws -> WallTime? {
        guard isShared else { return nil }
        return try await store.read { try Self.now($0) }
    }

    /// Content quarantined longer ago than this, which may be deleted; with several servers, what is condemned, in as many
    /// writer turns as that needs.
    package func expiredQuarantine(after duration: Duration) async throws -> [QuarantinedContent] {
        guard isShared else { return try await quarantined(before: effects.now().advanced(by: .zero - duration)) }
        let marks = try await store.read { database in
            let old = try Self.now(database).advanced(by: .zero - max(duration, ReclaimRules.markDuration))
            return try database.rows(
                """
                SELECT digest, file_name, reason, since FROM quarantine WHERE since <= ? AND condemned IS NULL
                ORDER BY since, file_name
                """,
                [old.microsecondsSince1970]
            ).map(Self.quarantined)
        }
        for start in stride(from: 0, to: marks.count, by: turns.condemnedMarks) {
            let turn = marks[start...].prefix(turns.condemnedMarks)
            // Others waiting for the writer get their turn in between.
            try await store.write([.library]) { database in
                let now = try Self.now(database)
                for mark in turn { try Self.condemn(mark, at: now, database) }
            }
        }
        return try await store.read { database in
            try database.rows(
                "SELECT digest, file_name, reason, since FROM quarantine WHERE condemned IS NOT NULL ORDER BY since"
            ).map(Self.quarantined)
        }
    }

    /// Condemns a mark, unless rows need its object, or it was removed or replaced meanwhile.
    private static func condemn(_ mark: QuarantinedContent, at now: WallTime, _ database: any SQLSession) throws {
        guard let address = ContentAddress(fileName: mark.fileName),
            try ReclaimRules.mayCondemn(age: age(mark.since, at: now), isWanted: isWanted(address, database))
        else { return }
        try database.execute(
            "UPDATE quarantine SET condemned = ? WHERE file_name = ? AND since = ? AND condemned IS NULL",
            [now.microsecondsSince1970, mark.fileName, mark.since.microsecondsSince1970]
        )
    }

    /// Marks an object; false if it is already marked, or rows need it.
    func mark(_ item: QuarantinedContent, isDamaged: Bool) async throws -> Bool {
        try await store.write([.library]) { database in
            guard let address = ContentAddress(fileName: item.fileName),
                try isDamaged || !Self.isWanted(address, database)
            else { return false }
            try database.execute(
                """
                INSERT INTO quarantine (digest, file_name, reason, since) VALUES (?, ?, ?, \(PostgreSQLDialect.now))
                ON CONFLICT (file_name) DO NOTHING
                """,
                [item.digest.blob, item.fileName, item.reason]
            )
            let isNew = try database.changesCount > 0
            // The row names this object, or another copy, which the next sweep finds.
            _ = try CommitTable.deleteUnusedContent(item.digest, database)
            return isNew
        }
    }

    /// Checks that rows may name the objects of a commit, and removes their marks.
    ///
    /// - Throws: `unavailable`; repeating the request finds other objects, or returns what to send again.
    func claimObjects(of request: CommitRequest, _ database: any SQLSession) throws {
        guard isShared else { return }
        for resource in request.manifest.resources {
            let isMissing = try CommitTable.isMissing(resource.digest, database)
            // An object that a row names stays where it is.
            if !isMissing, try CommitTable.contentRow(resource.digest, database) != nil { continue }
            guard let place = request.places[resource.digest],
                try ReclaimRules.mayName(
                    Self.mark(of: place, database),
                    hasUpload: Self.hasUpload(place, database),
                    receivedAge: request.received.map { Self.age($0, at: try Self.now(database)) }
                )
            else {
                throw StoreError(
                    .unavailable,
                    "The bytes were discarded meanwhile: try again.",
                    about: request.manifest.id.description
                )
            }
            try database.statement("DELETE FROM quarantine WHERE file_name = ?").execute([place.fileName])
        }
    }

    private static func mark(of place: ContentAddress, _ database: any SQLSession) throws -> ReclaimRules.Mark {
        let statement = try database.statement(
            "SELECT CASE WHEN condemned IS NULL THEN 0 ELSE 1 END FROM quarantine WHERE file_name = ?"
        )
        return switch try statement.value(Bool.self, [place.fileName]) {
        case .some(let isCondemned): isCondemned ? .condemned : .open
        case nil: .none
        }
    }

    private static func age(_ time: WallTime, at now: WallTime) -> Duration {
        .microseconds(now.microsecondsSince1970 - time.microsecondsSince1970)
    }

    private static func now(_ database: any SQLSession) throws -> WallTime {
        guard let now = try database.value(Int64.self, "SELECT \(PostgreSQLDialect.now)") else {
            throw RowDamage("a database without a clock")
        }
        return WallTime(microsecondsSince1970: now)
    }
}
