import LibraryAPI

/// Reads a query's items by name, and refuses what nobody asked for.
struct AdminQuery {
    private var items: [String: String]

    init(_ call: Call) throws {
        items = Dictionary(try call.query().map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// An item as its type; nil when it is missing.
    ///
    /// - Throws: `request.malformed` for a text that is none.
    mutating func value<Value: LosslessStringConvertible>(_ name: String, _ type: Value.Type) throws -> Value? {
        guard let text = items.removeValue(forKey: name) else { return nil }
        guard let value = Value(text) else {
            throw ProblemDetails(.malformedRequest, "The query's “\(name)” cannot be read.", field: name)
        }
        return value
    }

    /// How many entries are wanted.
    ///
    /// - Throws: `request.malformed` outside 1 to `maximum`.
    mutating func limit(default standard: Int, maximum: Int) throws -> Int {
        let limit = try value("limit", Int.self) ?? standard
        guard 1...maximum ~= limit else {
            throw ProblemDetails(.malformedRequest, "The limit is 1 to \(maximum).", field: "limit")
        }
        return limit
    }

    /// Refuses what is left.
    ///
    /// - Throws: `request.malformed` naming it.
    func finish() throws {
        if let name = items.keys.min() { throw ProblemDetails.unexpectedItem(name) }
    }
}

extension ProblemDetails {
    /// The answer to an item of a query that the route does not take.
    static func unexpectedItem(_ name: String) -> ProblemDetails {
        ProblemDetails(
            .malformedRequest,
            "The route takes no “\(name.prefix(40))” in its query.",
            field: String(name.prefix(40))
        )
    }
}
