import ArgumentParser
import Authorization
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal
import Testing

@testable import AdminCommands

struct CommandTests {
    private let library = StubLibrary()

    /// The commands below a command, itself included, each with its words.
    private static func tree(_ type: any ParsableCommand.Type, _ words: [String]) -> [[String]] {
        [words]
            + type.configuration.subcommands.flatMap { tree($0, words + [$0.configuration.commandName ?? "?"]) }
    }

    @Test("every command's help discusses it and gives an example that begins with its own words")
    func help() async {
        let commands = Self.tree(AdminCommand.self, [])
        #expect(commands.count > 25)
        for words in commands {
            let session = CommandRunner(library: library)
            let outcome = await session.run(words + ["--help"])
            #expect(outcome.status == 0)
            #expect(outcome.notes.isEmpty)
            let command = (["tintypectl"] + words).joined(separator: " ")
            let examples = outcome.output.split(separator: "EXAMPLES").last ?? ""
            #expect(examples.contains(command), "\(command) --help gives no example")
        }
    }

    @Test(
        "a wrong command line ends with 64 and says what is wrong",
        arguments: [
            (["device", "show", "gate"], "Names can be forged"),
            (["device", "show", "3f9"], "names no device"),
            (["device", "approve", "3f9a2c"], "--as"),
            (["device", "approve", "3f9a2c", "--as", "everything"], "not one of all, selected, add-only, none"),
            (["device", "approve", "3f9a2c", "--as", "none"], "approves nothing"),
            (["device", "list", "--json", "--quiet"], "exclude each other"),
            (["device", "list", "--state", "lost"], "not one of pending"),
            (["device", "resolve", "3f9a2c", "--keep", "xyz"], "32 hexadecimal digits"),
            (["device", "lint", "--unused", "bogus"], "30d"),
            (["enrollment-token", "create", "--max", "none"], "admits nobody"),
            (["enrollment-token", "create", "--uses", "0"], "1 to 10000"),
            (["enrollment-token", "create", "--expires", "soon"], "invalid"),
            (["enrollment-token", "create", "--server", "http://photos"], "https://host:port"),
            (["enrollment-token", "revoke", "TT1.abc"], "not an identifier"),
            (["asset", "list", "--type", "selfies"], "not one of images"),
            (["asset", "list", "--since", "yesterday"], "invalid"),
            (["asset", "list", "--limit", "501"], "1 to 500"),
            (["asset", "list", "--filter", "{"], "cannot be read"),
            (["asset", "list", "--filter", "\"selfies\""], "no kind of asset"),
            (["asset", "list", "--sort", "size"], "not an order"),
            (["asset", "show", "7"], "not an identifier"),
            (["audit", "tail", "--count", "0"], "1 to 100000"),
            (["audit", "verify", "--expect", "12"], "not a head"),
            (["selection", "add", "3f9a2c"], "--asset, --album or --rule"),
            (["album", "create", ""], "1 to 512 bytes"),
            (["ceilings"], "ceilings"),
            (["devices"], "devices"),
        ]
    )
    func usage(arguments: [String], words: String) async {
        let outcome = await CommandRunner(library: library).run(arguments)
        #expect(outcome.status == AdminExit.usage.rawValue)
        #expect(outcome.output.isEmpty)
        #expect(outcome.notes.contains(words), "\(outcome.notes)")
        #expect(library.requests.isEmpty)
    }

    @Test(
        "times are days and times of the place of a capture, instants, or how long ago",
        arguments: [
            ("2026-07-01", "2026-07-01T00:00:00"), ("2026-07-01T02:00:00+02:00", "2026-07-01T00:00:00Z"),
            ("2026-07-01T14:30:00", "2026-07-01T14:30:00"), ("2026-02-30", nil),
            ("0d", nil), ("7x", nil), ("-7d", nil), ("99999999999999999999w", nil), ("9223372036854775807w", nil),
            ("", nil),
        ]
    )
    func times(text: String, time: String?) {
        let told: String? =
            switch TimeArgument(argument: text)?.bound(now: CommandRunner.now) {
            case .instant(let time): time.description
            case .local(let time): time.description
            case nil: nil
            }
        #expect(told == time)
    }

    @Test(
        "spans of time count seconds",
        arguments: [("90s", 90), ("30m", 1800), ("5min", 300), ("24h", 86_400), ("2w", 1_209_600)]
    )
    func spans(text: String, seconds: Int64) {
        #expect(TimeSpan(argument: text)?.seconds == seconds)
    }

    @Test(
        "no answer ends with 69, a refusal of the caller with 77, every other failure with 1; each says what is next",
        arguments: [
            (TransportError(.unreachable, "no connection"), nil, AdminExit.unreachable),
            (TransportError(.timedOut, "too slow"), nil, .unreachable),
            (TransportError(.localFailure, "no memory"), nil, .failed),
            (nil, ProblemDetails(.operatorsOnly, "Only operators may."), .notAllowed),
            (nil, ProblemDetails(.identityMissing, "Who are you?"), .notAllowed),
            (nil, ProblemDetails(.notFound, "No such device."), .failed),
            (nil, ProblemDetails(.unavailable, "Later.\u{1B}[2J"), .failed),
        ] as [(TransportError?, ProblemDetails?, AdminExit)]
    )
    func failures(failure: TransportError?, problem: ProblemDetails?, exit: AdminExit) async {
        let failing = StubLibrary(failure: failure, problem: problem)
        let outcome = await CommandRunner(library: failing).run(["library", "stats"])
        #expect(outcome.status == exit.rawValue)
        #expect(outcome.output.isEmpty)
        #expect(outcome.notes.hasPrefix("error: "))
        #expect(outcome.notes.contains("\nnext: "))
        #expect(!outcome.notes.contains("\u{1B}"))
    }

    @Test(
        "T23: every refusal has an exit, a next command that exists, and an explanation",
        arguments: ErrorCode.allCases
    )
    func refusals(code: ErrorCode) async throws {
        let problem = ProblemDetails(code, "No.", field: "level")
        let runner = CommandRunner(library: StubLibrary(problem: problem))
        let brief = await runner.run(["device", "list"])
        #expect(brief.status == (code.status == 401 || code.status == 403 ? 77 : 1))
        #expect(!brief.notes.contains("why: "), "only who asks for it reads it")
        let outcome = await runner.run(["device", "list", "--explain"])
        let lines = outcome.notes.split(separator: "\n").map(String.init)
        try #require(lines.count == 3, "\(lines)")
        #expect(lines[0].hasPrefix("error: ") && lines[2].hasPrefix("next: "))
        #expect(lines[1].hasPrefix("why: \(code.rawValue) (status \(code.status)): "), "\(lines[1])")
        #expect(lines[1].hasSuffix("it is about “level”"), "\(lines[1])")
        let advice =
            switch code.retry {
            case .now: "can work at once"
            case .after: "can work later"
            case .onDecision: "an operator decides"
            case .never: "will be refused again"
            }
        #expect(lines[1].contains(advice), "\(lines[1])")
    }

    @Test("an answer of another shape is a failure that names the versions")
    func malformed() async throws {
        try library.answer("GET /v1/admin/library/statistics", with: ["assets": "many"])
        let outcome = await CommandRunner(library: library).run(["library", "stats"])
        #expect(outcome.status == 1)
        #expect(outcome.notes.contains("--version"))
    }

    @Test("the socket is named by flag, else by the environment, else by the server's default")
    func socket() {
        var session = AdminSession.process
        session.environment = [:]
        #expect(session.socketPath(flag: nil) == "/var/lib/tintype/admin.sock")
        session.environment["TINTYPE_SOCKET"] = "/run/a.sock"
        #expect(session.socketPath(flag: nil) == "/run/a.sock")
        #expect(session.socketPath(flag: "/run/b.sock") == "/run/b.sock")
    }

    @Test("completion scripts name the nouns", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async {
        let outcome = await CommandRunner(library: library).run(["--generate-completion-script", shell])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("enrollment-token"))
    }
}
