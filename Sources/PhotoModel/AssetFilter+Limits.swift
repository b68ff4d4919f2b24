extension AssetFilter {
    /// The limits of filters from outside.
    public enum Limit {
        /// Nesting levels, including the outermost.
        public static let depth = 12
        /// Filters in the whole tree.
        public static let nodes = 256
        /// Bytes of UTF-8 in a text.
        public static let textBytes = 512
        /// Words in a text: each is looked up among the beginnings of all words.
        public static let textWords = 32
        /// Words in all texts of a filter.
        public static let words = 256
    }

    /// Why a filter is refused.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// Nested too deeply.
        case tooDeep
        /// Too many parts.
        case tooLarge
        /// A search text that is too long.
        case textTooLong
        /// Too many words to search for.
        case tooManyWords

        /// The problem, and the limit.
        public var description: String {
            switch self {
            case .tooDeep: "the filter is nested deeper than \(Limit.depth) levels"
            case .tooLarge: "the filter has more than \(Limit.nodes) parts"
            case .textTooLong: "the text to search for is longer than \(Limit.textBytes) bytes"
            case .tooManyWords:
                "a text to search for has more than \(Limit.textWords) words, or all texts have more than \(Limit.words)"
            }
        }
    }

    /// Nesting levels; 1 for a filter without children.
    public var depth: Int { 1 + (children.map(\.depth).max() ?? 0) }

    /// Filters in the tree, including this one.
    public var nodeCount: Int { children.reduce(1) { $0 + $1.nodeCount } }

    /// Refuses a filter beyond the limits; in decoded ones, everything but the words has been checked already.
    public func validate() throws(Problem) {
        try validateForm()
        let counts = wordCounts
        if counts.contains(where: { $0 > Limit.textWords }) || counts.reduce(0, +) > Limit.words { throw .tooManyWords }
    }

    /// Refuses a filter beyond the limits, except those of words.
    ///
    /// Rules of devices that were stored before words were limited can still be read.
    func validateForm() throws(Problem) {
        if depth > Limit.depth { throw .tooDeep }
        if nodeCount > Limit.nodes { throw .tooLarge }
        if !textsFit { throw .textTooLong }
    }

    private var wordCounts: [Int] {
        if case .text(let text) = self { return [SearchText.words(of: text).count] }
        return children.flatMap(\.wordCounts)
    }

    private var textsFit: Bool {
        if case .text(let text) = self { return text.utf8.count <= Limit.textBytes }
        return children.allSatisfy(\.textsFit)
    }
}
