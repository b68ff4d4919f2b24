package import AgentCapture
import AgentStore
package import Capture
import Logging
import Observability
import Persistence
import ServiceLifecycle
import UnixSignals

extension Agent {
    /// Runs everything that the agent does as a service, until a signal ends it; without a library there is no sync.
    ///
    /// - Throws: `configuration` for profiles that cannot run together, and the error that ended a service.
    package func serve(_ profiles: [CaptureProfile], _ sync: SyncService?, prompter: any ConsentPrompter) async throws {
        let (news, captured) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let position = PositionSource(fixed: settings.capture.location)
        let context = try captureContext(position, prompter: prompter) { captured.yield() }
        let provider = context.provider
        let capture = try CaptureService(profiles, context, importer: importer)
        let routes = ControlRoutes(
            capture: capture,
            clock: provider.clock,
            status: { status in try await pool.run { try StatusDocument(self, capture: status) } },
            wake: {
                store.notifyViewChanged()
                captured.yield()
            }
        )
        let manager = ServiceManager()
        var services: [any Service] = [ProgramPagesService()]
        if var sync {
            sync.news = news
            services += [sync, RetentionService(agent: self)]
        }
        if let server = settings.capture.positionService {
            services.append(PositionService(server, position, clock: provider.clock, logger: logger))
        }
        services.append(capture)
        services.append(
            ConsentWatch(folder: store.root, fileName: ConsentFile.fileName, logger: logger) {
                await capture.consentsChanged()
                if await noteConsents(provider) { captured.yield() }
            }
        )
        services.append(
            ControlServer(
                path: Path(settings.socketPath),
                clock: provider.clock,
                logger: logger,
                isListening: { manager?.isReady("\(profiles.count) profiles") },
                handler: { await routes.answer($0) }
            )
        )
        if let manager {
            services.append(SupervisedAgent(manager: manager, store: store, pool: pool))
        }
        try await Self.group(of: services, logger: logger).run()
    }

    /// The group of an agent's services; one that ends with an error ends the others in order, so that shots under way are
    /// filed.
    static func group(of services: [any Service], logger: Logger) -> ServiceGroup {
        let parts = services.map { service in
            ServiceGroupConfiguration.ServiceConfiguration(
                service: service,
                failureTerminationBehavior: .gracefullyShutdownGroup,
                // Without a name, the group logs a full description, with settings and their passwords.
                serviceName: "\(type(of: service))"
            )
        }
        let configuration = ServiceGroupConfiguration(
            services: parts,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        return ServiceGroup(configuration: configuration)
    }

    /// Records the consents of the devices present for the library, without opening any, and returns whether the
    /// library must be notified.
    ///
    /// Also for a box without profiles: it captures on command.
    @discardableResult
    package func noteConsents(_ provider: CaptureSessionProvider) async -> Bool {
        let cameras = await provider.devices.cameras().map(\.device)
        let microphones = await provider.devices.microphones().map(\.device)
        do {
            return try await consentReport.note(cameras + microphones)
        } catch {
            logger.error("the device consents cannot be reported to the library", metadata: ["error": "\(error)"])
            return false
        }
    }
}
