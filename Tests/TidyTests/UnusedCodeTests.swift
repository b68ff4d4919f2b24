import Testing

/// Nothing ships that only tests use: what `Sources` declares, `Sources` uses.
struct UnusedCodeTests {
    /// What tests observe and no public declaration shows, and declarations that nothing calls by name.
    private static let exceptions: Set<String> = [
        // What the tests of cameras and rings look at.
        "controlSnapshot", "usedByteCount", "fifteenthSecond",
        // The rules of replication that the simulated library follows in memory, and the real one in SQL.
        "hasSeen", "checkFollows", "knownKinds", "callAsFunction",
        // Written by its encoder alone: a member of a search in Immich.
        "withArchived",
        // Requirements of SwiftNIO's handlers and swift-metrics' factories.
        "userInboundEventTriggered", "InboundOut", "OutboundIn", "OutboundOut",
        "decrement", "makeCounter", "makeFloatingPointCounter", "makeMeter", "makeRecorder", "makeTimer",
        "destroyCounter", "destroyFloatingPointCounter", "destroyMeter", "destroyRecorder", "destroyTimer",
        // Encoded, laid out or started by name.
        "withExif", "withPeople", "groupID", "TintypeMedia", "TintypeServer", "TintypeControl",
        "customMirror", "wrappedValue",
    ]

    @Test("what Sources declares is named elsewhere in Sources")
    func used() throws {
        let keywords: Set<Substring> = [
            "func", "var", "let", "struct", "enum", "class", "actor", "protocol", "typealias",
        ]
        var counts: [Substring: Int] = [:]
        var declared: [Substring: [String]] = [:]
        for file in try SourceTree().files {
            for line in file.lines {
                let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
                let words = Self.words(code)
                for word in words { counts[word, default: 0] += 1 }
                guard !words.contains("public") else { continue }
                for (keyword, name) in zip(words, words.dropFirst()) where keywords.contains(keyword) && !name.isEmpty {
                    declared[name, default: []].append("\(file.path): \(name)")
                }
            }
        }
        #expect(declared.count > 5000, "only \(declared.count) declarations were found: the pattern is wrong")
        // A name that stands in several declarations is a requirement with what satisfies it.
        let unused = declared.filter { name, places in places.count == 1 && counts[name] == 1 }
        for (name, places) in unused where !Self.exceptions.contains(String(name)) {
            Issue.record("nothing in Sources uses \(places[0])")
        }
        for name in Self.exceptions where unused[name[...]] == nil {
            Issue.record("\(name) is used, or gone: it is no exception any more")
        }
    }

    /// The words of a line, with an empty one wherever something other than space stands between two of them.
    private static func words(_ code: Substring) -> [Substring] {
        var words: [Substring] = []
        var start: Substring.Index?
        for index in code.utf8.indices {
            switch code.utf8[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                start = start ?? index
            case let byte:
                if let start { words.append(code[start..<index]) }
                start = nil
                if byte != UInt8(ascii: " "), byte != UInt8(ascii: "`") { words.append("") }
            }
        }
        if let start { words.append(code[start...]) }
        return words
    }
}
