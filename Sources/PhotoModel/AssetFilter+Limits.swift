extension AssetFilter {
    /// The limits of filters from outside.
    public enum Limit {
        /// Nesting levels, including the outermost.
        public static let depth = 12
        /// Filters in the whole tree.
        public static let nodes = 256
        /// Bytes of UTF-8 in a text.
        public static let textBytes = 512
    }

    /// Why a filter is refused.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// Nested too deeply.
        case tooDeep
        /// Too many parts.
        case tooLarge
        /// A search text that is too long.
        case textTooLong

        /// The problem, and the limit.
        public var description: String {
            switch self {
            case .tooDeep: "the filter is nested deeper than \(Limit.depth) levels"
            case .tooLarge: "the filter has more than \(Limit.nodes) parts"
            case .textTooLong: "the text to search for is longer than \(Limit.textBytes) bytes"
            }
        }
    }

    /// Nesting levels; 1 for a filter without children.
    public var depth: Int { 1 + (children.map(\.depth).max() ?? 0) }

    /// Filters in the tree, including this one.
    public var nodeCount: Int { children.reduce(1) { $0 + $1.nodeCount } }

    /// Refuses a filter beyond the limits; decoded ones have been checked already.
    public func validate() throws(Problem) {
        if depth > Limit.depth { throw .tooDeep }
        if nodeCount > Limit.nodes { throw .tooLarge }
        if !textsFit { throw .textTooLong }
    }

    private var textsFit: Bool {
        if case .text(let text) = self { return text.utf8.count <= Limit.textBytes }
        return children.allSatisfy(\.textsFit)
    }
}
