import AgentStore
import ArgumentParser
import BoxIdentity
import Capture
import CaptureLinux
import Logging
import Observability
import Persistence
import PhotoModel
import ServiceLifecycle
import Settings
import Terminal
import UnixSignals

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs as a service: captures according to the profiles, and sends the captures, until it is stopped.",
        discussion: """
            The profiles are those of the setting capture.profiles, or of --profile. While it runs, tintype-agent \
            capture and status ask it through the socket agent.sock in its folder; programs can do the same over HTTP:

              curl --unix-socket /var/lib/tintype-agent/agent.sock -X POST \\
                http://box/v1/captures -d '{"mode":"live"}'

            A box that knows no library yet captures all the same; what it captures waits in the queue. One that waits \
            to be admitted asks from time to time how that stands, and sends once it is. SIGTERM and \
            SIGINT end it: recordings end where they are, and what was captured is made durable first.

            With --once it does what is due, and ends: for boxes that sleep in between, by the sun or a real-time \
            clock. It takes the scheduled shots that are due, and waits for those within --lead; takes in what lies \
            in watched folders; sends, until --deadline at most; and tells when the box is to wake again. Which \
            moments were captured is kept in the queue, so none is captured twice. A moment missed by more than \
            --late is skipped. Buttons, motion and messages are not heard.

            EXAMPLES
              systemctl enable --now tintype-agent
              tintype-agent run --profile time-lapse
              tintype-agent run --once --deadline 5min
              tintype-agent run --once --json | jq .nextWake.seconds

            OUTPUT
              With --once --json one object:
                {"captures": as of capture, "skippedMoments", "problem",
                "failures": [{"profile", "moment", "reason"}],
                "folders": [{"profile", "taken", "passedOver", "failed"}],
                "sync": as of sync,
                "nextWake": {"profile", "moment", "time", "seconds"}}
              nextWake.time is --lead before the moment. There is no nextWake without a
              schedule, and no problem if all went well.

            EXIT STATUS
              0 stopped; 1 failed; 78 a setting or a usage text is missing or wrong
              With --once 0 all is done; 1 a shot or file was not taken; 73 there is no
              room for it; else the statuses of sync: 3 a part was sent, 4 held,
              69 unreachable, 77 not allowed
            """
    )

    /// How long a command that has the queue open is waited for.
    private static let patience = Duration.seconds(10)

    @Option(help: "A profile instead of those of the settings: a name, or a file; may be repeated.")
    var profile: [String] = []

    @Flag(help: "Does what is due, sends, prints the next wake, and ends.")
    var once = false

    @Option(help: ArgumentHelp("With --once: when sending ends. Default: 5min.", valueName: "time"))
    var deadline: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "With --once: how long before a moment the box is to wake, which should cover its boot; a nearer moment is "
                + "waited for. Default: 60s.",
            valueName: "time"
        )
    )
    var lead: TimeSpan?

    @Option(help: ArgumentHelp("With --once: a moment missed by more is skipped. Default: 10min.", valueName: "time"))
    var late: TimeSpan?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if common.json, !once { throw ValidationError("--json goes with --once") }
        guard once || [deadline, lead, late].allSatisfy({ $0 == nil }) else {
            throw ValidationError("--deadline, --lead and --late go with --once")
        }
        for span in [deadline, lead].compactMap(\.self) where span.seconds > 86_400 {
            throw ValidationError("--deadline and --lead are at most 24h")
        }
        if let late, late.seconds > 31 * 86_400 { throw ValidationError("--late is at most 31d") }
    }

    func run() async throws {
        let agent = try await common.agent(patience: Self.patience)
        let profiles = try (profile.isEmpty ? agent.settings.capture.profiles : profile)
            .map { try CaptureProfile(named: $0, of: agent.settings) }
        try profiles.forEach(requireUsage(agent.settings))
        let isAwaiting = try agent.identity.isAwaitingAdmission
        let library = try agent.identity.pinned()?.url
        let device = try agent.identity.device()?.id
        let isAsked = isAwaiting || library != nil && device != nil
        if isAsked {
            _ = try AgentSettings.required(agent.settings.addUsage, "library.add.usage")
        } else {
            guard !profiles.isEmpty else {
                throw AgentError(
                    .configuration,
                    "there is nothing to do: no capture.profiles, and no library (tintype-agent enroll)"
                )
            }
            agent.logger.notice("no library is known yet: captures wait in the queue (tintype-agent enroll)")
        }
        if once { return try await runOnce(agent, profiles, isSyncing: isAsked) }
        let sync = SyncService(agent: agent, isAwaitingAdmission: isAwaiting)
        let owed = try agent.store.summary(ofOpenOnly: true).owed.count
        agent.logger.info(
            "the agent runs",
            metadata: [
                "build": "\(Agent.build)", "profiles": "\(profiles.map(\.name).joined(separator: ", "))",
                "library": "\(library ?? "none")", "device.id": "\(device?.description ?? "none")",
                "waiting": "\(owed)",
            ]
        )
        try await serve(agent, profiles, isAsked ? sync : nil)
        try agent.store.settle()
    }

    /// What shows people that they are recorded; it is an error when its lamp is not there.
    private func indicator(_ agent: Agent) throws -> RecordingIndicator {
        let settings = agent.settings.capture
        var lamp: (@Sendable (Bool) throws -> Void)?
        if let line = settings.indicatorLine {
            let output = try GPIOOutputLine(chip: line.chip, offset: line.line, isActiveLow: line.isActiveLow)
            lamp = { try output.set($0) }
        }
        return RecordingIndicator(program: settings.indicator, lamp: lamp, pool: agent.pool, logger: agent.logger)
    }

    /// What the cameras of this box share.
    func context(
        _ agent: Agent,
        _ position: PositionSource,
        captured: @escaping @Sendable () -> Void
    ) throws -> CaptureService.Context {
        let consents = ConsentFile(in: agent.store.root, policy: agent.settings.consentPolicy)
        let station = try CaptureSessionProvider(settings: agent.settings, consents: consents, pool: agent.pool)
        let place = agent.settings.capture.location
        let triggers = TriggerFactory(clock: station.clock, location: place, pool: agent.pool, logger: agent.logger)
        return CaptureService.Context(
            station: station,
            filing: QueueDestination(store: agent.store, limits: agent.limits),
            pool: agent.pool,
            position: position,
            standard: CaptureProfile(standardOf: agent.settings),
            indicator: try indicator(agent),
            sources: { profile, session in
                try triggers.sources(of: profile) { await session.newestFrame }
            },
            captured: captured,
            logger: agent.logger
        )
    }

    private func serve(_ agent: Agent, _ profiles: [CaptureProfile], _ sync: SyncService?) async throws {
        let (news, captured) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let position = PositionSource(fixed: agent.settings.capture.location)
        let context = try context(agent, position) { captured.yield() }
        let station = context.station
        let capture = try CaptureService(
            profiles,
            context,
            ledger: { TakenLedger(ofProfile: $0, in: agent.store) },
            importer: { Importer(store: agent.store, limits: agent.limits, album: $0.album) }
        )
        let routes = ControlRoutes(
            capture: capture,
            clock: station.clock,
            status: { status in try await agent.pool.run { try StatusDocument(agent, capture: status) } },
            wake: {
                agent.store.ringViewBell()
                captured.yield()
            }
        )
        let manager = ServiceManager()
        var services: [any Service] = [ProgramPagesService()]
        if var sync {
            sync.news = news
            services += [sync, RetentionService(agent: agent)]
        }
        if let server = agent.settings.capture.positionService {
            services.append(PositionService(server, position, clock: station.clock, logger: agent.logger))
        }
        services.append(capture)
        services.append(
            ConsentWatch(folder: agent.store.root, fileName: ConsentFile.fileName, logger: agent.logger) {
                await capture.consentsChanged()
                // A box without profiles uses no camera, and looks for none.
                if await noteConsents(agent, profiles.isEmpty ? nil : station) { captured.yield() }
            }
        )
        services.append(
            ControlServer(
                path: Path(agent.settings.socketPath),
                logger: agent.logger,
                isListening: { manager?.isReady("\(profiles.count) profiles") },
                handler: { await routes.answer($0) }
            )
        )
        if let manager {
            services.append(SupervisedAgent(manager: manager, store: agent.store, pool: agent.pool))
        }
        try await ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: agent.logger
        ).run()
    }

    /// Records the consents of the devices present for the library.
    ///
    /// - Parameters:
    ///   - agent: whose record it is.
    ///   - provider: the devices; nil where no profile uses any.
    /// - Returns: whether the library has to be told.
    private func noteConsents(_ agent: Agent, _ provider: CaptureSessionProvider?) async -> Bool {
        let cameras = await provider?.devices.cameras().map(\.device) ?? []
        let microphones = await provider?.devices.microphones().map(\.device) ?? []
        do {
            return try await agent.consentReport.note(cameras + microphones)
        } catch {
            agent.logger.error("what may be used is not told to the library", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Refuses to run without the texts that a profile needs, before any device is looked at.
    private func requireUsage(_ settings: AgentSettings) -> (CaptureProfile) throws -> Void {
        { profile in
            let isSynthetic = profile.camera.map(ConsentFile.synthetic.contains) ?? false
            guard profile.watch == nil, !isSynthetic else { return }
            _ = try AgentSettings.required(settings.cameraUsage, "capture.camera.usage")
            guard profile.isLivePhoto, profile.sound != .off else { return }
            _ = try AgentSettings.required(settings.microphoneUsage, "capture.microphone.usage")
        }
    }
}
