import ArgumentParser
import Authorization
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "request",
        "Shows and answers devices' requests.",
        """
        Devices ask to be let in, for a level of access, or for more of a selection. A request is open for 7 days; \
        then it expires and the device may ask again. A decision is remembered.
        """,
        examples: ["tintypectl request list", "tintypectl request decide 3f9a2c --as selected"],
        subcommands: [RequestList.self, RequestDecide.self, RequestExpand.self]
    )
}

struct RequestList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists open requests, oldest first.",
        examples: ["tintypectl request list", "tintypectl request list --json"],
        aliases: ["inbox"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let page: AccessRequestPage = try await client.call(.adminRequests)
        let inbox = Inbox(page, devices: try await client.devices())
        let now = common.session.now()
        let table = Table(
            columns: [
                .init("DEVICE"), .init("NAME", isFlexible: true), .init("ASKS FOR"), .init("ASKED", isOptional: true),
                .init("ENDS", isOptional: true),
                .init("WHY", isFlexible: true),
            ],
            rows: inbox.rows(now: now),
            ifEmpty: "No open requests."
        )
        var report = Report(wire: inbox, identifiers: inbox.deviceIDs.map(\.description), content: .table(table))
        report.next = inbox.next.map { [$0] } ?? []
        try common.show(report)
    }
}

struct RequestDecide: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "decide",
        "Answers a device's open requests, and nothing else.",
        "The answer covers the levels that the device asks for. To change others: tintypectl device decide.",
        examples: [
            "tintypectl request decide 3f9a2c --as all",
            #"tintypectl request decide 3f9a2c --as none --reason "no need to read""#,
        ]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var decision: DecisionOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, found) = try await device.find(common)
        let levels = found.authorization.pending.compactMap { AccessLevel(rawValue: $0.level) }
        guard !levels.isEmpty else {
            throw AdminError(
                "The device asks for nothing.",
                next: "tintypectl device decide \(Wording.short(found.keyFingerprint)) --as \(decision.answer.rawValue)"
            )
        }
        let body = decision.request(levels: levels)
        try common.show(device: try await client.call(.adminDecide, [found.id], body: body))
    }
}

struct RequestExpand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "expand",
        "Answers a limited device that asks to see more.",
        "What is named joins its selection; with --refuse nothing does. Either way the request is closed.",
        examples: [
            "tintypectl request expand 3f9a2c --album Gate",
            #"tintypectl request expand 3f9a2c --rule '{"rating": 4}' --reason "for the frame""#,
            "tintypectl request expand 3f9a2c --refuse",
        ]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var parts: OptionalSelectionParts

    @Flag(help: "Adds nothing.")
    var refuse = false

    @Option(help: .reason)
    var reason: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if parts.isEmpty != refuse { throw ValidationError("Say what joins: --asset, --album or --rule; or --refuse.") }
    }

    func run() async throws {
        let (client, found) = try await device.find(common)
        let more = try await parts.selection(client)
        let decision = ExpansionDecision(
            assets: more.assets.sorted(),
            rules: more.rules,
            grantedAlbums: more.grantedAlbums.sorted(),
            reason: reason
        )
        try common.show(device: try await client.call(.adminDecideExpansion, [found.id], body: decision))
    }
}
