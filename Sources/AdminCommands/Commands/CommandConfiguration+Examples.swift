import ArgumentParser

extension CommandConfiguration {
    /// A command whose help ends with examples.
    ///
    /// - Parameters:
    ///   - name: how it is called.
    ///   - abstract: what it does, in a line.
    ///   - discussion: what else to know; empty for nothing.
    ///   - examples: the lines of command lines to copy; those that continue one begin with two spaces.
    ///   - subcommands: the commands below it.
    init(
        _ name: String,
        _ abstract: String,
        _ discussion: String = "",
        examples: [String],
        subcommands: [any ParsableCommand.Type] = []
    ) {
        let lines = (discussion.isEmpty ? [] : [discussion, ""]) + ["EXAMPLES"] + examples.map { "  \($0)" }
        self.init(
            commandName: name,
            abstract: abstract,
            discussion: lines.joined(separator: "\n"),
            subcommands: subcommands
        )
    }
}
