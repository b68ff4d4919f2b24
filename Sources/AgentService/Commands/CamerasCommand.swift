import ArgumentParser
import Capture
import Persistence
import PhotoModel

struct CamerasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cameras",
        abstract: "Lists the cameras of this box with their formats and what was decided about them.",
        discussion: """
            A camera is known by its identity, which stays when its device node's number changes.

            The formats are shown best first: what the preset photo takes is marked with *. Controls are shown with their
            range and default; nothing here changes them.

            EXAMPLES
              tintype-agent cameras
              tintype-agent cameras --all --json

            EXIT STATUS
              0 listed; 78 the settings cannot be read
            """
    )

    @Flag(help: "Lists every format, not only the best ones.")
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
        for camera in documents {
            Console.print("\(Console.visible(camera.model))  \(Console.visible(camera.id))  consent: \(camera.consent)")
            let shown = all ? camera.formats : Array(camera.formats.prefix(3))
            let rows = shown.map { [$0.isChosen ? "*" : " ", $0.pixelFormat, $0.size, "\($0.rate)/s"] }
            if !rows.isEmpty { Console.print(Console.table(rows).indented) }
            let left = camera.formats.count - shown.count
            if left > 0 { Console.print("  and \(left) more: --all") }
            if !camera.controls.isEmpty { Console.print(Console.table(camera.controls.map(\.row)).indented) }
        }
    }
}

/// A camera, for programs.
private struct CameraDocument: Encodable {
    struct Format: Encodable {
        let pixelFormat: String
        let size: String
        let framesPerSecond: Double
        /// Whether the preset photo takes it.
        let isChosen: Bool

        var rate: String {
            framesPerSecond == framesPerSecond.rounded() ? "\(Int(framesPerSecond))" : "\(framesPerSecond)"
        }
    }

    struct Control: Encodable {
        let name: String
        let minimum: Int64
        let maximum: Int64
        let step: UInt64
        let defaultValue: Int64
        let isWritable: Bool

        var row: [String] {
            let range = "\(minimum) to \(maximum)" + (step > 1 ? ", step \(step)" : "")
            return [Console.visible(name), range, "default \(defaultValue)" + (isWritable ? "" : ", not now")]
        }
    }

    let id: String
    let model: String
    let manufacturer: String?
    let serialNumber: String?
    let consent: String
    let formats: [Format]
    let controls: [Control]

    init(_ device: CaptureDevice, consent: ConsentStatus) {
        id = device.id.rawValue
        model = device.model
        manufacturer = device.manufacturer
        serialNumber = device.serialNumber
        self.consent = consent.rawValue
        let chosen = FormatChoice().format(among: device.formats)
        formats = device.formats.map {
            Format(
                pixelFormat: $0.pixelFormat.description,
                size: $0.size.description,
                framesPerSecond: $0.frameInterval.framesPerSecond,
                isChosen: $0 == chosen
            )
        }
        controls = device.controls.map {
            Control(
                name: $0.name,
                minimum: $0.range.lowerBound,
                maximum: $0.range.upperBound,
                step: $0.step,
                defaultValue: $0.defaultValue,
                isWritable: $0.isWritable
            )
        }
    }
}

extension String {
    /// Every line two columns further in.
    fileprivate var indented: String {
        split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    }
}
