/// The request of a Range field (RFC 9110, section 14.2).
enum ByteRange: Equatable {
    /// Everything: no field, one that cannot be parsed, or several ranges, which a server may ignore.
    case whole
    /// These bytes.
    case part(Range<Int64>)
    /// A range outside the bytes.
    case unsatisfiable

    /// Parses a field.
    ///
    /// - Parameters:
    ///   - field: its value; nil if absent.
    ///   - total: the total number of bytes.
    init(_ field: String?, total: Int64) {
        self = .whole
        guard let field, field.hasPrefix("bytes=") else { return }
        let sides = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else { return }
        switch (Self.number(sides[0]), Self.number(sides[1])) {
        case (nil, nil): return
        case (nil, let suffix?):
            self = suffix > 0 && total > 0 ? .part(max(0, total - suffix)..<total) : .unsatisfiable
        case (let first?, let last):
            if let last, last < first { return }
            let end = last.map { $0 < total ? $0 + 1 : total } ?? total
            self = first < total ? .part(first..<end) : .unsatisfiable
        }
    }

    /// A number beyond 64 bits counts as the largest.
    private static func number(_ text: Substring) -> Int64? { text.isEmpty ? nil : Int64(text) ?? .max }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
