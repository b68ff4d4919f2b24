package import Authorization
import FoundationEssentials
package import LibraryAPI
import Persistence
package import PhotoModel

extension SQLMetadataStore {
    /// Claims due jobs.
    package func claimJobs(limit: Int, lease: Duration, onlyAwaited: Bool) async throws -> [MediaJob] {
        let now = effects.now()
        // If several servers claim jobs, the others free a dead one's.
        let holder = duties.server.map { ", holder = \($0)" } ?? ""
        let priority = onlyAwaited ? 1 : 0
        // Checked by a reader first: an empty queue must not take the writer's turn.
        let isIdle = try await store.read { database in
            try Self.isPaused(database) || Self.dueJobs(limit: 1, at: now, priority, database).isEmpty
        }
        guard !isIdle else { return [] }
        let claims = await together([limit], []) { limit, database in
            try Self.dueJobs(limit: limit, at: now, priority, isClaim: true, database).compactMap { row -> MediaJob? in
                let id: Int64 = try row["id"]
                let digest = try ContentDigest(blob: row["digest"])
                guard let content = try CommitTable.contentRow(digest, database) else {
                    // Purged meanwhile: nothing is pending any more.
                    try database.execute("DELETE FROM job WHERE id = ?", [id])
                    return nil
                }
                let attempts = (try row["attempts"] as Int).clamped(to: 0...1 << 30) + 1
                try database.statement("UPDATE job SET attempts = ?, due = ?, is_leased = 1\(holder) WHERE id = ?")
                    .execute([attempts, now.advanced(by: lease).microsecondsSince1970, id])
                return MediaJob(
                    id: JobID(rawValue: id),
                    address: content.address,
                    isMovie: try row["is_movie"],
                    attempts: attempts,
                    deaths: try row["deaths"]
                )
            }
        }
        return try claims[0].get()
    }

    private static func isPaused(_ database: any SQLSession) throws -> Bool {
        try database.value(Bool.self, "SELECT is_paused FROM job_control") ?? false
    }

    private static func dueJobs(
        limit: Int,
        at now: WallTime,
        _ lowestPriority: Int,
        isClaim: Bool = false,
        _ database: any SQLSession
    ) throws -> [SQLRow] {
        try database.rows(
            """
            SELECT id, digest, is_movie, attempts, deaths FROM job
            WHERE state = 'waiting' AND priority >= ? AND due <= ? ORDER BY priority DESC, id LIMIT ?\(isClaim ? database.dialect.claiming : "")
            """,
            [lowestPriority, now.microsecondsSince1970, limit]
        )
    }

    /// Makes every job claimed by an earlier process due again.
    package func releaseJobs() async throws {
        guard duties.server == nil else { return }
        try await store.write([]) { database in
            try database.execute("UPDATE job SET due = 0, is_leased = 0 WHERE is_leased = 1")
        }
    }

    /// Completes jobs with their results.
    ///
    /// Any number of assets may have the same original: what does not fit into a first turn of the writer follows in
    /// others, and the job ends with the last one. If one fails, or the server stops, the job is due again.
    package func finish(_ finished: [FinishedJob]) async -> [Result<Void, any Error>] {
        let begun = await together(finished, [.library]) { item, database in
            try JobTable.save(item.derivative, at: effects.now(), database)
            return try describe(item, after: 0, database)
        }
        var results: [Result<Void, any Error>] = []
        for (item, outcome) in zip(finished, begun) {
            do {
                var last = try outcome.get()
                while let key = last {
                    // Others waiting for the writer get their turn in between.
                    last = try await store.write([.library]) { try describe(item, after: key, $0) }
                }
                results.append(.success(()))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    /// Tells the next assets that show an original what was found about it, and ends the job after the last ones.
    ///
    /// - Returns: the key of the last asset; nil if there are no more.
    private func describe(_ item: FinishedJob, after key: Int64, _ database: any SQLSession) throws -> Int64? {
        let digest = item.derivative.digest
        let found = try JobTable.assets(with: digest, after: key, atMost: turns.describedAssets, database)
        for (_, id) in found {
            guard let asset = try AssetTable.fetch(id, database), asset.shownResource?.resource.digest == digest
            else { continue }
            var described = asset
            try JobTable.describe(&described, database)
            guard described != asset else { continue }
            try AssetTable.save(described, database)
            try EntityTable.touch(.asset(id), database)
        }
        guard found.count < turns.describedAssets else { return found.last?.key }
        try database.statement("DELETE FROM job WHERE id = ?").execute([item.id.rawValue])
        return nil
    }

    /// Records a job's failure.
    package func fail(_ job: JobID, _ failure: JobFailure) async throws -> JobState {
        let now = effects.now()
        return try await store.write([]) { database in
            let sql = "SELECT attempts, deaths FROM job WHERE id = ?"
            let row = try database.row(sql, [job.rawValue]).orNotFound(job)
            let deaths = (try row["deaths"] as Int).clamped(to: 0...1 << 30)
            let verdict = JobPolicy.verdict(failure.cause, attempts: try row["attempts"], deaths: deaths)
            try database.execute(
                """
                UPDATE job SET state = ?, attempts = ?, deaths = ?, due = ?, is_leased = 0, reason = ? WHERE id = ?
                """,
                [
                    verdict.state.rawValue, verdict.attempts, verdict.deaths,
                    now.advanced(by: verdict.delay).microsecondsSince1970, failure.reason, job.rawValue,
                ]
            )
            return verdict.state
        }
    }

    /// Schedules an original's thumbnails with top priority.
    ///
    /// A reader looks first: whoever waits for a thumbnail asks again and again, and only the first time changes a row.
    package func raiseJob(for asset: AssetID) async throws -> JobSummary? {
        let known = try await store.read { database -> JobSummary? in
            guard let shown = try AssetTable.fetch(asset, database)?.shownResource else { return nil }
            return try JobTable.job(of: shown.resource.digest, database)
        }
        if let known, known.state != .waiting || known.priority > 0 { return known }
        defer { signals.tell(.jobs) }
        return try await store.write([]) { database in
            guard let shown = try AssetTable.fetch(asset, database)?.shownResource else { return nil }
            let digest = shown.resource.digest
            try JobTable.enqueue(digest, isMovie: shown.isMovie, database)
            try database.execute("UPDATE job SET priority = 1 WHERE digest = ? AND state = 'waiting'", [digest.blob])
            return try JobTable.job(of: digest, database)
        }
    }

    /// An original's job.
    package func job(of digest: ContentDigest) async throws -> JobSummary? {
        try await store.read { try JobTable.job(of: digest, $0) }
    }

    /// One page of jobs.
    package func jobs(_ state: JobState?, after job: JobID?, limit: Int) async throws -> JobPage {
        try await store.read { database in
            let rows = try database.rows(
                """
                SELECT \(JobTable.columns) FROM job WHERE id > ?1 AND state = coalesce(?2, state)
                ORDER BY id LIMIT ?3
                """,
                [job?.rawValue ?? 0, state?.rawValue, limit + 1]
            )
            let jobs = try rows.prefix(limit).map(JobTable.summary)
            let counts = try database.rows("SELECT state, count(*) AS count FROM job GROUP BY state")
            return JobPage(
                jobs: jobs,
                next: rows.count > limit ? jobs.last?.id : nil,
                isPaused: try Self.isPaused(database),
                counts: Dictionary(
                    try counts.map { (try $0["state"] as String, try $0["count"] as Int) },
                    uniquingKeysWith: +
                )
            )
        }
    }

    /// Pauses or resumes the queue.
    package func setJobsPaused(_ isPaused: Bool, audit: AuditEntry.Content) async throws {
        defer { if !isPaused { signals.tell(.jobs) } }
        try await store.write([.library]) { database in
            try database.execute("UPDATE job_control SET is_paused = ?", [isPaused])
            try AuditTable(database: database, chain: chain).append(audit, at: effects.now())
        }
    }

    /// Retries a job, or all dead ones once each, in as many writer turns as that needs.
    package func retryJobs(_ job: JobID?, audit: AuditEntry.Content) async throws -> Int {
        defer { signals.tell(.jobs) }
        if let job { return try await retry(job, audit) }
        var count = 0
        var last = JobTable.Place()
        while true {
            let isFirst = count == 0
            // Others waiting for the writer get their turn in between. Jobs that die meanwhile stay dead.
            let dead = try await store.write(isFirst ? [.library] : []) { [last, width = turns.retriedJobs] database in
                let jobs = try JobTable.dead(after: last, atMost: width, database)
                let statement = try database.statement(JobTable.retry)
                for job in jobs { try statement.execute([job.id]) }
                if isFirst, !jobs.isEmpty {
                    try AuditTable(database: database, chain: chain).append(audit, at: effects.now())
                }
                return jobs
            }
            count += dead.count
            guard dead.count == turns.retriedJobs, let end = dead.last else { return count }
            last = end
        }
    }

    private func retry(_ job: JobID, _ audit: AuditEntry.Content) async throws -> Int {
        try await store.write([.library]) { database in
            try database.execute("\(JobTable.retry) AND state <> 'waiting'", [job.rawValue])
            let count = try database.changesCount
            if count > 0 { try AuditTable(database: database, chain: chain).append(audit, at: effects.now()) }
            return count
        }
    }

    /// An original's derivatives.
    package func derivative(_ digest: ContentDigest) async throws -> Derivative? {
        try await store.read { try JobTable.derivative(digest, $0) }
    }

    /// Originals with derivatives that no asset uses any more.
    package func orphanedDerivatives(limit: Int) async throws -> [ContentDigest] {
        try await store.read { database in
            try database.values(
                Data.self,
                """
                SELECT digest FROM derivative
                WHERE NOT EXISTS (SELECT 1 FROM resource WHERE resource.digest = derivative.digest) LIMIT ?
                """,
                [limit]
            ).map(ContentDigest.init(blob:))
        }
    }

    /// Forgets the derivatives of originals.
    package func removeDerivatives(_ digests: [ContentDigest]) async throws {
        try await store.write([]) { database in
            for digest in digests {
                try database.execute("DELETE FROM derivative WHERE digest = ?", [digest.blob])
            }
        }
    }

    /// Schedules a job for every original without thumbnails.
    package func fillJobs() async throws -> Int {
        defer { signals.tell(.jobs) }
        var key: Int64? = 0
        var added = 0
        while let start = key {
            let page = try await store.write([]) { try Self.fillPage(after: start, $0) }
            key = page.last
            added += page.added
        }
        return added
    }

    /// Schedules the jobs of some assets; returns the last one's key, nil if there were none.
    private static func fillPage(after key: Int64, _ database: any SQLSession) throws -> (last: Int64?, added: Int) {
        let rows = try database.rows("SELECT key, document FROM asset WHERE key > ? ORDER BY key LIMIT 500", [key])
        var added = 0
        for row in rows {
            let asset = try JSONColumn.decode(row["document"], as: Asset.self)
            guard let shown = asset.shownResource,
                try JobTable.derivative(shown.resource.digest, database) == nil
            else { continue }
            try JobTable.enqueue(shown.resource.digest, isMovie: shown.isMovie, database)
            if try database.changesCount > 0 { added += 1 }
        }
        let last: Int64? = try rows.last?["key"]
        return (last, added)
    }
}
