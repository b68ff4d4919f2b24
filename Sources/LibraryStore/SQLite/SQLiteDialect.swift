import FoundationEssentials
import GRDB
import PhotoModel

/// SQLite's own SQL, and the functions and collations that the library's rows need.
struct SQLiteDialect: SQLDialect {
    var words: any WordIndex { SQLiteWordIndex() }

    var noBytes: String { "x''" }

    // Otherwise the planner uses the timeline's index, which has no places.
    var placesTable: String { "asset INDEXED BY asset_place" }

    func bytes(in parameter: String) -> String { "SELECT unhex_blob(value) FROM json_each(\(parameter))" }

    func integers(in parameter: String) -> String { "SELECT value FROM json_each(\(parameter))" }

    func text(_ field: String, of column: String) -> String { "\(column) ->> '\(field)'" }

    // It loops over a subquery with its own order and limit, and reads no more of it than needed.
    var keepsOrder: Bool { true }

    // SQLite has one writer, which holds every lock.
    var locking: String { "" }

    var claiming: String { "" }

    var orderedJoin: String { "CROSS JOIN" }

    // It plans by the indexes, and by statistics that it reads when it opens the schema.
    var keepsPlans: Bool { false }

    var documentByteCount: String { "length(CAST(document AS BLOB))" }

    var turnColumns: String { "0 AS turn, NULL AS copy" }

    func contains(_ text: String, digitsOf bytes: String) -> String { "instr(\(text), lower(hex(\(bytes)))) > 0" }

    func whole(_ number: String) -> String { "CAST(\(number) AS INTEGER)" }

    func list(_ bytes: String) -> String { "group_concat(hex(\(bytes)))" }

    var engine: String { "SELECT 'SQLite ' || sqlite_version() AS name, NULL AS replication" }

    // The column compares by `Keyword.collation`.
    func keyword(_ parameter: String) -> String { parameter }

    /// Adds the functions and collations to a connection.
    static func prepare(_ database: Database) {
        database.add(function: near)
        database.add(function: unhex)
        database.add(collation: Keyword.collation)
    }

    /// The function for `near`, with the evaluator's own arithmetic.
    private static let near = DatabaseFunction("tintype_near", argumentCount: 5, pure: true) { values in
        guard let latitude = Double.fromDatabaseValue(values[0]), let longitude = Double.fromDatabaseValue(values[1]),
            let place = Location(latitude: latitude, longitude: longitude),
            let centerLatitude = Double.fromDatabaseValue(values[2]),
            let centerLongitude = Double.fromDatabaseValue(values[3]),
            let center = Location(latitude: centerLatitude, longitude: centerLongitude),
            let radius = Double.fromDatabaseValue(values[4]),
            let circle = GeographicCircle(center: center, radiusMeters: radius)
        else { return false }
        return circle.contains(place)
    }

    /// SQLite has `unhex` since version 3.41; Debian 12 has 3.40.
    private static let unhex = DatabaseFunction("unhex_blob", argumentCount: 1, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]) else { return nil }
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        return Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

extension Keyword {
    /// Compares keywords in columns as the model does, so that canonically equivalent texts are one keyword.
    static let collation = DatabaseCollation("keyword") { left, right in
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
}

/// Words in FTS5.
private struct SQLiteWordIndex: WordIndex {
    var number: String { "rowid" }

    var findsAsRead: Bool { true }

    var insertion: String { "INSERT INTO asset_word (rowid, words) VALUES (?, ?)" }

    func matches(_ words: [String]) -> (sql: String, arguments: SQLArguments) {
        ("asset_word MATCH ?", [words.map { "\"\($0)\"*" }.joined(separator: " AND ")])
    }

    // The search table's content has the words separated by spaces.
    func probe(_ words: [String]) -> (sql: String, arguments: SQLArguments) {
        let second = WordTable.latestSecond
        let number = "(max(-\(second), min(\(second), local_date / 1000000)) * \(WordTable.keyMask + 1) + key)"
        let conditions = words.map { _ in " AND instr(' ' || c0, ' ' || ?) > 0" }.joined()
        return (
            "SELECT 1 FROM asset_word_content WHERE asset_word_content.id = \(number)" + conditions,
            SQLArguments(words)
        )
    }

    func test(_ words: [String]) -> (sql: String, arguments: SQLArguments) {
        let probe = probe(words)
        return ("EXISTS (\(probe.sql))", probe.arguments)
    }
}
