/// The rows of the assets with certain words, in capture order, read as far as they are asked for.
///
/// An engine that finds rows as they are read gets one statement. One that finds them all before the first is returned
/// gets statements with a limit, each for twice as many rows as the one before: it then reads common words in the list's
/// order, and looks up rare ones.
struct WordSearch {
    private let words: [String]
    private let isAscending: Bool
    private let database: any SQLSession
    private var rows: any SQLCursor
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
        (self.words, self.isAscending, self.database, last) = (words, isAscending, database, bound)
        limit = database.dialect.words.findsAsRead ? nil : firstCount
        rows = try WordTable.search(for: words, from: bound, isAscending: isAscending, atMost: limit, database)
    }

    /// The next row's number; nil after the last one.
    ///
    /// - Throws: the database's error.
    mutating func next() throws -> Int64? {
        if count == limit {
            let bound = isAscending ? last + 1 : last - 1
            (limit, count) = (limit.map { $0 * 2 }, 0)
            rows = try WordTable.search(for: words, from: bound, isAscending: isAscending, atMost: limit, database)
        }
        guard try rows.next(), let number = Int64(sqlValue: rows.value(at: 0)) else { return nil }
        count += 1
        last = number
        return number
    }
}
