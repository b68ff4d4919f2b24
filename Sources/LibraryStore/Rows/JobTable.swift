import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel

/// The rows of work on originals and its results.
enum JobTable {
    /// An original's derivatives; nil if it has none.
    static func derivative(_ digest: ContentDigest, _ database: any SQLSession) throws -> Derivative? {
        let statement = try database.statement(
            """
            SELECT width, height, duration, codec, thumb_hash, small_byte_count, large_byte_count
            FROM derivative WHERE digest = ?
            """
        )
        return try statement.row([digest.blob]).map { row in
            let hash: Data? = try row["thumb_hash"]
            return Derivative(
                digest: digest,
                pixelSize: PixelSize(width: try row["width"], height: try row["height"]),
                durationMilliseconds: try row["duration"],
                codec: try row["codec"],
                thumbHash: hash.flatMap { ThumbHash(bytes: Array($0)) },
                byteCounts: [try row["small_byte_count"], try row["large_byte_count"]]
            )
        }
    }

    /// Schedules an original's job; changes no row if it has one.
    static func enqueue(_ digest: ContentDigest, isMovie: Bool, _ database: any SQLSession) throws {
        try database.statement("INSERT INTO job (digest, is_movie) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .execute([digest.blob, isMovie])
    }

    /// Adds the known facts about an asset's shown original, or schedules the original's job.
    static func describe(_ asset: inout Asset, _ database: any SQLSession) throws {
        guard let (resource, isMovie) = asset.shownResource else { return }
        guard let derivative = try derivative(resource.digest, database) else {
            asset.thumbHash = nil
            try enqueue(resource.digest, isMovie: isMovie, database)
            return
        }
        asset.thumbHash = derivative.thumbHash
        asset.pixelSize = derivative.pixelSize
        if isMovie, let milliseconds = derivative.durationMilliseconds {
            asset.duration = .milliseconds(milliseconds)
        }
    }

    /// Stores a result.
    static func save(_ derivative: Derivative, at time: WallTime, _ database: any SQLSession) throws {
        try database.statement(
            """
            INSERT INTO derivative
                (digest, width, height, duration, codec, thumb_hash, small_byte_count, large_byte_count, made)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (digest) DO UPDATE SET
                width = excluded.width, height = excluded.height, duration = excluded.duration,
                codec = excluded.codec, thumb_hash = excluded.thumb_hash,
                small_byte_count = excluded.small_byte_count, large_byte_count = excluded.large_byte_count,
                made = excluded.made
            """
        ).execute([
            derivative.digest.blob, derivative.pixelSize.width, derivative.pixelSize.height,
            derivative.durationMilliseconds, derivative.codec, derivative.thumbHash.map { Data($0.bytes) },
            derivative.byteCounts.first ?? 0, derivative.byteCounts.last ?? 0, time.microsecondsSince1970,
        ])
    }

    /// The next assets with an original among their resources, by their keys.
    static func assets(
        with digest: ContentDigest,
        after key: Int64,
        atMost count: Int,
        _ database: any SQLSession
    ) throws -> [(key: Int64, id: AssetID)] {
        let statement = try database.statement(
            """
            SELECT DISTINCT resource.asset AS number, asset.id AS id
            FROM resource JOIN asset ON asset.key = resource.asset
            WHERE digest = ? AND resource.asset > ? ORDER BY number LIMIT ?
            """
        )
        return try statement.rows([digest.blob, key, count]).map { row in
            (key: try row["number"], id: try AssetID(blob: row["id"]))
        }
    }

    /// An original's job; nil if it has none.
    static func job(of digest: ContentDigest, _ database: any SQLSession) throws -> JobSummary? {
        try database.row("SELECT \(columns) FROM job WHERE digest = ?", [digest.blob]).map(summary)
    }

    /// A dead job's place in the order of retries; by default before all.
    struct Place: Sendable {
        var priority = Int64.max
        var id: Int64 = 0
    }

    /// Makes a job due as if it had never been tried.
    static let retry = """
        UPDATE job SET state = 'waiting', attempts = 0, deaths = 0, due = 0, is_leased = 0, reason = NULL WHERE id = ?
        """

    /// The first dead jobs after a place, found by the index of states.
    static func dead(after place: Place, atMost count: Int, _ database: any SQLSession) throws -> [Place] {
        try database.rows(
            """
            SELECT id, priority FROM job WHERE state = 'dead' AND (priority < ?1 OR (priority = ?1 AND id > ?2))
            ORDER BY priority DESC, id LIMIT ?3\(database.dialect.locking)
            """,
            [place.priority, place.id, count]
        ).map { Place(priority: try $0["priority"], id: try $0["id"]) }
    }

    static let columns = "id, digest, state, priority, attempts, deaths, due, reason"

    /// A row of `columns` for the administrator.
    static func summary(_ row: SQLRow) throws -> JobSummary {
        let text: String = try row["state"]
        guard let state = JobState(rawValue: text) else { throw RowDamage("a job in state \(text)") }
        return JobSummary(
            id: JobID(rawValue: try row["id"]),
            digest: try ContentDigest(blob: row["digest"]),
            state: state,
            priority: try row["priority"],
            attempts: try row["attempts"],
            workerDeaths: try row["deaths"],
            due: WallTime(microsecondsSince1970: try row["due"]),
            reason: try row["reason"]
        )
    }
}
