import AgentCapture
import AgentService
import ArgumentParser
import Capture
import Terminal

struct ControlsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "controls",
        "Shows the controls of one camera with their values, and sets them.",
        """
        A control is named by a word (white_balance_automatic), its driver's name or its number (0x0098090c). Its \
        value is a number, a menu item by name, on or off, or the word default. Changes are made in the given order, \
        even while the service uses the camera: an automatic must be off before its value can be set. Values stay \
        until the camera loses power.
        """,
        examples: [
            "tintype-agent cameras controls",
            #"tintype-agent cameras controls auto_exposure="Manual Mode" \"#,
            "  exposure_time_absolute=156",
            "tintype-agent cameras controls brightness=default --camera usb:1-3:1.0/A1",
        ],
        exitStatuses: [
            0: "shown or set", 1: "the camera refuses", 4: "nobody has decided about it", 64: "a change cannot be read",
            77: "its use was denied", 78: "the settings cannot be read",
        ]
    )

    @Argument(help: "What to set, as NAME=VALUE; may be repeated.")
    var changes: [CaptureControlChange] = []

    @Option(help: "The camera by its identity, as tintype-agent cameras lists it; else the first one.")
    var camera: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let settings = try common.settings()
        let provider = try settings.captureSessions()
        let cameras = await provider.devices.cameras()
        let camera = try chosen(among: cameras)
        let consent = try await provider.consent(.camera, for: camera.device.id)
        for change in changes {
            // Which controls can be set depends on earlier changes.
            let (control, value) = try change.resolved(among: try await camera.controls(consent))
            try await camera.set(control, to: value)
        }
        let document = CameraDocument(
            camera.device,
            consent: .authorized,
            controls: try await camera.controls(consent),
            values: try await camera.controlValues(consent)
        )
        Console.print(common.json ? try JSONText.text(document) : document.text(all: true))
    }

    /// The named camera, else the first; other kinds of camera have no controls.
    private func chosen(among cameras: [any FrameSource]) throws -> any ControllableCamera {
        let controllable = cameras.compactMap { $0 as? any ControllableCamera }
        guard let id = camera else {
            if let first = controllable.first { return first }
            throw AgentError(.failed, "there is no camera on this box whose controls could be set")
        }
        if let named = controllable.first(where: { $0.device.id.rawValue == id }) { return named }
        let reason =
            cameras.contains { $0.device.id.rawValue == id }
            ? "only a camera of this machine has controls; a program's camera is controlled by its arguments"
            : "it is not there: see tintype-agent cameras"
        throw AgentError(.failed, "the controls of the camera \(id) cannot be read: \(reason)")
    }
}

extension CaptureControlChange: ExpressibleByArgument {
    /// Reads a change from the command line.
    package init?(argument: String) {
        self.init(argument)
    }
}
