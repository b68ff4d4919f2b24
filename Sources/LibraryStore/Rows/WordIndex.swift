/// The engine's search table `asset_word`: which words each asset is found by, in the numbering of `WordTable`.
protocol WordIndex: Sendable {
    /// The column with a row's number.
    var number: String { get }

    /// The statement that adds a row; its parameters are the number, and the words with a space between them.
    var insertion: String { get }

    /// The condition on `asset_word` that each of these words begins one of the row's words.
    ///
    /// Words hold letters and digits only.
    func matches(_ words: [String]) -> (sql: String, arguments: SQLArguments)

    /// A query that has a row if each of these words begins one of the words of the outer query's asset.
    func probe(_ words: [String]) -> (sql: String, arguments: SQLArguments)
}
