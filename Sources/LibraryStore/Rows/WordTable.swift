/// The words by which assets are found, in the search table `asset_word`.
///
/// Rows are numbered so that a search returns assets in capture order, and reads only as many as a page needs: the
/// second of the local date and, in the lower 29 bits, the asset's key. Captures before 1697 or after 2242 are numbered
/// as in those years, which makes them slower to find, but in the same order. Only one cost grows with the number of
/// assets that have a word: for a prefix of more than three letters FTS5 merges the lists of all matching words, some
/// 50 ns per asset.
enum WordTable {
    private static let keyBitCount = 29
    static let keyMask: Int64 = 1 << keyBitCount - 1
    static let latestSecond: Int64 = 1 << 33 - 1

    /// The second by which a capture's row is numbered.
    static func second(ofCapture microseconds: Int64) -> Int64 {
        max(-latestSecond, min(latestSecond, microseconds / 1_000_000))
    }

    /// The second of a row.
    static func second(ofRow number: Int64) -> Int64 { number >> keyBitCount }

    /// The asset's key in a row's number.
    static func key(ofRow number: Int64) -> Int64 { number & keyMask }

    /// The range of row numbers of a second.
    static func rows(ofSecond second: Int64) -> ClosedRange<Int64> {
        let first = second << keyBitCount
        return first...(first | keyMask)
    }

    /// Makes an asset findable by exactly these words, separated by spaces.
    ///
    /// - Parameters:
    ///   - words: the words; empty for none.
    ///   - key: the asset's key.
    ///   - capture: its local date in microseconds, now and before; nil if it had no row.
    ///   - database: the database.
    /// - Throws: the database's error.
    static func save(
        _ words: String,
        of key: Int64,
        capturedAt capture: (now: Int64, before: Int64?),
        _ database: any SQLSession
    ) throws {
        if let before = capture.before { try remove(key, capturedAt: before, database) }
        guard !words.isEmpty else { return }
        try database.statement(database.dialect.words.insertion)
            .execute([row(of: key, capturedAt: capture.now), words])
    }

    /// Removes an asset from the search.
    ///
    /// - Parameters:
    ///   - key: the asset's key.
    ///   - capture: its local date in microseconds.
    ///   - database: the database.
    /// - Throws: the database's error.
    static func remove(_ key: Int64, capturedAt capture: Int64, _ database: any SQLSession) throws {
        try database.statement("DELETE FROM asset_word WHERE \(database.dialect.words.number) = ?")
            .execute([row(of: key, capturedAt: capture)])
    }

    /// The keys of the assets with words that begin with all of these; without words, none.
    static func keys(matching words: [String], _ dialect: any SQLDialect) -> (sql: String, arguments: SQLArguments) {
        guard !words.isEmpty else { return FilterSQL.nobody }
        let search = dialect.words.matches(words)
        return ("SELECT \(dialect.words.number) & \(keyMask) FROM asset_word WHERE \(search.sql)", search.arguments)
    }

    private static func row(of key: Int64, capturedAt capture: Int64) throws -> Int64 {
        guard 0...keyMask ~= key else { throw RowDamage("an asset's key of more than \(keyBitCount) bits") }
        return second(ofCapture: capture) << keyBitCount | key
    }
}
