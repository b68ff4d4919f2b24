import ArgumentParser
import Capture
import FoundationEssentials
import Persistence
import PhotoModel

struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Takes photos or Live Photos, into the queue or into a folder.",
        discussion: """
            Each shot is durable before it is reported. Into the queue (the default) it waits for the next sync; with
            --output the files go to a folder, and no library is needed. Without a real camera the synthetic one is used.

            EXAMPLES
              tintype-agent capture
              tintype-agent capture --live-photo --count 3 --interval 2
              tintype-agent capture --live-photo --output pictures --json

            EXIT STATUS
              0 taken; 1 failed; 4 nobody has decided about the camera; 73 no room; 77 not allowed; 78 a usage text is missing
            """
    )

    @Flag(help: "Takes Live Photos: a still, and a movie from 1.5 s before to 1.5 s after it.")
    var livePhoto = false

    @Flag(inversion: .prefixedNo, help: "Whether the movies of Live Photos have sound.")
    var sound = true

    @Option(help: "How many shots, 1 to 10000.")
    var count = 1

    @Option(help: "Seconds from the beginning of one shot to that of the next; 0 takes them one right after the other.")
    var interval = 0.0

    @Option(help: "The camera by its identity: see tintype-agent cameras.")
    var camera: String?

    @Option(help: "A folder for the files; nothing is queued.")
    var output: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard 1...10_000 ~= count else { throw ValidationError("--count takes 1 to 10000") }
        guard 0...86_400 ~= interval else { throw ValidationError("--interval takes 0 to 86400 seconds") }
    }

    func run() async throws {
        let settings = try common.settings()
        let (filing, root) = try filing(settings)
        let station = try CaptureStation(
            settings: settings,
            consents: ConsentFile(in: root, policy: settings.consentPolicy)
        )
        var request = CaptureStation.Request()
        request.camera = (camera ?? settings.camera).map { CaptureDevice.ID(rawValue: $0) }
        request.isLivePhoto = livePhoto
        request.hasSound = sound
        if Console.isErrorTerminal, !common.json { Console.overwrite("opening the camera…") }
        let shots = try await station.withSession(request) { session, camera in
            try await takeShots(session, camera, filing)
        }
        if Console.isErrorTerminal, !common.json { Console.overwrite("") }
        try show(shots)
    }

    /// Where shots go, and the folder that holds the decisions about devices.
    private func filing(_ settings: AgentSettings) throws -> (any CaptureFiling, Path) {
        guard let output else {
            let agent = try common.agent()
            return (QueueFiling(store: agent.store, limits: agent.limits, album: settings.album), Path(settings.path))
        }
        let folder = Path(output)
        try PosixFileSystem().createDirectories(folder)
        return (FolderFiling(folder: folder), Path(settings.path))
    }

    private func takeShots(
        _ session: CaptureSession,
        _ camera: CaptureDevice,
        _ filing: any CaptureFiling
    ) async throws -> [CapturedShot] {
        var shots: [CapturedShot] = []
        let clock = ContinuousClock()
        var due = clock.now
        for number in 1...count {
            if Console.isErrorTerminal, !common.json { Console.overwrite("shot \(number) of \(count)…") }
            var generator = SystemRandomNumberGenerator()
            let id = AssetID.version7(unixMilliseconds: Box.now().millisecondsSince1970, using: &generator)
            var settings = CapturePhotoSettings(uniqueID: id, folder: try filing.workFolder(for: id))
            settings.isLivePhoto = livePhoto
            let result = try await session.capture(settings)
            shots.append(CapturedShot(result, camera: camera, files: try filing.file(result)))
            // Fixed phase: a late shot does not push the next ones, and slots that are over are left out.
            due += .seconds(interval)
            if number < count, due > clock.now { try await clock.sleep(until: due) }
        }
        return shots
    }

    private func show(_ shots: [CapturedShot]) throws {
        if common.json { return Console.print(try JSONText.text(CaptureDocument(captures: shots))) }
        for shot in shots {
            let what = shot.isLivePhoto ? "Live Photo" : "photo"
            let flags = shot.flags.isEmpty ? "" : " (\(shot.flags.joined(separator: ", ")))"
            Console.print("\(what) \(shot.id), \(Console.size(shot.byteCount)), lag \(shot.lagMilliseconds) ms\(flags)")
            for file in shot.files where output != nil { Console.print("  \(Console.visible(file))") }
        }
        let next = output == nil ? " In the queue; next: tintype-agent sync --once" : ""
        Console.print("\(shots.count) taken, \(Console.size(shots.reduce(0) { $0 + $1.byteCount })).\(next)")
    }
}

/// What a capture made, for programs.
struct CaptureDocument: Encodable {
    let captures: [CapturedShot]
}

/// One shot, for programs.
struct CapturedShot: Encodable, Sendable {
    let id: AssetID
    let isLivePhoto: Bool
    let camera: String
    let captureTime: CaptureTime
    let trigger: String
    let lagMilliseconds: Double
    let byteCount: Int64
    let files: [String]
    let flags: [String]

    init(_ result: CaptureResult, camera: CaptureDevice, files: [Path]) {
        id = result.id
        isLivePhoto = result.movie != nil
        self.camera = camera.id.rawValue
        captureTime = result.frame.captureTime
        trigger = result.trigger.kind.rawValue
        lagMilliseconds = ((result.frame.lag / .milliseconds(1)) * 10).rounded() / 10
        byteCount = result.resources.reduce(0) { $0 + $1.file.byteCount }
        self.files = files.map(\.text)
        flags = result.flags.map(\.rawValue).sorted()
    }
}
