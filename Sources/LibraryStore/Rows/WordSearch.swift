/// The rows of the assets with certain words, in capture order, read as far as they are asked for.
///
/// An engine that finds rows as they are read gets one statement. One that finds them all before the first is returned
/// gets statements with a limit, each for twice as many rows as the one before: it then reads common words in the list's
/// order, and looks up rare ones.
struct WordSearch {
    /// The query for the rows from a position on, which is the last argument.
    private let query: (sql: String, arguments: SQLArguments)
    private let isAscending: Bool
    private let database: any SQLSession
    private var rows: (any SQLCursor)?
    /// The most rows of the current statement; nil for all.
    private var limit: Int?
    /// The rows of the current statement that were read.
    private var count = 0
    private var last: Int64

    /// - Parameters:
    ///   - words: the words, at least one.
    ///   - bound: the first row to return.
    ///   - isAscending: whether the earliest capture comes first.
    ///   - firstCount: the most rows of the first statement, if the engine needs a limit.
    ///   - database: the database.
    /// - Throws: the database's error.
    init(
        for words: [String],
        from bound: Int64,
        isAscending: Bool,
        firstCount: Int,
        _ database: any SQLSession
    ) throws {
        let number = database.dialect.words.number
        let search = database.dialect.words.matches(words)
        let sql = """
            SELECT \(number) FROM asset_word WHERE \(search.sql) AND \(number) \(isAscending ? ">=" : "<=") ?
            ORDER BY \(number) \(isAscending ? "ASC" : "DESC")
            """
        query = (sql, search.arguments)
        (self.isAscending, self.database, last) = (isAscending, database, bound)
        limit = database.dialect.words.findsAsRead ? nil : firstCount
        rows = try read(from: bound)
    }

    private func read(from bound: Int64) throws -> any SQLCursor {
        let sql = query.sql + (limit.map { " LIMIT \($0)" } ?? "")
        return try database.statement(sql).cursor(query.arguments + [bound])
    }

    /// The next row's number; nil after the last one.
    ///
    /// - Throws: the database's error.
    mutating func next() throws -> Int64? {
        if count == limit {
            (limit, count) = (limit.map { $0 * 2 }, 0)
            rows = try read(from: isAscending ? last + 1 : last - 1)
        }
        guard let rows, try rows.next(), let number = Int64(sqlValue: rows.value(at: 0)) else { return nil }
        count += 1
        last = number
        return number
    }
}
