package import Authorization
import FoundationEssentials
import GRDB
package import LibraryAPI
import Persistence
package import PhotoModel

extension SQLiteMetadataStore {
    /// Claims due jobs.
    package func claimJobs(limit: Int, lease: Duration, onlyAwaited: Bool) async throws -> [MediaJob] {
        let now = effects.now()
        let priority = onlyAwaited ? 1 : 0
        // Checked by a reader first: an empty queue must not take the writer's turn.
        let isIdle = try await database.read { database in
            try Self.isPaused(database) || Self.dueJobs(limit: 1, at: now, priority, database).isEmpty
        }
        guard !isIdle else { return [] }
        let claims = await together([limit]) { limit, database in
            try Self.dueJobs(limit: limit, at: now, priority, database).compactMap { row -> MediaJob? in
                let id: Int64 = row["id"]
                let digest = try ContentDigest(blob: row["digest"])
                guard let content = try CommitTable.contentRow(digest, database) else {
                    // Purged meanwhile: nothing is pending any more.
                    try database.execute(sql: "DELETE FROM job WHERE id = ?", arguments: [id])
                    return nil
                }
                let attempts: Int = row["attempts"] + 1
                try database.cachedStatement(sql: "UPDATE job SET attempts = ?, due = ?, is_leased = 1 WHERE id = ?")
                    .execute(arguments: [attempts, now.advanced(by: lease).microsecondsSince1970, id])
                return MediaJob(
                    id: JobID(rawValue: id),
                    address: content.address,
                    isMovie: row["is_movie"],
                    attempts: attempts,
                    deaths: row["deaths"]
                )
            }
        }
        return try claims[0].get()
    }

    private static func isPaused(_ database: Database) throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT is_paused FROM job_control") ?? false
    }

    private static func dueJobs(
        limit: Int,
        at now: WallTime,
        _ lowestPriority: Int,
        _ database: Database
    ) throws -> [Row] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT id, digest, is_movie, attempts, deaths FROM job
                WHERE state = 'waiting' AND priority >= ? AND due <= ? ORDER BY priority DESC, id LIMIT ?
                """,
            arguments: [lowestPriority, now.microsecondsSince1970, limit]
        )
    }

    /// Makes every job claimed by an earlier process due again.
    package func releaseJobs() async throws {
        try await database.write { database in
            try database.execute(sql: "UPDATE job SET due = 0, is_leased = 0 WHERE is_leased = 1")
        }
    }

    /// Completes jobs with their results.
    package func finish(_ finished: [FinishedJob]) async -> [Result<Void, any Error>] {
        await together(finished) { item, database in
            let digest = item.derivative.digest
            try JobTable.save(item.derivative, at: effects.now(), database)
            try database.cachedStatement(sql: "DELETE FROM job WHERE id = ?").execute(arguments: [item.id.rawValue])
            for id in try JobTable.assets(with: digest, database) {
                guard let asset = try AssetTable.fetch(id, database), asset.shownResource?.resource.digest == digest
                else { continue }
                var described = asset
                try JobTable.describe(&described, database)
                guard described != asset else { continue }
                try AssetTable.save(described, database)
                try EntityTable.touch(.asset(id), database)
            }
        }
    }

    /// Records a job's failure.
    package func fail(_ job: JobID, _ failure: JobFailure) async throws -> JobState {
        let now = effects.now()
        return try await database.write { database in
            let sql = "SELECT attempts, deaths FROM job WHERE id = ?"
            guard let row = try Row.fetchOne(database, sql: sql, arguments: [job.rawValue]) else {
                throw StoreError.notFound(job.description)
            }
            let verdict = JobPolicy.verdict(failure.cause, attempts: row["attempts"], deaths: row["deaths"])
            try database.execute(
                sql: """
                    UPDATE job SET state = ?, attempts = ?, deaths = ?, due = ?, is_leased = 0, reason = ? WHERE id = ?
                    """,
                arguments: [
                    verdict.state.rawValue, verdict.attempts, verdict.deaths,
                    now.advanced(by: verdict.delay).microsecondsSince1970, failure.reason, job.rawValue,
                ]
            )
            return verdict.state
        }
    }

    /// Schedules an original's thumbnails with top priority.
    package func raiseJob(for asset: AssetID) async throws -> JobSummary? {
        try await database.write { database in
            guard let shown = try AssetTable.fetch(asset, database)?.shownResource else { return nil }
            let digest = shown.resource.digest
            try JobTable.enqueue(digest, isMovie: shown.isMovie, database)
            try database.execute(
                sql: "UPDATE job SET priority = 1 WHERE digest = ? AND state = 'waiting'",
                arguments: [digest.blob]
            )
            return try JobTable.job(of: digest, database)
        }
    }

    /// An original's job.
    package func job(of digest: ContentDigest) async throws -> JobSummary? {
        try await database.read { try JobTable.job(of: digest, $0) }
    }

    /// One page of jobs.
    package func jobs(_ state: JobState?, after job: JobID?, limit: Int) async throws -> JobPage {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(JobTable.columns) FROM job WHERE id > ?1 AND (?2 IS NULL OR state = ?2)
                    ORDER BY id LIMIT ?3
                    """,
                arguments: [job?.rawValue ?? 0, state?.rawValue, limit + 1]
            )
            let jobs = try rows.prefix(limit).map(JobTable.summary)
            let counts = try Row.fetchAll(database, sql: "SELECT state, count(*) AS count FROM job GROUP BY state")
            return JobPage(
                jobs: jobs,
                next: rows.count > limit ? jobs.last?.id : nil,
                isPaused: try Self.isPaused(database),
                counts: Dictionary(
                    counts.map { ($0["state"] as String, $0["count"] as Int) },
                    uniquingKeysWith: +
                )
            )
        }
    }

    /// Pauses or resumes the queue.
    package func setJobsPaused(_ isPaused: Bool, audit: AuditEntry.Content) async throws {
        try await database.write { database in
            try database.execute(sql: "UPDATE job_control SET is_paused = ?", arguments: [isPaused])
            try AuditTable(database: database, chain: chain).append(audit, at: effects.now())
        }
    }

    /// Retries jobs.
    package func retryJobs(_ job: JobID?, audit: AuditEntry.Content) async throws -> Int {
        try await database.write { database in
            let condition = job == nil ? "state = 'dead'" : "id = ? AND state <> 'waiting'"
            try database.execute(
                sql: """
                    UPDATE job SET state = 'waiting', attempts = 0, deaths = 0, due = 0, is_leased = 0, reason = NULL
                    WHERE \(condition)
                    """,
                arguments: job.map { [$0.rawValue] } ?? []
            )
            let count = database.changesCount
            if count > 0 { try AuditTable(database: database, chain: chain).append(audit, at: effects.now()) }
            return count
        }
    }

    /// What was derived from an original.
    package func derivative(_ digest: ContentDigest) async throws -> Derivative? {
        try await database.read { try JobTable.derivative(digest, $0) }
    }

    /// Originals with derivatives that no asset has any more.
    package func orphanedDerivatives(limit: Int) async throws -> [ContentDigest] {
        try await database.read { database in
            try Data.fetchAll(
                database,
                sql: """
                    SELECT digest FROM derivative
                    WHERE NOT EXISTS (SELECT 1 FROM resource WHERE resource.digest = derivative.digest) LIMIT ?
                    """,
                arguments: [limit]
            ).map(ContentDigest.init(blob:))
        }
    }

    /// Forgets the derivatives of originals.
    package func removeDerivatives(_ digests: [ContentDigest]) async throws {
        try await database.write { database in
            for digest in digests {
                try database.execute(sql: "DELETE FROM derivative WHERE digest = ?", arguments: [digest.blob])
            }
        }
    }

    /// Schedules a job for every original without thumbnails.
    package func fillJobs() async throws -> Int {
        var key: Int64? = 0
        var added = 0
        while let start = key {
            let page = try await database.write { try Self.fillPage(after: start, $0) }
            key = page.last
            added += page.added
        }
        return added
    }

    /// Schedules the jobs of some assets; returns the last one's key, nil if there were none.
    private static func fillPage(after key: Int64, _ database: Database) throws -> (last: Int64?, added: Int) {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT key, document FROM asset WHERE key > ? ORDER BY key LIMIT 500",
            arguments: [key]
        )
        let before = database.totalChangesCount
        for row in rows {
            let asset = try JSONColumn.decode(row["document"], as: Asset.self)
            guard let shown = asset.shownResource,
                try JobTable.derivative(shown.resource.digest, database) == nil
            else { continue }
            try JobTable.enqueue(shown.resource.digest, isMovie: shown.isMovie, database)
        }
        let last: Int64? = rows.last?["key"]
        return (last, database.totalChangesCount - before)
    }
}
