import ArgumentParser
import Authorization
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct DeviceLint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "lint",
        "Finds rights that go further than needed; exits with 1 if it finds any.",
        """
        It looks for rights without a reason or use (boxes that may read and only save), selections that select \
        everything, copies to be resolved, and tokens that admit many devices or last long. The server records \
        once a day that a device added, and that it read or edited what is not its own; following the change \
        feed does not count as use. Nothing is changed.
        """,
        examples: ["tintypectl device lint", "tintypectl device lint --unused 30d --json"]
    )

    @Option(help: .value("time", "How long a right may go unused, such as 30d or 12h."))
    var unused = TimeSpan(seconds: 30 * 86_400)

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let devices = try await client.devices()
        var selections: [DeviceID: Selection] = [:]
        for device in devices where device.authorization.readWrite == .limited {
            selections[device.id] = try await client.call(.adminSelection, [device.id], as: Selection.self)
        }
        let tokens: EnrollmentTokenPage = try await client.call(.adminEnrollmentTokens)
        let linter = GrantLinter(now: common.session.now(), unused: .seconds(unused.seconds))
        let findings =
            devices.flatMap { linter.findings(in: $0, selection: selections[$0.id]) }
            + tokens.tokens.flatMap { linter.findings(in: $0) }
        let table = Table(
            columns: [.init("OBJECT"), .init("FINDING", isFlexible: true)],
            rows: findings.map { [Cell($0.object), Cell($0.finding, .warning)] },
            ifEmpty: "No right goes further than needed: \(Wording.count(devices.count, "device")) checked."
        )
        try common.show(
            Report(
                wire: findings,
                identifiers: findings.map(\.object),
                content: .table(table),
                next: findings.map(\.next)
            )
        )
        guard findings.isEmpty else {
            throw AdminError(
                "\(Wording.count(findings.count, "right goes", plural: "rights go")) further than needed.",
                next: findings[0].next
            )
        }
    }
}

/// Compares what devices and tokens may do with what they claimed and did.
struct GrantLinter {
    /// A right that goes further than necessary.
    struct Finding: Hashable, Encodable {
        /// The device, by its fingerprint, or the token.
        let object: String
        /// What is wrong.
        let finding: String
        /// The command that fixes it.
        let next: String
    }

    /// A token that is valid for longer, or admits more, is an open door.
    private static let tokenLifetime = Duration.seconds(30 * 86_400)
    private static let tokenUseCount = 100

    let now: WallTime
    let unused: Duration

    /// What is wrong with a device's rights.
    func findings(in device: DeviceSummary, selection: Selection?) -> [Finding] {
        let name = Wording.short(device.keyFingerprint)
        var findings: [Finding] = []
        func add(_ finding: String, _ next: String) {
            findings.append(Finding(object: name, finding: finding, next: "tintypectl device \(next)"))
        }
        if device.state == .suspect { add("two copies were seen", "resolve \(name)") }
        guard device.state == .active || device.state == .draining else { return findings }
        let reads = [.authorized, .limited].contains(device.authorization.readWrite)
        let adds = reads || device.authorization.addOnly == .authorized
        if reads, device.usage.readWrite?.isEmpty ?? true {
            // Not `none` for readWrite: that would stop a camera whose addOnly was never decided.
            add("may read, and gave no reason", "decide \(name) --as add-only")
        }
        if let selection, selection.rules.contains(where: \.matchesEverything) {
            add("its selection is everything", "show \(name)")
        }
        if adds, now.duration(since: device.lastSeen ?? device.firstSeen) > unused {
            let since = device.lastSeen.map { "unused since \(Wording.relative($0, now: now))" }
            add("its rights are \(since ?? "unused: it never made contact")", "revoke \(name)")
        } else if let since = device.usesNotedSince.map({ max($0, device.changedAt) }) {
            // Only if the decision is as old as the period: a right granted yesterday need not have been used.
            let isIdle = { now.duration(since: max($0 ?? since, since)) > unused }
            let seconds = unused.components.seconds
            let isWholeDays = seconds % 86_400 == 0
            let days = isWholeDays ? Wording.count(Int(seconds / 86_400), "day") : Wording.span(unused)
            switch (reads && isIdle(device.lastRead), adds && isIdle(device.lastAdded)) {
            case (true, false):
                add("has not used readWrite in \(days): saves only", "decide \(name) --as add-only")
            case (true, true): add("has neither read nor added anything in \(days)", "show \(name)")
            case (false, true) where !reads: add("has not added anything in \(days)", "show \(name)")
            case (false, _): break
            }
        }
        if adds, !device.lookAlikes.isEmpty { add("its name looks like another device's", "rename \(name) NAME") }
        return findings
    }

    /// What is wrong with a token.
    func findings(in token: EnrollmentTokenSummary) -> [Finding] {
        guard token.usesLeft > 0, token.expires > now else { return [] }
        var words: [String] = []
        if token.usesLeft > Self.tokenUseCount { words.append("still admits \(token.usesLeft) devices") }
        if token.expires.duration(since: now) > Self.tokenLifetime {
            words.append("is valid until \(Wording.date(token.expires))")
        }
        if token.maximum == Ceiling.Limit.readWrite.rawValue { words.append("lets any holder read everything") }
        return words.map { words in
            Finding(object: "\(token.id)", finding: words, next: "tintypectl enrollment-token revoke \(token.id)")
        }
    }
}

extension AssetFilter {
    /// Whether it obviously excludes nothing: `all` of nothing, or an `any` with such a part.
    fileprivate var matchesEverything: Bool {
        switch self {
        case .all(let parts): parts.allSatisfy(\.matchesEverything)
        case .any(let parts): parts.contains(where: \.matchesEverything)
        case .captured(let range): range.from == nil && range.until == nil
        default: false
        }
    }
}
