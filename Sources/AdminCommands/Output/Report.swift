import Terminal

/// What a command tells, once for people and once for programs; the renderer alone turns it into text.
struct Report {
    /// What people are shown.
    enum Content {
        /// Many things of one kind.
        case table(Table)
        /// One thing.
        case record([Field])
        /// A sentence.
        case sentence(String)
    }

    /// One line of a record.
    struct Field {
        let name: String
        let value: Cell

        init(_ name: String, _ value: Cell) {
            self.name = name
            self.value = value
        }
    }

    /// What programs are shown: the wire's own type.
    let wire: any Encodable
    /// What `--quiet` prints, one a line.
    let identifiers: [String]
    /// What people are shown.
    let content: Content
    /// What people may do next; goes to standard error and never to programs.
    var next: [String] = []
}

/// One value of a table or record: foreign text made inert, and how it is meant.
struct Cell: Hashable, Sendable {
    /// What a value means, which a terminal shows by a colour.
    enum Style: Hashable, Sendable {
        case plain, good, warning, bad
    }

    let text: InertText
    let style: Style

    init(_ text: String, _ style: Style = .plain) {
        self.text = InertText(text)
        self.style = style
    }
}

extension Cell: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self.init(value) }
}

/// Columns and rows.
struct Table {
    /// One column.
    struct Column {
        /// What stands above it.
        let title: String
        /// Whether it may be cut where the terminal is narrow.
        let isFlexible: Bool
        /// Whether its values are numbers.
        let isNumeric: Bool
        /// Whether it is left out, the last one first, where cutting is not enough.
        let isOptional: Bool

        init(_ title: String, isFlexible: Bool = false, isNumeric: Bool = false, isOptional: Bool = false) {
            self.title = title
            self.isFlexible = isFlexible
            self.isNumeric = isNumeric
            self.isOptional = isOptional
        }
    }

    let columns: [Column]
    let rows: [[Cell]]
    /// What is said where there are no rows.
    let ifEmpty: String
}
