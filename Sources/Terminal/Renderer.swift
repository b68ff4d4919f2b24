import FoundationEssentials

/// The output format of a command.
package enum OutputFormat: Hashable, Sendable {
    /// Tables and words.
    case people
    /// The API's JSON, with sorted keys.
    case json
    /// Only identifiers, one per line.
    case identifiers
}

/// The capabilities of standard output.
package struct TerminalTraits: Hashable, Sendable {
    /// The terminal's columns; nil if it is not a terminal, so nothing is cut.
    package var columnCount: Int?
    /// Whether colours are supported and wanted.
    package var hasColors: Bool

    package init(columnCount: Int? = nil, hasColors: Bool = false) {
        self.columnCount = columnCount
        self.hasColors = hasColors
    }
}

/// Renders reports as text, for both programs.
package struct Renderer {
    private static let minimumColumnWidth = 8
    private static let gap = "  "

    private let format: OutputFormat
    private let terminal: TerminalTraits

    package init(format: OutputFormat, terminal: TerminalTraits) {
        self.format = format
        self.terminal = terminal
    }

    /// The text for standard output, ended by a line feed unless empty.
    ///
    /// - Throws: the JSON encoder's error.
    package func text(of report: Report) throws -> String {
        switch format {
        case .json: return try Self.json(report.wire) + "\n"
        case .identifiers: return report.identifiers.map { InertText($0).description + "\n" }.joined()
        case .people:
            switch report.content {
            case .sentence(let sentence): return InertText(sentence).description + "\n"
            case .record(let fields): return record(fields)
            case .table(let table): return self.table(table)
            }
        }
    }

    /// Multi-line JSON with sorted keys; anything a terminal would interpret is escaped (RFC 8259, section 7).
    package static func json(_ value: any Encodable) throws -> String {
        try inertJSON(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// The same on a single line, for JSON lines.
    package static func line(_ value: any Encodable) throws -> String {
        try inertJSON(value, [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func inertJSON(_ value: any Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        var text = ""
        for scalar in String(decoding: try encoder.encode(value), as: UTF8.self).unicodeScalars {
            if scalar.isInert || scalar == "\n" {
                text.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return text
    }

    /// Single-line JSON, for the wire.
    package static func compactJSON(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func record(_ fields: [Report.Field]) -> String {
        let width = fields.map(\.name.count).max() ?? 0
        let indent = width + 1 + Self.gap.count
        return fields.map { field in
            let padding = String(repeating: " ", count: width - field.name.count)
            let lines = Self.wrapped(field.value.text.description, to: terminal.columnCount.map { $0 - indent })
            let margin = "\n" + String(repeating: " ", count: indent)
            let value = lines.map { styled($0, field.value.style) }.joined(separator: margin)
            return "\(field.name):\(padding)\(Self.gap)\(value)\n"
        }.joined()
    }

    /// A value wrapped between words; a word that does not fit, such as a digest, stays whole.
    static func wrapped(_ text: String, to width: Int?) -> [String] {
        guard let width, width >= Self.minimumColumnWidth, InertText(text).width > width else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let longer = line.isEmpty ? String(word) : "\(line) \(word)"
            if !line.isEmpty, InertText(longer).width > width {
                lines.append(line)
                line = String(word)
            } else {
                line = longer
            }
        }
        return lines + [line]
    }

    /// A table on its own; without titles it has no heading.
    package func table(_ table: Table) -> String {
        guard !table.rows.isEmpty else { return table.ifEmpty + "\n" }
        let table = fitting(table)
        let widths = self.widths(of: table)
        let header = table.columns.map { Cell($0.title) }
        let hasHeader = table.columns.contains { !$0.title.isEmpty }
        return ((hasHeader ? [header] : []) + table.rows).map { row in
            let cells = zip(zip(table.columns, widths), row).map { layout, cell in
                let (column, width) = layout
                let text = cell.text.truncated(to: width)
                let padding = String(repeating: " ", count: max(0, width - InertText(text).width))
                return column.isNumeric
                    ? padding + styled(text, cell.style) : styled(text, cell.style) + padding
            }
            var line = cells.joined(separator: Self.gap)
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    /// The table without optional columns that do not fit.
    private func fitting(_ table: Table) -> Table {
        guard let limit = terminal.columnCount else { return table }
        let natural = naturalWidths(of: table)
        func width(of indices: [Int]) -> Int {
            indices.reduce(Self.gap.count * (indices.count - 1)) { sum, index in
                let isFlexible = table.columns[index].isFlexible
                return sum + (isFlexible ? min(natural[index], Self.minimumColumnWidth) : natural[index])
            }
        }
        var kept = Array(table.columns.indices)
        while width(of: kept) > limit, let last = kept.lastIndex(where: { table.columns[$0].isOptional }) {
            kept.remove(at: last)
        }
        return Table(
            columns: kept.map { table.columns[$0] },
            rows: table.rows.map { row in kept.map { row[$0] } },
            ifEmpty: table.ifEmpty
        )
    }

    private func naturalWidths(of table: Table) -> [Int] {
        table.columns.indices.map { index in
            table.rows.reduce(table.columns[index].title.count) { max($0, $1[index].text.width) }
        }
    }

    /// The column widths; the widest flexible one shrinks until the table fits.
    private func widths(of table: Table) -> [Int] {
        var widths = naturalWidths(of: table)
        guard let limit = terminal.columnCount else { return widths }
        var excess = widths.reduce(0, +) + Self.gap.count * (widths.count - 1) - limit
        while excess > 0 {
            let flexible = widths.indices.filter {
                table.columns[$0].isFlexible && widths[$0] > Self.minimumColumnWidth
            }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    /// ISO/IEC 6429 (SGR) colours, if wanted.
    private func styled(_ text: String, _ style: Cell.Style) -> String {
        guard terminal.hasColors, !text.isEmpty else { return text }
        let code: Int? =
            switch style {
            case .plain: nil
            case .good: 32
            case .warning: 33
            case .bad: 31
            }
        return code.map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text
    }
}
