import ArgumentParser
import Authorization
import LibraryAPI
import LibraryClient
import Terminal

struct CeilingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "ceiling",
        "Shows and sets the upper limits of policy, for all devices or for those with a tag.",
        """
        A ceiling clamps and does not erase: lifting it restores what was decided. The lowest ceiling that applies \
        to a device counts. Tags come from tintypectl device rename --tag.
        """,
        examples: [
            "tintypectl ceiling show",
            #"tintypectl ceiling set outdoors addOnly --no-picker --reason "can be stolen""#,
            "tintypectl ceiling remove outdoors",
        ],
        subcommands: [CeilingShow.self, CeilingSet.self, CeilingRemove.self]
    )
}

/// The options of every policy change.
struct CeilingOptions: ParsableArguments {
    @Argument(help: "The tag whose devices it applies to, or * for all devices.")
    var tag: String

    @Option(help: .reason)
    var reason: String?

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    /// Reads the policy, changes one rule, and replaces it.
    ///
    /// - Parameters:
    ///   - question: the confirmation question.
    ///   - change: changes the rules, given without the tag's own; the flag says whether there was one.
    /// - Throws: errors of the session and the library.
    func change(asking question: String, by change: (inout [CeilingRule], Bool) throws -> Void) async throws {
        let client = try common.client()
        var policy: CeilingPolicy = try await client.call(.adminCeilings)
        let count = policy.ceilings.count
        policy.ceilings.removeAll { $0.name == tag }
        try change(&policy.ceilings, policy.ceilings.count < count)
        policy.reason = reason
        try common.session.confirm(question, yes: confirmation.yes)
        try common.show(.policy(try await client.call(.adminSetCeilings, body: policy)))
    }
}

struct CeilingShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "show",
        "Shows the policy's ceilings.",
        examples: ["tintypectl ceiling show", "tintypectl ceiling show --json"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws { try common.show(.policy(try await common.client().call(.adminCeilings))) }
}

struct CeilingSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "set",
        "Sets a ceiling; it applies at once, and ends access that it forbids.",
        examples: [
            "tintypectl ceiling set '*' readWrite",
            #"tintypectl ceiling set outdoors addOnly --no-picker --reason "can be stolen" --yes"#,
        ]
    )

    @OptionGroup var options: CeilingOptions

    @Argument(help: "The most that is allowed: none, addOnly, limited or readWrite.", transform: choice)
    var limit: Ceiling.Limit

    @Flag(inversion: .prefixedNo, help: "Whether picker sessions may be opened.")
    var picker = true

    func run() async throws {
        let whom = options.tag == CeilingRule.everyDevice ? "every device" : "devices tagged “\(options.tag)”"
        try await options.change(asking: "Allow \(whom) at most \(limit.rawValue)?") { rules, _ in
            rules.append(CeilingRule(name: options.tag, limit: limit.rawValue, isPickerAllowed: picker))
        }
    }
}

struct CeilingRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "remove",
        "Lifts a ceiling; earlier decisions apply again.",
        examples: ["tintypectl ceiling remove outdoors"]
    )

    @OptionGroup var options: CeilingOptions

    func run() async throws {
        try await options.change(asking: "Lift the ceiling of “\(options.tag)”?") { _, wasThere in
            guard wasThere else { throw AdminError("There is no such ceiling.", next: "tintypectl ceiling show") }
        }
    }
}

extension Report {
    static func policy(_ policy: CeilingPolicy) -> Report {
        let table = Table(
            columns: [.init("HOLDS FOR", isFlexible: true), .init("AT MOST"), .init("PICKER")],
            rows: policy.ceilings.map { rule in
                [
                    Cell(rule.name == CeilingRule.everyDevice ? "* (every device)" : rule.name),
                    Cell(rule.limit, rule.limit == Ceiling.Limit.none.rawValue ? .bad : .plain),
                    Cell(rule.isPickerAllowed ? "allowed" : "not allowed"),
                ]
            },
            ifEmpty: "No ceilings: only decisions limit what a device may do."
        )
        return Report(wire: policy, identifiers: policy.ceilings.map(\.name), content: .table(table))
    }
}
