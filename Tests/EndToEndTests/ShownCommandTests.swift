import Foundation
import Testing

/// Holds the commands that documents, help, units and messages show to what the programs understand.
struct ShownCommandTests {
    /// Words that follow a program's name where it is only spoken of.
    private static let prose: Set<String> = ["answers", "as", "finds", "has", "may"]

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private let programs: [String: ProgramHelp.Command]

    init() throws { programs = try ProgramHelp.all() }

    /// Text files below a folder, or a file itself, by their paths.
    private static func texts(_ place: String, endings: [String]) throws -> [(path: String, text: String)] {
        let url = root.appending(path: place)
        let names = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        var paths = names.map { "\(place)/\($0)" }
        if paths.isEmpty { paths = [place] }
        return try paths.filter { path in endings.contains { path.hasSuffix($0) } }.sorted().map { path in
            (path, try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }

    private func check(_ shell: String, in place: String) -> Int {
        var count = 0
        for command in ShellText(shell).commands {
            guard let help = programs[command.program] else { continue }
            count += 1
            if let problem = help.problem(with: command.arguments, takesMore: command.isFed) {
                Issue.record("\(place): \(command.program) \(command.arguments.joined(separator: " ")): \(problem)")
            }
        }
        return count
    }

    @Test("every command line of the README and the documents is one that the programs understand")
    func documents() throws {
        var count = 0
        for (path, text) in try Self.texts("README.md", endings: [".md"]) + Self.texts("docs", endings: [".md"]) {
            for block in text.matches(of: /```(\w*)\n([^`]*)```/) {
                let lines = block.2.split(separator: "\n", omittingEmptySubsequences: false)
                // A block without a language is a session: what is typed stands behind a dollar sign.
                let shell = block.1.isEmpty ? lines.filter { $0.hasPrefix("$ ") } : lines
                count += check(shell.joined(separator: "\n"), in: path)
            }
        }
        #expect(count > 40)
    }

    @Test("every example of a help is understood by the program itself, and fits a terminal of 80 columns")
    func examples() throws {
        var count = 0
        for (program, root) in programs {
            for command in root.tree {
                let sections = (command.discussion ?? "").split(separator: "\n\n").filter { $0.hasPrefix("EXAMPLE") }
                for section in sections {
                    let lines = section.split(separator: "\n").dropFirst()
                    count += check(lines.joined(separator: "\n"), in: "\(program) \(command.commandName) --help")
                }
                for line in (command.discussion ?? "").split(separator: "\n") where line.hasPrefix("  ") {
                    // The parser breaks a line of 80.
                    #expect(line.count < 80, "\(program) \(command.commandName) --help")
                }
            }
        }
        #expect(count > 150)
    }

    @Test("every help ends alike: with its examples, then its exit statuses, each in a row")
    func endings() {
        let known: [[Substring]] = [[], ["EXAMPLES"], ["EXAMPLES", "EXIT STATUS"]]
        var count = 0
        for (program, root) in programs {
            for command in root.tree {
                let place = "\(program) \(command.commandName) --help"
                let sections = (command.discussion ?? "").split(separator: "\n\n").map { $0.split(separator: "\n") }
                let titles = Array(sections.compactMap(\.first).drop { !$0.hasPrefix("EX") })
                #expect(known.contains(titles), "\(place): \(titles)")
                guard let rows = sections.last, rows.first == "EXIT STATUS" else { continue }
                count += 1
                for row in rows.dropFirst() {
                    #expect(row.contains(/^  (?:\d  |\d\d |\d\d\d)  \S|^ {7}\S/), "\(place): \(row)")
                }
            }
        }
        #expect(count > 15)
    }

    @Test("what units, messages and comments call a command is one")
    func mentions() throws {
        let endings = [
            ".swift", ".md", ".yaml", ".service", ".timer", ".Debian", ".postinst", "nginx.conf", "Caddyfile",
            "Containerfile", ".html", ".js",
        ]
        let texts = try ["README.md", "docs", "Sources", "config", "deploy"].flatMap {
            try Self.texts($0, endings: endings)
        }
        var count = 0
        for (path, text) in texts {
            for (program, help) in programs {
                let pattern = try Regex("(?:^|[^\\w.-])(-u )?\(program) ([a-z-][^\\n]*)")
                for mention in text.matches(of: pattern) where mention.output[1].substring == nil {
                    let words = Self.words(String(mention.output[2].substring ?? ""))
                    guard let first = words.first, !Self.prose.contains(first) else { continue }
                    count += 1
                    if let problem = Self.problem(words, help) {
                        Issue.record("\(path): “\(program) \(words.joined(separator: " "))”: \(problem)")
                    }
                }
            }
        }
        #expect(count > 200)
    }

    /// The words up to the end of a sentence, a string or a piece of code.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        for word in text.replacing(/\\\(.*/, with: " ").split(separator: " ") {
            let bare = word.prefix { !"`\"';,:)|#>”\\*$".contains($0) }
            let isEnd = bare.count < word.count
            let name = bare.hasSuffix(".") ? bare.dropLast() : bare
            if !name.isEmpty { words.append(String(name)) }
            if isEnd || name.count < bare.count { break }
        }
        return words
    }

    private static func problem(_ words: [String], _ help: ProgramHelp.Command) -> String? {
        let (command, rest) = help.resolving(words)
        if let below = command.subcommands, !below.isEmpty, let next = rest.first, !next.hasPrefix("-"),
            next != "help", !prose.contains(next)
        {
            return "\(command.commandName) has no command \(next)"
        }
        let unknown = rest.first {
            $0.hasPrefix("--") && $0 != "--generate-completion-script"
                && command.argument(String($0.prefix { $0 != "=" })) == nil
        }
        return unknown.map { "\(command.commandName) has no option \($0)" }
    }
}
