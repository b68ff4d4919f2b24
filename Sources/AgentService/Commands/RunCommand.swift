import AgentStore
import ArgumentParser
import Capture
import CaptureLinux
import Logging
import Observability
import Persistence
import PhotoLibrary
import ServiceLifecycle
import Settings
import UnixSignals

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs as a service: captures as the profiles say, and sends what is captured, until it is stopped.",
        discussion: """
            The profiles are those of the setting capture.profiles, or of --profile. While it runs, tintype-agent \
            capture and status ask it through the socket agent.sock in its folder; programs can do the same over HTTP:

              curl --unix-socket /var/lib/tintype-agent/agent.sock -X POST \\
                http://box/v1/captures -d '{"mode":"live"}'

            A box that knows no library yet captures all the same; what it captures waits in the queue. One that waits \
            to be admitted asks from time to time how that stands, and sends once it is. SIGTERM and \
            SIGINT end it: recordings end where they are, and what was captured is made durable first.

            EXAMPLES
              systemctl enable --now tintype-agent
              tintype-agent run --profile time-lapse

            EXIT STATUS
              0 stopped; 1 failed; 78 a setting or a usage text is missing or wrong
            """
    )

    /// How long a command that has the queue open is waited for.
    private static let patience = Duration.seconds(10)

    @Option(help: "A profile instead of those of the settings: a name, or a file; may be repeated.")
    var profile: [String] = []

    @OptionGroup var common: CommonOptions

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

    private func serve(_ agent: Agent, _ profiles: [CaptureProfile], _ sync: SyncService?) async throws {
        let (news, captured) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let consents = ConsentFile(in: agent.store.root, policy: agent.settings.consentPolicy)
        let station = try CaptureSessionProvider(settings: agent.settings, consents: consents, pool: agent.pool)
        let position = PositionSource(fixed: agent.settings.capture.location)
        let place = agent.settings.capture.location
        let triggers = TriggerFactory(clock: station.clock, location: place, pool: agent.pool, logger: agent.logger)
        let context = CaptureService.Context(
            station: station,
            filing: QueueDestination(store: agent.store, limits: agent.limits),
            pool: agent.pool,
            position: position,
            standard: CaptureProfile(standardOf: agent.settings),
            indicator: try indicator(agent),
            sources: { profile, session in
                try triggers.sources(of: profile) { await session.newestFrame }
            },
            captured: { captured.yield() },
            logger: agent.logger
        )
        let capture = try CaptureService(
            profiles,
            context,
            ledger: { TakenLedger(agent.store.root.appending("watched").appending($0)) },
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
