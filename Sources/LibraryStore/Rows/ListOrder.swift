import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel

/// A total order of assets in SQL: the sort keys, then the identifier in the direction of the last key.
struct ListOrder {
    /// One column and its direction.
    struct Step {
        let column: String
        let isAscending: Bool

        var direction: String { isAscending ? "ASC" : "DESC" }
    }

    let steps: [Step]

    init(_ descriptors: [FetchOptions.SortDescriptor]) {
        var steps = descriptors.map { Step(column: $0.key.column, isAscending: $0.isAscending) }
        steps.append(Step(column: "id", isAscending: descriptors.last?.isAscending ?? true))
        self.steps = steps
    }

    /// Whether captures are in order of time, however ties are broken.
    var isByCapture: Bool { steps[0].column == FetchOptions.SortKey.captureDate.column }

    var columns: String { steps.map(\.column).joined(separator: ", ") }

    var sql: String { steps.map { "\($0.column) \($0.direction)" }.joined(separator: ", ") }

    /// The condition for rows behind a position: the first key is behind, or it is equal and the second is behind, and
    /// so on.
    ///
    /// The first key's own bound comes first, so that the index is entered at the position.
    var condition: String {
        let alternatives = steps.indices.map { index in
            let equal = steps[..<index].map { "\($0.column) = ?" }
            let behind = "\(steps[index].column) \(steps[index].isAscending ? ">" : "<") ?"
            return "(" + (equal + [behind]).joined(separator: " AND ") + ")"
        }
        let first = "\(steps[0].column) \(steps[0].isAscending ? ">=" : "<=") ?"
        return "\(first) AND (" + alternatives.joined(separator: " OR ") + ")"
    }

    /// The arguments of `condition`.
    func arguments(_ values: [SQLValue]) -> SQLArguments {
        SQLArguments([values[0]] + steps.indices.flatMap { Array(values[...$0]) })
    }
}

/// A position in a list: the sort keys of the last asset returned.
struct ListPosition {
    let values: [SQLValue]

    init(_ row: any SQLCursor, order: ListOrder) { values = order.steps.indices.map(row.value(at:)) }

    /// Parses a cursor: a fingerprint of the query, then the keys; integers in decimal, the identifier in hexadecimal.
    init(_ cursor: ListCursor, order: ListOrder, fingerprint: String) throws {
        let parts = cursor.text.split(separator: ".", omittingEmptySubsequences: false)
        guard cursor.text.utf8.count <= ListCursor.maximumByteCount, parts.count == order.steps.count + 1,
            parts[0] == fingerprint, let id = AssetID(String(parts[parts.count - 1]))
        else { throw Self.refusal }
        values =
            try parts.dropFirst().dropLast().map { part in
                guard let number = Int64(part) else { throw Self.refusal }
                return .integer(number)
            } + [.bytes(id.blob)]
    }

    func cursor(fingerprint: String) throws -> ListCursor {
        let keys = try values.map { value in
            switch value {
            case .integer(let number): return "\(number)"
            case .bytes(let blob): return try AssetID(blob: blob).description
            case .null, .real, .text: throw RowDamage("a sort key")
            }
        }
        return ListCursor(text: ([fingerprint] + keys).joined(separator: "."))
    }

    private static let refusal = StoreError(
        .cursorInvalid,
        "The cursor belongs to another query: keep the query unchanged, or start again."
    )

    /// Enough of the query's digest to detect a cursor of another query.
    static func fingerprint(_ options: FetchOptions) throws -> String {
        let text = try JSONColumn.encode(options)
        return String(ContentHasher.digest(text.utf8).description.prefix(12))
    }
}

extension FetchOptions.SortKey {
    fileprivate var column: String {
        switch self {
        case .captureDate: "local_date"
        case .additionDate: "addition_date"
        case .rating: "rating"
        }
    }
}
