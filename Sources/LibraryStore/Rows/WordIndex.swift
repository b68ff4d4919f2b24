/// The engine's search table `asset_word`: the words by which each asset is found, numbered as in `WordTable`.
protocol WordIndex: Sendable {
    /// The column with a row's number.
    var number: String { get }

    /// The statement that adds a row; its parameters are the number, and the words separated by spaces.
    var insertion: String { get }

    /// Whether rows are found as they are read, so that a search costs what is read of it.
    var findsAsRead: Bool { get }

    /// The condition on `asset_word` that each of these words is a prefix of one of the row's words.
    ///
    /// Words consist of letters and digits only.
    func matches(_ words: [String]) -> (sql: String, arguments: SQLArguments)

    /// A query that has a row if each of these words is a prefix of one of the words of the outer query's asset.
    func probe(_ words: [String]) -> (sql: String, arguments: SQLArguments)

    /// The same as a condition that reads the row of the outer query's asset, and no row of another.
    func test(_ words: [String]) -> (sql: String, arguments: SQLArguments)
}
