import AgentCapture
import AgentService
import ArgumentParser
import Capture
import Persistence
import PhotoLibrary
import PhotoModel
import Terminal

struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "capture",
        "Takes photos or Live Photos, into the queue or into a folder.",
        """
        Each shot is durable before it is reported. Into the queue (the default) it waits for the next sync; with \
        --output the files go to a folder, and no library is needed. Without a real camera the synthetic one is used.

        If tintype-agent run is running here, it takes the shots with the camera it has open, at the moment of the \
        command, and pictures from just before it are still available. Otherwise the camera is opened, which takes as \
        long as its exposure needs to settle.

        OUTPUT
          A line a shot and a summary on standard output; progress on standard error,
          when that is a terminal. With --json one object:
            {"captures": [{"id", "isLivePhoto", "camera", "trigger", "requestedTime",
            "captureTime", "lagMilliseconds", "byteCount", "files", "flags",
            "profile"}]}
          Flags: liveIncomplete (no movie), audioAbsent, audioGap, movieCutShort.
          Where a shot fails, those that were taken before it are told all the same.
        """,
        examples: [
            "tintype-agent capture",
            "    one photo into the queue",
            "tintype-agent capture --live-photo --output pictures",
            "    IMG_….JPG and IMG_….MOV in the folder pictures",
            "tintype-agent capture --count 10 --interval 60",
            "    one photo a minute; a minute that was missed is left out, not made up for",
            "tintype-agent capture --burst 30",
            "    thirty frames in a row, none left out, as one burst",
            "tintype-agent capture --raw",
            "    a JPEG and a DNG of a sensor that offers raw samples, as one photo",
            "tintype-agent capture --bracket=-2,0,2",
            "    two stops darker, as the camera would, two stops brighter; one burst",
            "tintype-agent capture --profile gate --json",
            "    as the profile gate of the settings says; one JSON object",
        ],
        exitStatuses: [
            0: "everything that was asked for was taken",
            1: "the camera, the encoder or the disk failed; the error says which",
            4: "nobody has decided: tintype-agent consent set camera authorized", 64: "the command line is wrong",
            73: "there is no room for more captures", 77: "the camera may not be used",
            78: "a setting is wrong, or the usage text that the error names is missing",
        ]
    )

    @Flag(help: "Takes Live Photos: a still, and a movie from 1.5 s before to 1.5 s after it.")
    var livePhoto = false

    @Flag(inversion: .prefixedNo, help: "Whether the movies of Live Photos have sound.")
    var sound = true

    @Option(help: "How many shots, 1 to 10000.")
    var count = 1

    @Option(help: "Seconds from the start of one shot to the start of the next; 0 for no pause.")
    var interval = 0.0

    @Option(help: "Consecutive frames per shot, 1 to 1000.")
    var burst: Int?

    @Flag(help: "Keeps the sensor's raw samples beside the photo, as DNG (shot.raw).")
    var raw = false

    @Option(help: "Exposures in EV, 2 to 9 from -6 to 6, one frame each: --bracket=-2,0,2 (shot.bracket).")
    var bracket: ExposureList?

    @Option(help: "The camera by its identity: see tintype-agent cameras.")
    var camera: String?

    @Option(help: "A profile of the settings, or its file; the other flags change it for this command.")
    var profile: String?

    @Option(help: "A folder for the files; nothing is queued.")
    var output: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard 1...10_000 ~= count else { throw ValidationError("--count takes 1 to 10000") }
        guard 0...86_400 ~= interval else { throw ValidationError("--interval takes 0 to 86400 seconds") }
        guard 1...1000 ~= burst ?? 1 else { throw ValidationError("--burst takes 1 to 1000") }
        guard !livePhoto || burst ?? 1 == 1 else {
            throw ValidationError("a Live Photo is one frame and its movie: leave out --burst or --live-photo")
        }
        guard bracket == nil || burst == nil && !livePhoto else {
            throw ValidationError("a bracket is a series of stills: leave out --bracket, or --burst and --live-photo")
        }
        guard !raw || !livePhoto else {
            throw ValidationError("a Live Photo has no raw samples: leave out --raw or --live-photo")
        }
        if let problem = bracket.flatMap({ CaptureProfile.problem(ofBracket: $0.biases) }) {
            throw ValidationError(problem)
        }
    }

    func run() async throws {
        let settings = try common.settings()
        var shots: [CapturedShot] = []
        common.showProgress("opening the camera…")
        let service = output == nil ? try await ControlClient(socketPath: settings.socketPath) : nil
        do {
            if let service {
                try await takeShots { shots += try await service.capture(order).captures }
            } else {
                try await takeShotsHere(settings) { shots += $0 }
            }
        } catch {
            common.showProgress("")
            // Shots taken before the failure are durable, so report them.
            if !shots.isEmpty { try show(shots, isFiledByService: service != nil) }
            throw error
        }
        common.showProgress("")
        try show(shots, isFiledByService: service != nil)
    }

    /// Opens the camera in this process and takes the shots.
    private func takeShotsHere(_ settings: AgentSettings, onShots: ([CapturedShot]) -> Void) async throws {
        let pool = BlockingPool(width: 4)
        let (destination, agent) = try destination()
        let provider = try settings.captureSessions(pool: pool)
        let profile = try wantedProfile(settings)
        try await provider.withSession(profile.request) { session, camera in
            let taker = ShotTaker(
                session: session,
                camera: camera,
                profile: profile,
                destination: destination,
                clock: provider.clock,
                position: PositionSource(fixed: settings.capture.location),
                pool: pool,
                tally: CaptureTally()
            )
            await agent?.noteConsents(provider)
            try await takeShots {
                let now = provider.clock.reading().monotonic
                onShots(try await taker.take(TriggerEvent(.command, at: now)))
            }
        }
    }

    /// The order for the service.
    private var order: CaptureOrder {
        var order = CaptureOrder()
        order.profile = profile
        order.camera = camera
        order.mode = livePhoto ? .live : nil
        order.hasSound = sound ? nil : false
        order.count = burst
        order.includesRaw = raw ? true : nil
        order.bracket = bracket?.biases
        return order
    }

    private func wantedProfile(_ settings: AgentSettings) throws -> CaptureProfile {
        guard let profile else {
            let profiles = try settings.capture.profiles.map { try settings.profile(named: $0) }
            return try order.applied(to: settings.standardProfile).masked(like: profiles)
        }
        return try order.applied(to: settings.profile(named: profile))
    }

    /// The destination of shots taken by this process: the folder of `--output`, or the queue of an agent.
    private func destination() throws -> (any CaptureDestination, Agent?) {
        guard let output else {
            let agent = try common.agent(isGuestWelcome: true)
            return (QueueDestination(store: agent.store, limits: agent.limits), agent)
        }
        let folder = Path(output)
        try PosixFileSystem().createDirectories(folder)
        let destination = FolderDestination(folder: folder)
        let recovered = try destination.recover()
        if !recovered.isEmpty {
            Console.note(
                "Taken in from a capture that was interrupted: \(recovered.map(\.name).joined(separator: ", "))"
            )
        }
        return (destination, nil)
    }

    /// Takes the requested number of shots, at a fixed phase: a late shot does not delay the next ones, and missed ones
    /// are skipped.
    private func takeShots(_ take: () async throws -> Void) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        var slot = 0
        for number in 1...count {
            let what = livePhoto ? "Live Photo" : "photo"
            common.showProgress(count == 1 ? "taking a \(what)…" : "taking \(what) \(number) of \(count)…")
            try await take()
            guard number < count, interval > 0 else { continue }
            let late = Int((start.duration(to: clock.now) / .seconds(interval)).rounded(.down))
            slot = max(slot + 1, late)
            try await clock.sleep(until: start + .seconds(interval * Double(slot)))
        }
    }

    private func show(_ shots: [CapturedShot], isFiledByService: Bool) throws {
        if common.json { return Console.print(try JSONText.text(CaptureDocument(captures: shots))) }
        for shot in shots {
            let what = shot.isLivePhoto ? "Live Photo" : "photo"
            let flags = shot.flags.isEmpty ? "" : " (\(shot.flags.joined(separator: ", ")))"
            Console.print("\(what) \(shot.id), \(Console.size(shot.byteCount)), lag \(shot.lagMilliseconds) ms\(flags)")
            for file in shot.files where output != nil { Console.print("  \(Console.visible(file))") }
        }
        let next =
            switch (output, isFiledByService) {
            case (.some, _): ""
            case (nil, true): " In the queue of the service that runs here; see: tintype-agent status"
            case (nil, false): " In the queue; next: tintype-agent sync --once"
            }
        Console.print("\(shots.count) taken, \(Console.size(shots.reduce(0) { $0 + $1.byteCount })).\(next)")
    }
}

/// The exposures of `--bracket`, in EV.
struct ExposureList: ExpressibleByArgument {
    let biases: [Double]

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.allSatisfy({ $0 != nil }) else { return nil }
        biases = numbers.compactMap(\.self)
    }
}
