package import ArgumentParser

extension CommandConfiguration {
    /// The most columns of an indented line: with two spaces before it, it fits a terminal of 80.
    private static let columnCount = 77
    /// The widest exit status, and the gap after it.
    private static let statusWidth = 5

    /// A command whose help is laid out like that of every other: what it does and what else to know, with sections of
    /// its own, then examples and exit statuses.
    ///
    /// An example that is too long is continued before an option. A line that begins with spaces continues or explains
    /// the example before it.
    package init(
        _ name: String,
        _ abstract: String,
        _ discussion: String = "",
        examples: [String] = [],
        exitStatuses: KeyValuePairs<Int, String> = [:],
        version: String = "",
        subcommands: [any ParsableCommand.Type] = [],
        defaultSubcommand: (any ParsableCommand.Type)? = nil,
        aliases: [String] = []
    ) {
        let sections = [
            discussion,
            Self.section("EXAMPLES", examples.map(Self.continued)),
            Self.section("EXIT STATUS", exitStatuses.map { Self.row($0.key, $0.value) }),
        ]
        self.init(
            commandName: name,
            abstract: abstract,
            discussion: sections.filter { !$0.isEmpty }.joined(separator: "\n\n"),
            version: version,
            subcommands: subcommands,
            defaultSubcommand: defaultSubcommand,
            aliases: aliases
        )
    }

    private static func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : ([title] + lines.map { "  \($0)" }).joined(separator: "\n")
    }

    private static func continued(_ example: String) -> String {
        guard example.count > columnCount,
            // As far as a space and a backslash still fit behind.
            let option = example.prefix(columnCount + 1).ranges(of: " --").last
        else { return example }
        return "\(example[..<option.lowerBound]) \\\n   \(example[option.lowerBound...])"
    }

    private static func row(_ status: Int, _ meaning: String) -> String {
        let gap = String(repeating: " ", count: statusWidth - "\(status)".count)
        let margin = "\n" + String(repeating: " ", count: 2 + statusWidth)
        let lines = Renderer.wrapped(meaning, to: columnCount - statusWidth)
        return "\(status)\(gap)\(lines.joined(separator: margin))"
    }
}
