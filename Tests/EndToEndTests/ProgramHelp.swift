import Foundation
import Testing

/// A program's commands and options, as its own parser describes them (`--experimental-dump-help`).
struct ProgramHelp: Decodable {
    /// A command with what is below it.
    struct Command: Decodable {
        let commandName: String
        let discussion: String?
        let arguments: [Argument]?
        let subcommands: [Command]?
        /// Which one is meant where none is named.
        let defaultSubcommand: String?

        /// The command itself and all below it.
        var tree: [Command] { [self] + (subcommands ?? []).flatMap(\.tree) }
    }

    /// A flag, an option with a value, or a positional argument.
    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        let kind: String
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
    }

    static let programs = ["tintype-agent", "tintype-server", "tintypectl"]

    /// What each program says of itself, by its name.
    static func all() throws -> [String: Command] {
        var found: [String: Command] = [:]
        for program in programs {
            let path = Bundle.main.bundleURL.appending(path: program).path
            let dump = try tool(path, ["--experimental-dump-help"])
            try #require(dump.status == 0, "\(dump.errors)")
            found[program] = try JSONDecoder().decode(Self.self, from: Data(dump.output.utf8)).command
        }
        return found
    }

    private let command: Command
}

extension ProgramHelp.Command {
    /// Goes down as far as words name commands.
    ///
    /// - Parameter words: what follows the program's name.
    /// - Returns: the command, and the words that are left.
    func resolving(_ words: [String]) -> (command: Self, rest: [String]) {
        if let first = words.first, let below = subcommands?.first(where: { $0.commandName == first }) {
            return below.resolving(Array(words.dropFirst()))
        }
        let meant = subcommands?.first { $0.commandName == defaultSubcommand }
        return meant?.resolving(words) ?? (self, words)
    }

    /// The argument of a name, for example of `--json`.
    func argument(_ name: String) -> ProgramHelp.Argument? {
        arguments?.first { $0.names?.contains { $0.text == name } ?? false }
    }

    /// Why the program would not understand a command line; nil where it would.
    ///
    /// - Parameters:
    ///   - words: what follows the program's name.
    ///   - takesMore: whether further arguments come from elsewhere, as with xargs.
    /// - Returns: what is wrong, for people.
    func problem(with words: [String], takesMore: Bool = false) -> String? {
        let (command, rest) = resolving(words)
        if rest.first == "help" || words.first == "--generate-completion-script" { return nil }
        if let below = command.subcommands, !below.isEmpty, rest.first?.hasPrefix("-") != true {
            return "\(command.commandName) has no command \(rest.first ?? "without a name")"
        }
        var given: Set<String> = []
        var positionals = 0
        var index = 0
        while index < rest.count {
            let name = String(rest[index].prefix { $0 != "=" })
            if name.hasPrefix("-"), name.count > 1 {
                guard let argument = command.argument(name) else {
                    return "\(command.commandName) has no option \(name)"
                }
                if argument.kind == "option", name == rest[index] { index += 1 }
                guard index < rest.count else { return "\(name) takes a value" }
                given.formUnion((argument.names ?? []).map(\.text))
            } else {
                positionals += 1
            }
            index += 1
        }
        if !given.isDisjoint(with: ["--help", "--version"]) { return nil }
        return command.countProblem(positionals, given, takesMore)
    }

    private func countProblem(_ positionals: Int, _ given: Set<String>, _ takesMore: Bool) -> String? {
        let places = (arguments ?? []).filter { $0.kind == "positional" }
        if positionals > places.count, !places.contains(where: \.isRepeating) {
            return "\(commandName) takes \(places.count) arguments, not \(positionals)"
        }
        if !takesMore, positionals < places.count(where: { !$0.isOptional }) {
            return "\(commandName) misses \(places.compactMap(\.valueName).joined(separator: ", "))"
        }
        let missing = (arguments ?? []).first { argument in
            argument.kind == "option" && !argument.isOptional
                && given.isDisjoint(with: (argument.names ?? []).map(\.text))
        }
        return missing.map { "\(commandName) misses \($0.names?.first?.text ?? "an option")" }
    }
}
