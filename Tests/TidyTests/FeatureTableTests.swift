import Foundation
import Testing

/// Holds `docs/features.md` to the tests: whoever reads there that a row is covered finds the test that covers it.
struct FeatureTableTests {
    /// The rows of each area: saving, consent, levels, Live Photos, picker and limited library.
    private static let rowCounts = ["000": 25, "001": 26, "002": 21, "003": 37, "004": 96]

    @Test("every row of the catalogue stands in docs/features.md")
    func rows() throws {
        let page = try SourceTree.text("docs/features.md")
        var named: Set<String> = []
        for match in page.matches(of: /(\d{3})\.(\d+)(?:-(?:\d{3}\.)?(\d+))?/) {
            guard let first = Int(match.2), let last = match.3.map({ Int($0) }) ?? first, first <= last else {
                continue
            }
            for number in first...last { named.insert("\(match.1).\(number)") }
        }
        for (area, count) in Self.rowCounts {
            for number in 1...count {
                #expect(named.contains("\(area).\(number)"), "docs/features.md lacks \(area).\(number)")
            }
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
