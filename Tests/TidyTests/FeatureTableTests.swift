import Foundation
import Testing

/// Holds `docs/features.md` to the tests: whoever reads there that a row is covered finds the test that covers it.
struct FeatureTableTests {
    /// The rows of each area: saving, consent, levels, Live Photos, picker and limited library.
    private static let rowCounts = ["000": 25, "001": 26, "002": 21, "003": 37, "004": 96]

    @Test("every row of the catalogue is a row of a table in docs/features.md, and no other is")
    func rows() throws {
        let named = Set(try Self.featureRows().flatMap(\.rows))
        let wanted = Set(Self.rowCounts.flatMap { area, count in (1...count).map { "\(area).\($0)" } })
        #expect(wanted.subtracting(named).sorted() == [], "docs/features.md lacks these")
        #expect(named.subtracting(wanted).sorted() == [], "the catalogue lacks these")
    }

    @Test("every row of the catalogue names a test, a journey in a browser, or why it has none")
    func reasons() throws {
        for (rows, tests) in try Self.featureRows() {
            let hasTest = tests.contains(/`\w*(?:\.\w+)?`|in a browser: \w/)
            #expect(hasTest || tests.contains(/^none: \w.{9,}/), "\(rows.first ?? "") has no test: \(tests)")
        }
    }

    @Test("a row that stands in prose, or names no test, is found")
    func tableRows() {
        let page = """
            001.1 is told in prose.
            | row | here | tests |
            |---|---|---|
            | 001.2-001.4, 002.9 | as 003.1 | `ATests.a` |
            | what | here | `BTests` |
            """
        let found = Self.rows(of: page)
        #expect(found.map(\.rows) == [["001.2", "001.3", "001.4", "002.9"]])
        #expect(found.map(\.tests) == ["`ATests.a`"])
    }

    private static func featureRows() throws -> [(rows: [String], tests: String)] {
        rows(of: try SourceTree.text("docs/features.md"))
    }

    /// The catalogue's rows by the first cell of each line of a table, with its third cell.
    private static func rows(of page: String) -> [(rows: [String], tests: String)] {
        page.split(separator: "\n").filter { $0.hasPrefix("|") }.compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let first = cells.first else { return nil }
            let rows = first.matches(of: /(\d{3})\.(\d+)(?:-(?:\d{3}\.)?(\d+))?/).flatMap { match in
                let (start, end) = (Int(match.2) ?? 0, Int(match.3 ?? match.2) ?? 0)
                return (start...max(start, end)).map { "\(match.1).\($0)" }
            }
            return rows.isEmpty ? nil : (rows, cells.count > 2 ? cells[2] : "")
        }
    }

    @Test("every test that a table names exists", arguments: ["docs/features.md", "docs/security.md"])
    func tests(page: String) throws {
        let suites = try Self.suites()
        var suite = ""
        var seen = 0
        for line in try SourceTree.text(page).split(separator: "\n") where line.hasPrefix("|") {
            guard let cell = line.split(separator: "|").dropFirst(2).first else { continue }
            for match in cell.matches(of: /`(\w*)(?:\.(\w+))?`/) {
                if !match.1.isEmpty { suite = String(match.1) }
                seen += 1
                let tests = suites[suite]
                #expect(tests != nil, "there is no suite \(suite)")
                guard let test = match.2 else { continue }
                #expect(tests?.contains(String(test)) == true, "\(suite) has no test \(test)")
            }
        }
        #expect(seen > 50, "only \(seen) tests were found: the pattern is wrong")
    }

    @Test("every journey in a browser that the table names is made")
    func journeys() throws {
        let folder = SourceTree.root.appending(path: "Tests/Browser")
        var made: Set<Substring> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".py") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for list in text.matches(of: /\n(?:ALL|BEFORE|AFTER) = \[([^\]]*)\]/) {
                made.formUnion(list.1.matches(of: /\w+/).map(\.output))
            }
        }
        var seen = 0
        for cell in try SourceTree.text("docs/features.md").matches(of: /in a browser: ([a-z_, ]+)/) {
            for name in cell.1.matches(of: /\w+/).map(\.output) {
                seen += 1
                #expect(made.contains(name), "there is no journey \(name)")
            }
        }
        #expect(seen >= 8, "only \(seen) journeys were found: the pattern is wrong")
    }

    /// The functions of each suite below `Tests`; those of a file that holds several are counted for each.
    private static func suites() throws -> [String: Set<String>] {
        let folder = SourceTree.root.appending(path: "Tests")
        var suites: [String: Set<String>] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let tests = text.matches(of: /@Test(?s:.*?)func (\w+)\(/).map { String($0.1) }
            for match in text.matches(of: /\n(?:final )?(?:struct|class|extension) (\w+)/) {
                suites[String(match.1), default: []].formUnion(tests)
            }
        }
        return suites
    }
}
