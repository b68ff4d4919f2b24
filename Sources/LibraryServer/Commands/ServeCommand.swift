import ArgumentParser
import LibraryStore
import Logging
import Observability
import ServiceLifecycle
import UnixSignals

/// `tintype-server serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves a library until it is told to stop (SIGTERM, SIGINT)."
    )

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            let logger = settings.bootstrapLogging()
            let environment = try await ServerEnvironment.open(settings, logger: logger)
            let manager = ServiceManager()
            var services = try LibraryServer(settings: settings, environment: environment).services { listening in
                manager?.isReady("serving \(listening.address)")
            }
            if let manager { services.append(SupervisedService(manager: manager, store: environment.store)) }
            var configuration = ServiceGroupConfiguration(
                services: services,
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
            configuration.maximumGracefulShutdownDuration = settings.shutdownGrace
            try await ServiceGroup(configuration: configuration).run()
            environment.store.close()
            logger.notice("stopped")
        }
    }
}
