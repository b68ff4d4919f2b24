import AgentCapture
import AgentService
import ArgumentParser
import Capture
import Persistence
import PhotoModel
import Terminal

struct ConsentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "consent",
        "Shows and decides which cameras and microphones may be used on this box.",
        """
        A decision is remembered and can be changed at any time; a running service applies it at once, stopping and \
        starting devices. No answer opens a device that the setting capture.consent restricts.

        The states are notDetermined (nobody has been asked), restricted (the settings forbid it), denied, and \
        authorized.
        """,
        examples: [
            "tintype-agent consent show",
            "tintype-agent consent set camera authorized",
            "tintype-agent consent set microphone denied",
            "tintype-agent consent reset camera",
        ],
        exitStatuses: [
            0: "shown or decided", 64: "the command line is wrong",
            78: "the settings cannot be read, or root may not decide for the agent's user",
        ],
        subcommands: [Show.self, Set.self, Reset.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration("show", "Shows the rules for all devices.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let (consents, subjects) = try await common.consents(for: nil)
            var rows: [ConsentRow] = []
            for subject in subjects { rows.append(ConsentRow(subject, try await consents.status(for: subject))) }
            try ConsentRow.show(rows, asJSON: common.json)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration("set", "Decides for every camera, or every microphone.")

        @Argument(help: "camera or microphone.")
        var capability: CaptureDevice.Capability

        @Argument(help: "authorized or denied.")
        var answer: Answer

        @Option(help: "Only this device.")
        var device: String?

        @OptionGroup var common: CommonOptions

        enum Answer: String, ExpressibleByArgument, CaseIterable {
            case authorized, denied
        }

        func run() async throws {
            try await common.decide(answer == .authorized ? .authorized : .denied, capability, device)
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration("reset", "Resets the decision; the next use asks again.")

        @Argument(help: "camera or microphone.")
        var capability: CaptureDevice.Capability

        @Option(help: "Only this device.")
        var device: String?

        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.decide(.notDetermined, capability, device)
        }
    }
}

extension CaptureDevice.Capability: ExpressibleByArgument {}

extension CommonOptions {
    /// The decisions, and the current devices' uses.
    fileprivate func consents(
        for capability: CaptureDevice.Capability?
    ) async throws -> (ConsentFile, [ConsentSubject]) {
        let settings = try settings()
        let consents = settings.consents
        let provider = try settings.captureSessions()
        let cameras = await provider.devices.cameras().map(\.device)
        let devices = cameras + (await provider.devices.microphones()).map(\.device)
        let subjects = devices.filter { capability == nil || $0.capability == capability }
            .map { ConsentSubject(capability: $0.capability, deviceID: $0.id) }
        return (consents, subjects)
    }

    fileprivate func decide(
        _ status: ConsentStatus,
        _ capability: CaptureDevice.Capability,
        _ device: String?
    ) async throws {
        try FolderOwner.check(Path(try settings().path))
        var (consents, subjects) = try await consents(for: capability)
        if let device { subjects = [ConsentSubject(capability: capability, deviceID: .init(rawValue: device))] }
        var decided: [ConsentRow] = []
        for subject in subjects {
            try await consents.setStatus(status, for: subject)
            decided.append(ConsentRow(subject, try await consents.status(for: subject)))
        }
        try ConsentRow.show(decided, asJSON: json)
    }
}

/// The decision about one device.
private struct ConsentRow: Encodable {
    let capability: String
    let status: String
    let device: String

    init(_ subject: ConsentSubject, _ status: ConsentStatus) {
        capability = subject.capability.rawValue
        self.status = status.rawValue
        device = subject.deviceID.rawValue
    }

    static func show(_ rows: [ConsentRow], asJSON: Bool) throws {
        if asJSON { return Console.print(try JSONText.text(["consents": rows])) }
        Console.print(Console.table(rows.map { [$0.capability, $0.status, Console.visible($0.device)] }))
    }
}
