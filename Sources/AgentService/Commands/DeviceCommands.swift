import ArgumentParser
import Capture
import Persistence
import PhotoModel

struct CamerasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cameras",
        abstract: "Lists the cameras of this box with their formats, controls and what was decided about them.",
        discussion: """
            A camera is known by its identity, which stays when its device node's number changes: the socket, the name and
            the serial number. The first format is the one that is used.

            EXAMPLES
              tintype-agent cameras
              tintype-agent cameras --all --json
            """
    )

    @Flag(help: "Lists every format and control, not only the first ones.")
    var all = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let settings = try common.settings()
        let consents = ConsentFile(in: Path(settings.path), policy: settings.consentPolicy)
        let station = try CaptureStation(settings: settings, consents: consents)
        var documents: [CameraDocument] = []
        for camera in station.cameras() {
            let subject = ConsentSubject(capability: .camera, deviceID: camera.device.id)
            documents.append(CameraDocument(camera.device, consent: try await consents.status(for: subject)))
        }
        if common.json { return Console.print(try JSONText.text(["cameras": documents])) }
        Console.print(documents.map { $0.text(all: all) }.joined(separator: "\n\n"))
    }
}

struct ConsentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent",
        abstract: "Shows and decides which cameras and microphones may be used on this box.",
        discussion: """
            A decision is remembered and can be changed at any time. Nobody's answer opens a device that the setting
            capture.consent restricts.

            EXAMPLES
              tintype-agent consent show
              tintype-agent consent set camera authorized
              tintype-agent consent set microphone denied
              tintype-agent consent reset camera
            """,
        subcommands: [Show.self, Set.self, Reset.self],
        defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows what holds for every device.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let (consents, subjects) = try common.consents(for: nil)
            var rows: [[String]] = []
            for subject in subjects {
                let status = try await consents.status(for: subject).rawValue
                rows.append([subject.capability.rawValue, status, Console.visible(subject.deviceID.rawValue)])
            }
            guard common.json else { return Console.print(Console.table(rows)) }
            let documents = rows.map { ["capability": $0[0], "status": $0[1], "device": $0[2]] }
            Console.print(try JSONText.text(["consents": documents]))
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Decides for every camera, or every microphone.")

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
        static let configuration = CommandConfiguration(abstract: "Forgets what was decided; the next use asks again.")

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
    /// The decisions, and the uses of devices that are there now.
    fileprivate func consents(
        for capability: CaptureDevice.Capability?
    ) throws -> (ConsentFile, [ConsentSubject]) {
        let settings = try settings()
        let consents = ConsentFile(in: Path(settings.path), policy: settings.consentPolicy)
        let station = try CaptureStation(settings: settings, consents: consents)
        let devices = station.cameras().map(\.device) + station.microphones().map(\.device)
        let subjects = devices.filter { capability == nil || $0.capability == capability }
            .map { ConsentSubject(capability: $0.capability, deviceID: $0.id) }
        return (consents, subjects)
    }

    fileprivate func decide(
        _ status: ConsentStatus,
        _ capability: CaptureDevice.Capability,
        _ device: String?
    ) async throws {
        var (consents, subjects) = try consents(for: capability)
        if let device { subjects = [ConsentSubject(capability: capability, deviceID: .init(rawValue: device))] }
        for subject in subjects {
            try PosixFileSystem().createDirectories(Path(try settings().path))
            try await consents.setStatus(status, for: subject)
            let holds = try await consents.status(for: subject).rawValue
            Console.print("\(capability.rawValue) \(Console.visible(subject.deviceID.rawValue)): \(holds)")
        }
    }
}
