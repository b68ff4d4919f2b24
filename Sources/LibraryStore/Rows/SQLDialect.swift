/// The SQL that differs between SQLite and PostgreSQL.
protocol SQLDialect: Sendable {
    /// Its search for words.
    var words: any WordIndex { get }

    /// An empty byte string, as a literal.
    var noBytes: String { get }

    /// The rows of `asset` that have a place, read by the index of places.
    var placesTable: String { get }

    /// A query for the byte strings of a parameter, which is a JSON array of hexadecimal texts.
    func bytes(in parameter: String) -> String

    /// A query for the integers of a parameter, which is a JSON array.
    func integers(in parameter: String) -> String

    /// Whether a query on an ordered subquery keeps its order without an ORDER BY.
    var keepsOrder: Bool { get }

    /// The text of a field of a JSON column; nil if it has none.
    func text(_ field: String, of column: String) -> String

    /// The suffix of a query whose rows stay locked until the transaction ends.
    var locking: String { get }

    /// The suffix of a query that locks its rows until the transaction ends, and skips rows locked by others.
    var claiming: String { get }

    /// An inner join whose left side the engine reads first, if it needs to be told.
    var orderedJoin: String { get }

    /// Whether the engine keeps a prepared statement's plan, from when its tables may have been empty.
    var keepsPlans: Bool { get }

    /// The columns `turn` and `copy` of `upload`, or constants if one server receives all uploads.
    var turnColumns: String { get }

    /// Whether a text contains a byte string's hexadecimal digits, in lower case.
    func contains(_ text: String, digitsOf bytes: String) -> String

    /// The whole part of a positive number.
    func whole(_ number: String) -> String

    /// A group's byte strings in hexadecimal, separated by commas.
    func list(_ bytes: String) -> String

    /// The engine's name and version, and its replication: a `LibraryStatistics.Storage.Replication`, or null.
    var engine: String { get }

    /// The bytes of an asset's document, or about as many.
    var documentByteCount: String { get }

    /// A keyword in the form in which it is compared: canonically equivalent texts are equal.
    func keyword(_ parameter: String) -> String
}
