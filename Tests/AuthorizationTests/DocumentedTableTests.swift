import Foundation
import Testing

/// The page that people read, held to the table that decides.
struct DocumentedTableTests {
    @Test("docs/authorization.md shows the endpoint table as it is")
    func page() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/authorization.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let fixture = Fixture("endpoint-permissions")
        #expect(!fixture.rows.isEmpty)
        for row in fixture.rows {
            let line = "| `\(row[1]) \(row[2])` | \(row.dropFirst(3).joined(separator: " | ")) |"
            #expect(page.contains(line), "the page lacks: \(line)")
        }
    }
}
