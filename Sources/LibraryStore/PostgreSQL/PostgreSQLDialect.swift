/// PostgreSQL's own SQL.
///
/// A parameter whose type the server would infer as other than text is first cast to text: arguments are sent in
/// binary.
struct PostgreSQLDialect: SQLDialect {
    var words: any WordIndex { PostgreSQLWordIndex() }

    var noBytes: String { "CAST('' AS BYTEA)" }

    var placesTable: String { "asset" }

    func bytes(in parameter: String) -> String {
        "SELECT decode(element, 'hex') FROM json_array_elements_text(CAST(\(parameter) AS JSON)) AS element"
    }

    func integers(in parameter: String) -> String {
        "SELECT CAST(element AS BIGINT) FROM json_array_elements_text(CAST(\(parameter) AS JSON)) AS element"
    }

    // It reads no field of a document with a NUL in any text, as earlier versions stored them.
    func text(_ field: String, of column: String) -> String {
        "CAST(replace(CAST(\(column) AS TEXT), '\\u0000', '\\u0020') AS JSON) ->> '\(field)'"
    }

    // It may join a subquery by hashing.
    var keepsOrder: Bool { false }

    var locking: String { " FOR UPDATE" }

    var claiming: String { " FOR UPDATE SKIP LOCKED" }

    // Its planner knows how few rows the left side has.
    var orderedJoin: String { "JOIN" }

    var keepsPlans: Bool { true }

    // Documents are stored uncompressed, and outside of the row if they are long.
    var documentByteCount: String { "CAST(pg_column_size(document) AS BIGINT)" }

    var turnColumns: String { "turn, copy" }

    /// Now, in microseconds since 1970, by the clock shared by all servers of a library.
    ///
    /// The transaction's start would be older than the locks it waited for.
    static let now = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"

    func contains(_ text: String, digitsOf bytes: String) -> String {
        "position(encode(\(bytes), 'hex') IN \(text)) > 0"
    }

    func whole(_ number: String) -> String { "CAST(trunc(\(number)) AS BIGINT)" }

    func list(_ bytes: String) -> String { "string_agg(upper(encode(\(bytes), 'hex')), ',')" }

    var engine: String {
        """
        SELECT 'PostgreSQL ' || current_setting('server_version') AS name,
            CASE WHEN current_setting('synchronous_standby_names') <> '' THEN 'synchronous'
                WHEN EXISTS (SELECT 1 FROM pg_stat_replication) THEN 'asynchronous' ELSE 'none' END AS replication
        """
    }

    func keyword(_ parameter: String) -> String { "normalize(CAST(\(parameter) AS TEXT), NFC)" }

    /// A text's words separated by spaces, as stored.
    static func words(in text: String) -> String {
        """
        array_to_tsvector(ARRAY(
            SELECT left(word, \(PostgreSQLWordIndex.maximumCharacterCount)) FROM string_to_table(\(text), ' ') AS word
            WHERE word <> ''))
        """
    }
}

/// Words as a `tsvector` behind a GIN index.
///
/// A lexeme has at most 2,046 bytes: of longer words only the first 500 characters count.
private struct PostgreSQLWordIndex: WordIndex {
    static let maximumCharacterCount = 500

    var number: String { "number" }

    var findsAsRead: Bool { false }

    var insertion: String { "INSERT INTO asset_word (number, words) VALUES (?, \(PostgreSQLDialect.words(in: "?")))" }

    func matches(_ words: [String]) -> (sql: String, arguments: SQLArguments) {
        let query = words.map { "'\(String($0.unicodeScalars.prefix(Self.maximumCharacterCount)))':*" }
        return ("words @@ CAST(CAST(? AS TEXT) AS TSQUERY)", [query.joined(separator: " & ")])
    }

    func probe(_ words: [String]) -> (sql: String, arguments: SQLArguments) {
        let search = matches(words)
        return ("SELECT 1 FROM asset_word WHERE number = \(Self.row) AND \(search.sql)", search.arguments)
    }

    // In a WHERE clause the search could be answered by the index of words, or be made into a join.
    func test(_ words: [String]) -> (sql: String, arguments: SQLArguments) {
        let search = matches(words)
        return (
            "coalesce((SELECT \(search.sql) FROM asset_word WHERE number = \(Self.row)), FALSE)", search.arguments
        )
    }

    /// The number of the row of the outer query's asset.
    private static let row = """
        (greatest(-\(WordTable.latestSecond), least(\(WordTable.latestSecond), local_date / 1000000)) \
        * \(WordTable.keyMask + 1) + key)
        """
}
