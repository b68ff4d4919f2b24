/// A command's result, for people and for programs; only the renderer turns it into text.
package struct Report {
    /// The content for people.
    package enum Content {
        /// Many things of one kind.
        case table(Table)
        /// One thing.
        case record([Field])
        /// A sentence.
        case sentence(String)
    }

    /// One line of a record.
    package struct Field {
        /// The name before the colon.
        package let name: String
        /// The value.
        package let value: Cell

        package init(_ name: String, _ value: Cell) {
            self.name = name
            self.value = value
        }
    }

    /// The content for programs: the wire type.
    package let wire: any Encodable
    /// The output of `--quiet`, one per line.
    package let identifiers: [String]
    /// The content for people.
    package let content: Content
    /// Next steps for people, written to standard error and never to programs.
    package var next: [String] = []

    package init(wire: any Encodable, identifiers: [String], content: Content, next: [String] = []) {
        self.wire = wire
        self.identifiers = identifiers
        self.content = content
        self.next = next
    }
}

/// One value of a table or record: foreign text made inert, with its meaning.
package struct Cell: Hashable, Sendable {
    /// A value's meaning, shown as a colour.
    package enum Style: Hashable, Sendable {
        case plain, good, warning, bad
    }

    /// The text.
    package let text: InertText
    /// Its meaning.
    package let style: Style

    /// Makes a text inert.
    package init(_ text: String, _ style: Style = .plain) {
        self.text = InertText(text)
        self.style = style
    }
}

extension Cell: ExpressibleByStringInterpolation {
    /// A cell with a plain text.
    package init(stringLiteral value: String) { self.init(value) }
}

/// Columns and rows.
package struct Table {
    /// One column.
    package struct Column {
        /// Its heading.
        package let title: String
        /// Whether it may be truncated on a narrow terminal.
        package let isFlexible: Bool
        /// Whether its values are numbers.
        package let isNumeric: Bool
        /// Whether it may be omitted, last one first, if truncating is not enough.
        package let isOptional: Bool

        package init(_ title: String, isFlexible: Bool = false, isNumeric: Bool = false, isOptional: Bool = false) {
            self.title = title
            self.isFlexible = isFlexible
            self.isNumeric = isNumeric
            self.isOptional = isOptional
        }
    }

    /// The columns.
    package let columns: [Column]
    /// The rows, with a cell for each column.
    package let rows: [[Cell]]
    /// The text if there are no rows.
    package let ifEmpty: String

    package init(columns: [Column], rows: [[Cell]], ifEmpty: String) {
        self.columns = columns
        self.rows = rows
        self.ifEmpty = ifEmpty
    }
}
