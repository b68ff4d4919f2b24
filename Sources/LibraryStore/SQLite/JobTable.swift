import FoundationEssentials
import GRDB
import LibraryAPI
import Persistence
import PhotoModel

/// The rows of work on originals and its results.
enum JobTable {
    /// What was derived from an original; nil if nothing was.
    static func derivative(_ digest: ContentDigest, _ database: Database) throws -> Derivative? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT width, height, duration, codec, thumb_hash, small_byte_count, large_byte_count
                FROM derivative WHERE digest = ?
                """
        )
        return try Row.fetchOne(statement, arguments: [digest.blob]).map { row in
            let hash: Data? = row["thumb_hash"]
            return Derivative(
                digest: digest,
                pixelSize: PixelSize(width: row["width"], height: row["height"]),
                durationMilliseconds: row["duration"],
                codec: row["codec"],
                thumbHash: hash.flatMap { ThumbHash(bytes: Array($0)) },
                byteCounts: [row["small_byte_count"], row["large_byte_count"]]
            )
        }
    }

    /// Schedules an original's job, unless it has one.
    static func enqueue(_ digest: ContentDigest, isMovie: Bool, _ database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO job (digest, is_movie) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .execute(arguments: [digest.blob, isMovie])
    }

    /// Adds the known facts about an asset's shown original, or schedules the original's job.
    static func describe(_ asset: inout Asset, _ database: Database) throws {
        guard let (resource, isMovie) = asset.shownResource else { return }
        guard let derivative = try derivative(resource.digest, database) else {
            asset.thumbHash = nil
            return try enqueue(resource.digest, isMovie: isMovie, database)
        }
        asset.thumbHash = derivative.thumbHash
        asset.pixelSize = derivative.pixelSize
        if isMovie, let milliseconds = derivative.durationMilliseconds {
            asset.duration = .milliseconds(milliseconds)
        }
    }

    /// Stores a result.
    static func save(_ derivative: Derivative, at time: WallTime, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO derivative
                    (digest, width, height, duration, codec, thumb_hash, small_byte_count, large_byte_count, made)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            derivative.digest.blob, derivative.pixelSize.width, derivative.pixelSize.height,
            derivative.durationMilliseconds, derivative.codec, derivative.thumbHash.map { Data($0.bytes) },
            derivative.byteCounts.first ?? 0, derivative.byteCounts.last ?? 0, time.microsecondsSince1970,
        ])
    }

    /// The assets that have an original among their resources.
    static func assets(with digest: ContentDigest, _ database: Database) throws -> [AssetID] {
        let statement = try database.cachedStatement(
            sql: "SELECT DISTINCT asset.id FROM resource JOIN asset ON asset.key = resource.asset WHERE digest = ?"
        )
        return try Data.fetchAll(statement, arguments: [digest.blob]).map(AssetID.init(blob:))
    }

    /// An original's job; nil if it has none.
    static func job(of digest: ContentDigest, _ database: Database) throws -> JobSummary? {
        try Row.fetchOne(
            database,
            sql: "SELECT \(columns) FROM job WHERE digest = ?",
            arguments: [digest.blob]
        ).map(summary)
    }

    static let columns = "id, digest, state, priority, attempts, deaths, due, reason"

    /// A row of `columns` for the administrator.
    static func summary(_ row: Row) throws -> JobSummary {
        let text: String = row["state"]
        guard let state = JobState(rawValue: text) else { throw RowDamage("a job in state \(text)") }
        return JobSummary(
            id: JobID(rawValue: row["id"]),
            digest: try ContentDigest(blob: row["digest"]),
            state: state,
            priority: row["priority"],
            attempts: row["attempts"],
            workerDeaths: row["deaths"],
            due: WallTime(microsecondsSince1970: row["due"]),
            reason: row["reason"]
        )
    }
}
