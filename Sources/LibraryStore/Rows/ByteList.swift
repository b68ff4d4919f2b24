import FoundationEssentials

/// The parameters of a list of one length, so that one prepared statement serves any number of byte strings.
enum ByteList {
    /// The byte strings per statement.
    static let count = 32
    /// The list, for `IN`.
    static let marks = "(\(Array(repeating: "?", count: count).joined(separator: ", ")))"
    /// The same as rows of one column, for `VALUES`.
    static let rows = Array(repeating: "(?)", count: count).joined(separator: ", ")

    /// The arguments for at least one and at most ``count`` byte strings; the last one is repeated.
    static func arguments(_ strings: [Data]) -> SQLArguments {
        let filling = [Data](repeating: strings.last ?? Data(), count: max(count - strings.count, 0))
        let filled = strings + filling
        return SQLArguments(filled)
    }

    /// The parts of a list for one statement each.
    static func parts<Element>(of elements: [Element]) -> [[Element]] {
        stride(from: 0, to: elements.count, by: count).map { start in
            Array(elements[start..<min(start + count, elements.count)])
        }
    }
}
