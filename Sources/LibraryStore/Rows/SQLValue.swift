import FoundationEssentials

/// A column's value, or a statement's argument.
///
/// Booleans are the integers 0 and 1, both in columns and as arguments, since SQLite has no others.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes(Data)
}

/// A type that can be a statement's argument.
protocol SQLEncodable {
    /// The value for the engine.
    var sqlValue: SQLValue { get }
}

/// A type that can be read from a column.
protocol SQLDecodable {
    /// Decodes a value; nil if it has another type. Only optionals accept null.
    init?(sqlValue: SQLValue)
}

extension SQLValue: SQLEncodable, SQLDecodable {
    var sqlValue: SQLValue { self }

    init?(sqlValue: SQLValue) { self = sqlValue }
}

extension Int64: SQLEncodable, SQLDecodable {
    var sqlValue: SQLValue { .integer(self) }

    init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self = value
    }
}

extension Int: SQLEncodable, SQLDecodable {
    var sqlValue: SQLValue { .integer(Int64(self)) }

    init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(exactly: value)
    }
}

extension Bool: SQLEncodable, SQLDecodable {
    var sqlValue: SQLValue { .integer(self ? 1 : 0) }

    init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self = value != 0
    }
}

extension Double: SQLEncodable, SQLDecodable {
    var sqlValue: SQLValue { .real(self) }

    init?(sqlValue: SQLValue) {
        switch sqlValue {
        case .real(let value): self = value
        case .integer(let value): self.init(value)
        case .null, .text, .bytes: return nil
        }
    }
}

extension String: SQLEncodable, SQLDecodable {
    var sqlValue: SQLValue { .text(self) }

    init?(sqlValue: SQLValue) {
        guard case .text(let value) = sqlValue else { return nil }
        self = value
    }
}

extension Data: SQLEncodable, SQLDecodable {
    var sqlValue: SQLValue { .bytes(self) }

    init?(sqlValue: SQLValue) {
        guard case .bytes(let value) = sqlValue else { return nil }
        self = value
    }
}

extension Optional: SQLEncodable where Wrapped: SQLEncodable {
    var sqlValue: SQLValue { self?.sqlValue ?? .null }
}

extension Optional: SQLDecodable where Wrapped: SQLDecodable {
    init?(sqlValue: SQLValue) {
        if case .null = sqlValue {
            self = .none
        } else if let value = Wrapped(sqlValue: sqlValue) {
            self = .some(value)
        } else {
            return nil
        }
    }
}

/// The arguments of a statement, in the order of its parameters.
struct SQLArguments: ExpressibleByArrayLiteral, Sendable {
    /// The arguments' values.
    private(set) var values: [SQLValue]

    /// Takes any values.
    init(_ values: [(any SQLEncodable)?]) { self.values = values.map { $0?.sqlValue ?? .null } }

    init(arrayLiteral elements: (any SQLEncodable)?...) { values = elements.map { $0?.sqlValue ?? .null } }

    /// Concatenates the arguments of two parts of a statement's text.
    static func + (left: SQLArguments, right: SQLArguments) -> SQLArguments {
        var sum = left
        sum += right
        return sum
    }

    /// Appends the arguments of the text's next part.
    static func += (left: inout SQLArguments, right: SQLArguments) { left.values += right.values }
}
