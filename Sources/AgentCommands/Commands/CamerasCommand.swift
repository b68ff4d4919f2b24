import AgentCapture
import AgentService
import ArgumentParser
import Capture
import PhotoModel
import Terminal

struct CamerasCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "cameras",
        "Lists the cameras of this box, and sets their controls.",
        """
        A camera is known by its identity, which stays when its device node's number changes: the socket, the name \
        and the serial number.

        A camera is opened, to be asked for its formats and controls, only once its use is allowed: until then it \
        is shown by its identity alone. The formats are shown best first: what the preset photo takes is marked \
        with *. Controls are shown with their range and default; tintype-agent cameras controls shows their values \
        and changes them. A bare sensor, such as a Raspberry Pi's own camera, is no camera before libcamera drives it: \
        it is shown with what to do. Once capture.libcamera.program is set, that program is run to list such cameras, \
        which takes no pictures. The last line names the encoder of movies: h264_v4l2m2m, which is looked for only if \
        all cameras may be used, h264_vaapi, or libx264 on the processor.
        """,
        examples: [
            "tintype-agent cameras",
            "tintype-agent cameras --all --json",
            "tintype-agent cameras controls brightness=140",
        ],
        exitStatuses: [0: "listed", 78: "the settings cannot be read"],
        subcommands: [CameraListCommand.self, ControlsCommand.self],
        defaultSubcommand: CameraListCommand.self
    )
}

struct CameraListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists the cameras of this box with their formats, controls and consents.",
        // As the default subcommand it is described by the command's own help.
        CamerasCommand.configuration.discussion
    )

    @Flag(help: "Lists every format and control, not only the first.")
    var all = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let settings = try common.settings()
        let provider = try settings.captureSessions()
        var documents: [CameraDocument] = []
        for camera in await provider.devices.cameras() {
            if let document = try await document(of: camera, provider.consents) { documents.append(document) }
        }
        let (sensors, problems) = await (provider.devices.sensors(), provider.devices.problems())
        let encoder = await provider.recorder.videoEncoderName()
        let list = CameraList(cameras: documents, sensors: sensors, problems: problems, videoEncoder: encoder)
        Console.print(common.json ? try JSONText.text(list) : list.text(all: all))
    }

    /// What may be shown of a camera; nil if the node turns out not to be one.
    private func document(of camera: any FrameSource, _ consents: Consents) async throws -> CameraDocument? {
        let subject = ConsentSubject(capability: .camera, deviceID: camera.device.id)
        let status = try await consents.status(for: subject)
        guard status == .authorized else {
            let what = camera.device.formats.isEmpty ? "formats and controls are" : "controls are"
            let next = "\(what) not known before its use is allowed"
            return CameraDocument(camera.device, consent: status, problem: next)
        }
        let consent = try await consents.consent(for: subject)
        do {
            let known = try await camera.examined(consent)
            let controls = try await (known as? any ControllableCamera)?.controls(consent) ?? []
            return CameraDocument(known.device, consent: status, controls: controls)
        } catch  where error.code == .unsupported {
            return nil
        } catch {
            return CameraDocument(camera.device, consent: status, problem: "\(error)")
        }
    }
}
