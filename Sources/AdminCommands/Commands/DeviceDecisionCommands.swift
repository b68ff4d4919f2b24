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

    @Option(help: .value("code", "Fails unless the device shows this code."))
    var expectCode: String?

    @Option(help: .reason)
    var reason: String?

    /// The answer in wire form.
    ///
    /// - Parameter levels: its levels; empty for those that the device asks for, or both if it asks for none.
    /// - Returns: the answer.
    func request(levels: [AccessLevel] = []) -> DecisionRequest {
        DecisionRequest(
            answer: answer.rawValue,
            levels: levels.isEmpty ? nil : levels.map(\.rawValue),
            expectedCode: expectCode,
            reason: reason
        )
    }

    /// Decides, and shows the device with the next step.
    func send(
        _ request: DecisionRequest,
        about device: DeviceSummary,
        _ client: LibraryClient,
        _ common: CommonOptions
    ) async throws {
        let next = ["tintypectl selection add \(Wording.short(device.keyFingerprint)) --asset ID"]
        try common.show(
            device: try await client.call(.adminDecide, [device.id], body: request),
            next: answer == .selected ? next : []
        )
    }
}

struct DeviceApprove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "approve",
        "Lets a pending device in, and decides what it may do.",
        """
        Compare the code: the box shows it too. Typing it, as the device's name or after --expect-code, counts as \
        comparing it; otherwise you are asked.
        """,
        examples: [
            "tintypectl device approve 3f9a2c --as add-only --expect-code WDJB-MJHT",
            "tintypectl device approve WDJB-MJHT --as add-only",
            "tintypectl device approve 3f9a2c --as selected --yes",
        ]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var decision: DecisionOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if decision.answer == .none {
            throw ValidationError("“none” approves nothing: to refuse the device, use tintypectl device revoke.")
        }
    }

    func run() async throws {
        let (client, found) = try await device.find(common)
        guard found.state == .pending else {
            throw AdminError(
                "The device is not pending: it is \(found.state.rawValue).",
                next: "tintypectl device decide \(Wording.short(found.keyFingerprint)) --as \(decision.answer.rawValue)"
            )
        }
        var request = decision.request()
        if case .code(let typed) = device.reference { request.expectedCode = typed }
        if request.expectedCode == nil, let code = found.verificationCode {
            try common.session.confirm("Device \(found.shownName) must show \(code). Does it?", yes: confirmation.yes)
        }
        try await decision.send(request, about: found, client, common)
    }
}

struct DeviceDecide: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "decide",
        "Decides what a device may do, replacing earlier decisions.",
        "The decision holds until it is changed or reset. With --level it covers one level only.",
        examples: [
            "tintypectl device decide 3f9a2c --as all",
            #"tintypectl device decide 3f9a2c --as none --level readWrite --reason "moved to the gate""#,
        ]
    )

    @OptionGroup var device: DeviceArgument

    @Option(help: "The level, addOnly or readWrite; may be repeated. Default: both.", transform: choice)
    var level: [AccessLevel] = []

    @OptionGroup var decision: DecisionOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, found) = try await device.find(common)
        // Without levels the server would take those that the device asks for.
        let levels = level.isEmpty ? AccessLevel.allCases : level
        try await decision.send(decision.request(levels: levels), about: found, client, common)
    }
}

struct DeviceLimit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "limit",
        "Lets a device see only the named assets, replacing its selection.",
        """
        Does in one step what tintypectl device decide --as selected and tintypectl selection do in several. The \
        device still sees its own captures.
        """,
        examples: [
            "tintypectl device limit 3f9a2c --album Gate",
            #"tintypectl device limit 3f9a2c --rule '"favorites"' --reason "for the frame""#,
        ]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var parts: SelectionParts

    @Option(help: .reason)
    var reason: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, found) = try await device.find(common)
        // The selection first, so that the device never sees the previous one under its new right.
        let selection = try await parts.parts.selection(client)
        let _: Selection = try await client.call(.adminSetSelection, [found.id], body: selection)
        let request = DecisionRequest(answer: AccessDecision.Answer.selected.rawValue, reason: reason)
        try common.show(
            device: try await client.call(.adminDecide, [found.id], body: request),
            next: ["tintypectl selection show \(Wording.short(found.keyFingerprint))"]
        )
    }
}

struct DeviceReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "reset",
        "Resets the decision, so that the device may ask again.",
        examples: ["tintypectl device reset 3f9a2c"]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, found) = try await device.find(common)
        try common.session.confirm("Forget what was decided about \(found.shownName)?", yes: confirmation.yes)
        try common.show(device: try await client.call(.adminReset, [found.id]))
    }
}
