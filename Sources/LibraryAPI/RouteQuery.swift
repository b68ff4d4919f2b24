/// The query of a route, declared once for client and server.
///
/// A nil item is absent. Unknown items are refused, so that a misspelt one is not ignored; if an item is repeated, the
/// first one counts.
package protocol RouteQuery: Sendable {
    /// A query without items.
    init()
    /// The route's items, in the order in which they are written.
    static var fields: [QueryField<Self>] { get }
}

extension RouteQuery {
    /// The names and values that are present.
    package var items: [(name: String, value: String)] {
        Self.fields.compactMap { field in field.text(self).map { (field.name, $0) } }
    }

    /// Reads decoded names and values.
    ///
    /// - Throws: `request.malformed` naming an unknown or invalid item.
    package init(items: [(name: String, value: String)]) throws(ProblemDetails) {
        self.init()
        var texts = Dictionary(items.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        for field in Self.fields {
            guard let text = texts.removeValue(forKey: field.name) else { continue }
            guard field.read(&self, text) else {
                throw ProblemDetails(.malformedRequest, field.complaint, field: field.name)
            }
        }
        if let name = texts.keys.min() { throw ProblemDetails.unexpectedItem(name) }
    }
}

/// One item of a query.
package struct QueryField<Query> {
    /// Its name on the wire.
    package let name: String
    fileprivate let complaint: String
    fileprivate let text: (Query) -> String?
    fileprivate let read: (inout Query, String) -> Bool

    /// Declares an item.
    ///
    /// - Parameters:
    ///   - name: its name on the wire.
    ///   - path: its value.
    ///   - complaint: the message about an invalid value.
    ///   - accepts: whether a value that can be parsed is valid.
    init<Value: LosslessStringConvertible>(
        _ name: String,
        _ path: WritableKeyPath<Query, Value?>,
        or complaint: String? = nil,
        where accepts: @escaping (Value) -> Bool = { _ in true }
    ) {
        self.name = name
        self.complaint = complaint ?? "The query item “\(name)” is invalid."
        text = { $0[keyPath: path]?.description }
        read = { query, text in
            guard let value = Value(text), accepts(value) else { return false }
            query[keyPath: path] = value
            return true
        }
    }

    /// Declares a number with its range.
    init(_ name: String, _ path: WritableKeyPath<Query, Int?>, in range: ClosedRange<Int>, unit: String = "") {
        let complaint = "The query item “\(name)” must be \(range.lowerBound) to \(range.upperBound)\(unit)."
        self.init(name, path, or: complaint) { range ~= $0 }
    }
}

extension ProblemDetails {
    /// The error for an unknown query item.
    package static func unexpectedItem(_ name: String) -> ProblemDetails {
        ProblemDetails(
            .malformedRequest,
            "The route has no query item “\(name.prefix(40))”.",
            field: String(name.prefix(40))
        )
    }
}
