import ArgumentParser
import Authorization
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

/// The options of every decision.
struct DecisionOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: "What it may do: all, selected (see tintypectl selection), add-only or none.",
        transform: choice
    )
    var answer: AccessDecision.Answer

    @Option(help: ArgumentHelp("Fails unless the device shows this code.", valueName: "code"))
    var expectCode: String?

    @Option(help: ArgumentHelp("Why, for the audit.", valueName: "text"))
    var reason: String?

    /// The answer in wire form.
    ///
    /// - Parameter levels: its levels; empty for both.
    /// - Returns: the answer.
    func request(levels: [AccessLevel] = []) -> DecisionRequest {
        DecisionRequest(
            answer: answer.rawValue,
            levels: levels.isEmpty ? nil : levels.map(\.rawValue),
            expectedCode: expectCode,
            reason: reason
        )
    }
}

struct DeviceApprove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Lets a pending device in, and decides what it may do.",
        discussion: """
            Compare the code: the box shows it too. Typing it, as the device's name or after --expect-code, counts as \
            comparing it; otherwise you are asked.

            EXAMPLES
              tintypectl device approve 3f9a2c --as add-only --expect-code WDJB-MJHT
              tintypectl device approve WDJB-MJHT --as add-only
              tintypectl device approve 3f9a2c --as selected --yes
            """
    )

    @Argument(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var device: DeviceReference

    @OptionGroup var decision: DecisionOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if decision.answer == .none {
            throw ValidationError("“none” approves nothing: to refuse the device, use tintypectl device revoke.")
        }
    }

    func run() async throws {
        let client = try common.client()
        let found = try await client.device(device)
        guard found.state == .pending else {
            throw AdminError(
                "The device is not pending: it is \(found.state.rawValue).",
                next: "tintypectl device decide \(Wording.short(found.keyFingerprint)) --as \(decision.answer.rawValue)"
            )
        }
        var request = decision.request()
        if case .code(let typed) = device { request.expectedCode = typed }
        if request.expectedCode == nil, let code = found.verificationCode {
            try common.session.confirm(
                "Device \(DeviceName(found.name).shown(with: found.keyFingerprint)) must show \(code). Does it?",
                yes: confirmation.yes
            )
        }
        let decided: DeviceSummary = try await client.call(.adminDecide, [found.id], body: request)
        let next =
            decision.answer == .selected
            ? ["tintypectl selection add \(Wording.short(decided.keyFingerprint)) --asset ID"] : []
        try common.show(.device(decided, now: common.session.now(), next: next))
    }
}

struct DeviceDecide: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide",
        abstract: "Decides what a device may do, replacing earlier decisions.",
        discussion: """
            The decision holds until it is changed or reset. With --level it covers one level only.

            EXAMPLES
              tintypectl device decide 3f9a2c --as all
              tintypectl device decide 3f9a2c --as none --level readWrite \\
                --reason "moved to the gate"
            """
    )

    @Argument(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var device: DeviceReference

    @Option(
        help: "The level, addOnly or readWrite; may be repeated. Default: both.",
        transform: choice
    )
    var level: [AccessLevel] = []

    @OptionGroup var decision: DecisionOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let found = try await client.device(device)
        let body = decision.request(levels: level)
        let decided: DeviceSummary = try await client.call(.adminDecide, [found.id], body: body)
        let next =
            decision.answer == .selected
            ? ["tintypectl selection add \(Wording.short(decided.keyFingerprint)) --asset ID"] : []
        try common.show(.device(decided, now: common.session.now(), next: next))
    }
}

struct DeviceLimit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Lets a device see only the named assets, replacing its selection.",
        discussion: """
            Does in one step what tintypectl device decide --as selected and tintypectl selection do in several. The \
            device still sees its own captures.

            EXAMPLES
              tintypectl device limit 3f9a2c --album Gate
              tintypectl device limit 3f9a2c --rule '"favorites"' --reason "for the frame"
            """
    )

    @Argument(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var device: DeviceReference

    @OptionGroup var parts: SelectionParts

    @Option(help: ArgumentHelp("Why, for the audit.", valueName: "text"))
    var reason: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let found = try await client.device(device)
        // The selection first, so that the device never sees the previous one under its new right.
        let selection = try await parts.parts.selection(client)
        let _: Selection = try await client.call(.adminSetSelection, [found.id], body: selection)
        let request = DecisionRequest(
            answer: AccessDecision.Answer.selected.rawValue,
            levels: nil,
            expectedCode: nil,
            reason: reason
        )
        let limited: DeviceSummary = try await client.call(.adminDecide, [found.id], body: request)
        let next = ["tintypectl selection show \(Wording.short(found.keyFingerprint))"]
        try common.show(.device(limited, now: common.session.now(), next: next))
    }
}

struct DeviceReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Resets the decision, so that the device may ask again.",
        discussion: """
            EXAMPLES
              tintypectl device reset 3f9a2c
            """
    )

    @Argument(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var device: DeviceReference

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let found = try await client.device(device)
        try common.session.confirm(
            "Forget what was decided about \(DeviceName(found.name).shown(with: found.keyFingerprint))?",
            yes: confirmation.yes
        )
        let reset: DeviceSummary = try await client.call(.adminReset, [found.id])
        try common.show(.device(reset, now: common.session.now()))
    }
}
