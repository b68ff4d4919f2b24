import LibraryAPI

/// Reads query items by name, and refuses unknown ones.
struct AdminQuery {
    private var items: [String: String]

    init(_ call: Call) throws {
        items = Dictionary(try call.query().map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// A typed item; nil if absent.
    ///
    /// - Throws: `request.malformed` for an invalid text.
    mutating func value<Value: LosslessStringConvertible>(_ name: String, _ type: Value.Type) throws -> Value? {
        guard let text = items.removeValue(forKey: name) else { return nil }
        guard let value = Value(text) else {
            throw ProblemDetails(.malformedRequest, "The query's “\(name)” cannot be read.", field: name)
        }
        return value
    }

    /// The requested number of entries.
    ///
    /// - Throws: `request.malformed` outside 1 to `maximum`.
    mutating func limit(default standard: Int, maximum: Int) throws -> Int {
        let limit = try value("limit", Int.self) ?? standard
        guard 1...maximum ~= limit else {
            throw ProblemDetails(.malformedRequest, "The limit is 1 to \(maximum).", field: "limit")
        }
        return limit
    }

    /// Refuses the remaining items.
    ///
    /// - Throws: `request.malformed` naming it.
    func finish() throws {
        if let name = items.keys.min() { throw ProblemDetails.unexpectedItem(name) }
    }
}

extension ProblemDetails {
    /// The error for an unknown query item.
    static func unexpectedItem(_ name: String) -> ProblemDetails {
        ProblemDetails(
            .malformedRequest,
            "The route takes no “\(name.prefix(40))” in its query.",
            field: String(name.prefix(40))
        )
    }
}
