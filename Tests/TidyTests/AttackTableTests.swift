import Foundation
import Testing

/// Holds the table of attacks in `docs/security.md` to the tests' names, both ways.
struct AttackTableTests {
    @Test("each attack's row names the tests whose names begin with its number, and no others")
    func numbers() throws {
        let rows = try Self.rows()
        let tests = try Self.tests()
        #expect(rows.count > 60, "only \(rows.count) rows were found: the pattern is wrong")
        for number in Set(rows.keys).union(tests.keys) {
            let (told, named) = (rows[number] ?? [], tests[number] ?? [])
            #expect(told.subtracting(named) == [], "\(number) in docs/security.md names tests that do not name it")
            #expect(named.subtracting(told) == [], "\(number) in docs/security.md lacks tests")
        }
    }

    /// The tests of each row, as suite and function.
    private static func rows() throws -> [String: Set<String>] {
        var rows: [String: Set<String>] = [:]
        for line in try SourceTree.text("docs/security.md").split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count > 2, cells[0].wholeMatch(of: /T\d+/) != nil else { continue }
            var suite = ""
            for match in cells[2].matches(of: /`(\w*)(?:\.(\w+))?`/) {
                if !match.1.isEmpty { suite = String(match.1) }
                rows[cells[0], default: []].insert("\(suite).\(match.2 ?? "")")
            }
        }
        return rows
    }

    /// The tests whose names have a number before their colon, as suite and function.
    private static func tests() throws -> [String: Set<String>] {
        let folder = SourceTree.root.appending(path: "Tests")
        let pattern = /\n(?:final )?(?:struct|class|extension) (\w+)|@Test\(\s*"([^"]*)"(?s:.*?)func (\w+)\(/
        var tests: [String: Set<String>] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            var suite = ""
            for match in text.matches(of: pattern) {
                if let name = match.1 { suite = String(name) }
                guard let title = match.2, let function = match.3, let end = title.firstIndex(of: ":") else { continue }
                for number in title[..<end].matches(of: /\bT\d+\b/) {
                    tests[String(number.output), default: []].insert("\(suite).\(function)")
                }
            }
        }
        return tests
    }
}
