import Testing

@testable import PostgreSQL

struct StatementTextTests {
    @Test(
        "parameter marks become numbered, outside literals, names and comments",
        arguments: [
            ("SELECT 1", "SELECT 1"),
            ("SELECT ?, ?", "SELECT $1, $2"),
            ("SELECT ?2, ?1, ?2", "SELECT $2, $1, $2"),
            ("SELECT ?3, ?", "SELECT $3, $4"),
            ("SELECT ?12", "SELECT $12"),
            ("SELECT '?', ?", "SELECT '?', $1"),
            ("SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1"),
            ("SELECT \"a?\", ?", "SELECT \"a?\", $1"),
            ("SELECT ? -- why?\n, ?", "SELECT $1 -- why?\n, $2"),
            ("SELECT ? /* ?? */, ?", "SELECT $1 /* ?? */, $2"),
            ("SELECT ?, '?", "SELECT $1, '?"),
            ("SELECT ? /* ?", "SELECT $1 /* ?"),
            ("SELECT 'ä', ?", "SELECT 'ä', $1"),
            ("SELECT ? - ? / ?", "SELECT $1 - $2 / $3"),
            ("?", "$1"),
            ("", ""),
        ]
    )
    func marks(_ text: String, _ expected: String) {
        #expect(StatementText.numbered(text) == expected)
    }
}
