import Terminal

/// A command's result, for people and for programs; only the renderer turns it into text.
struct Report {
    /// The content for people.
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

    /// The content for programs: the wire type.
    let wire: any Encodable
    /// The output of `--quiet`, one per line.
    let identifiers: [String]
    /// The content for people.
    let content: Content
    /// Next steps for people, written to standard error and never to programs.
    var next: [String] = []
}

/// One value of a table or record: foreign text made inert, with its meaning.
struct Cell: Hashable, Sendable {
    /// A value's meaning, shown as a colour.
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
        /// Its heading.
        let title: String
        /// Whether it may be truncated on a narrow terminal.
        let isFlexible: Bool
        /// Whether its values are numbers.
        let isNumeric: Bool
        /// Whether it may be omitted, last one first, if truncating is not enough.
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
    /// The text if there are no rows.
    let ifEmpty: String
}
