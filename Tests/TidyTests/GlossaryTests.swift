import Testing

/// Holds `docs/glossary.md` to the sources: a word's type and its module are there.
struct GlossaryTests {
    @Test("every type and module that docs/glossary.md names exists")
    func names() throws {
        let sources = try SourceTree().files
        var declared = Set(sources.map(\.module))
        let keywords = ["struct ", "class ", "enum ", "actor ", "protocol ", "typealias "]
        for line in sources.lazy.flatMap(\.lines) where keywords.contains(where: line.mentions) {
            guard let match = line.firstMatch(of: /(?:struct|class|enum|actor|protocol|typealias) ([A-Z]\w*)/) else {
                continue
            }
            declared.insert(String(match.1))
        }
        var seen = 0
        for match in try SourceTree.text("docs/glossary.md").matches(of: /`([A-Z]\w+)`/) {
            seen += 1
            #expect(declared.contains(String(match.1)), "docs/glossary.md names \(match.1), which nothing declares")
        }
        #expect(seen > 30, "only \(seen) names were found: the pattern is wrong")
    }
}
