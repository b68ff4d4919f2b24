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
            the serial number.

            The formats are shown best first: what the preset photo takes is marked with *. Controls are shown with their
            range and default; nothing here changes them.

            EXAMPLES
              tintype-agent cameras
              tintype-agent cameras --all --json

            EXIT STATUS
              0 listed; 78 the settings cannot be read
            """
    )

    @Flag(help: "Lists every format and control, not only the first ones.")
    var all = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let settings = try common.settings()
        let consents = ConsentFile(in: Path(settings.path), policy: settings.consentPolicy)
        let station = try CaptureStation(settings: settings, consents: consents, pool: BlockingPool(width: 2))
        var documents: [CameraDocument] = []
        for camera in await station.devices.cameras() {
            let subject = ConsentSubject(capability: .camera, deviceID: camera.device.id)
            documents.append(CameraDocument(camera.device, consent: try await consents.status(for: subject)))
        }
        if common.json { return Console.print(try JSONText.text(["cameras": documents])) }
        Console.print(documents.map { $0.text(all: all) }.joined(separator: "\n\n"))
    }
}
