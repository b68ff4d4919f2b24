import Terminal
import Testing

@testable import AdminCommands

struct RendererTests {
    private static let table = Table(
        columns: [.init("ID"), .init("NAME", isFlexible: true), .init("SIZE", isNumeric: true), .init("STATE")],
        rows: [
            ["a1", "Gate", "9 B", Cell("active", .good)],
            ["b22", "東京タワーの裏口のカメラ", "12.5 MiB", Cell("revoked", .bad)],
            ["c3", Cell("evil\u{1B}[31m"), "0 B", Cell("pending", .warning)],
        ],
        ifEmpty: "Nothing."
    )

    private struct Wire: Codable {
        var zebra = 1
        var alpha = "\u{9B}31m \u{202E}ü/"
    }

    private static var report: Report {
        Report(
            wire: Wire(),
            identifiers: ["a1", "b22", "c3\n\u{1B}"],
            content: .table(table),
            next: ["tintypectl nothing"]
        )
    }

    private func text(_ report: Report, _ format: OutputFormat = .people, _ terminal: TerminalTraits = .init()) throws
        -> String
    {
        try Renderer(format: format, terminal: terminal).text(of: report)
    }

    @Test("a table stands in columns, wide characters counted as two, and nothing is cut without a terminal")
    func wideTable() throws {
        let expected = """
            ID   NAME                          SIZE  STATE
            a1   Gate                           9 B  active
            b22  東京タワーの裏口のカメラ  12.5 MiB  revoked
            c3   evil\\u{1B}[31m                 0 B  pending

            """
        #expect(try text(Self.report) == expected)
    }

    @Test("a table fits the terminal; only what may be cut is cut")
    func narrowTable() throws {
        let expected = """
            ID   NAME                SIZE  STATE
            a1   Gate                 9 B  active
            b22  東京タワーの…   12.5 MiB  revoked
            c3   evil\\u{1B}[31m       0 B  pending

            """
        let rendered = try text(Self.report, .people, TerminalTraits(columnCount: 38))
        #expect(rendered == expected)
        for line in rendered.split(separator: "\n") { #expect(InertText(String(line)).width <= 38) }
    }

    @Test("columns that must not be cut keep their width on the narrowest terminal")
    func narrowest() throws {
        let rendered = try text(Self.report, .people, TerminalTraits(columnCount: 10))
        #expect(rendered.contains("b22"))
        #expect(rendered.contains("12.5 MiB  revoked"))
    }

    @Test("colours appear only where the terminal has them, and are the only escapes")
    func colors() throws {
        let plain = try text(Self.report)
        #expect(!plain.contains("\u{1B}"))
        let colored = try text(Self.report, .people, TerminalTraits(columnCount: 120, hasColors: true))
        #expect(colored.contains("\u{1B}[32mactive\u{1B}[0m"))
        #expect(colored.contains("\u{1B}[31mrevoked\u{1B}[0m"))
        let stripped = ["\u{1B}[32m", "\u{1B}[31m", "\u{1B}[33m", "\u{1B}[0m"].reduce(colored) {
            $0.split(separator: $1, omittingEmptySubsequences: false).joined()
        }
        #expect(stripped == plain)
    }

    @Test("JSON has its keys sorted, and what a terminal would obey is escaped")
    func json() throws {
        let expected = #"""
            {
              "alpha" : "\u009b31m \u202eü/",
              "zebra" : 1
            }

            """#
        #expect(try text(Self.report, .json) == expected)
    }

    @Test("--quiet gives identifiers alone, one a line, whatever they hold")
    func identifiers() throws {
        #expect(try text(Self.report, .identifiers) == "a1\nb22\nc3\\n\\u{1B}\n")
    }

    @Test("a record names each value, and a sentence stands alone")
    func records() throws {
        let fields = [Report.Field("Name", Cell("a\nb")), Report.Field("Fingerprint", "3f")]
        let record = Report(wire: 1, identifiers: [], content: .record(fields))
        #expect(try text(record) == "Name:         a\\nb\nFingerprint:  3f\n")
        #expect(try text(Report(wire: 1, identifiers: [], content: .sentence("Done."))) == "Done.\n")
    }

    @Test("an empty table says so")
    func empty() throws {
        let empty = Table(columns: Self.table.columns, rows: [], ifEmpty: "Nothing.")
        #expect(try text(Report(wire: 1, identifiers: [], content: .table(empty))) == "Nothing.\n")
    }
}
