/// How an engine says what SQLite and PostgreSQL do not have in common.
protocol SQLDialect: Sendable {
    /// Its search for words.
    var words: any WordIndex { get }

    /// A byte string of no bytes, as a literal.
    var noBytes: String { get }

    /// Reads the rows of `asset` that have a place, by the index of places.
    var placesTable: String { get }

    /// A query of the byte strings in a parameter that is a JSON array of their hexadecimal digits.
    func bytes(in parameter: String) -> String

    /// A query of the integers in a parameter that is a JSON array of them.
    func integers(in parameter: String) -> String

    /// Whether a query of an ordered subquery has its order, although it names none.
    var keepsOrder: Bool { get }

    /// Ends a query whose rows are locked until the transaction ends.
    var locking: String { get }

    /// Ends a query whose rows are locked until the transaction ends, and which leaves out those that others have locked.
    var claiming: String { get }

    /// An inner join of which the engine reads the left side first, where it would otherwise not.
    var orderedJoin: String { get }

    /// The columns `turn` and `copy` of `upload`, or what stands for them where one server receives all uploads.
    var turnColumns: String { get }

    /// Whether a text contains a byte string's hexadecimal digits, in small letters.
    func contains(_ text: String, digitsOf bytes: String) -> String

    /// The whole part of a positive number.
    func whole(_ number: String) -> String

    /// A group's byte strings in hexadecimal, with commas between them.
    func list(_ bytes: String) -> String

    /// The engine's name and version, and what its server confirms: a `LibraryStatistics.Storage.Replication`, or null.
    var engine: String { get }

    /// A keyword as it is compared: canonically equivalent texts are one.
    func keyword(_ parameter: String) -> String
}
