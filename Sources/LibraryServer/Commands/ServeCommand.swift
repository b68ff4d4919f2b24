import ArgumentParser
import DeviceIdentity
import Foundation
import LibraryStore
import Logging
import Observability
import ServiceLifecycle
import Terminal
import UnixSignals

/// `tintype-server serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration("serve", "Serves a library until it is stopped (SIGTERM, SIGINT).")

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            let logger = settings.bootstrapLogging()
            let descriptors = OpenFileLimit.raise()
            if descriptors < settings.maximumConnections {
                logger.warning(
                    "the limit on open files allows fewer connections than configured",
                    metadata: ["limit": "\(descriptors)"]
                )
            }
            let environment = try await ServerEnvironment.open(settings, logger: logger)
            try await settings.listen.probe()
            let manager = ServiceManager()
            var services = try LibraryServer(settings: settings, environment: environment).services { listening in
                guard let manager else { return Self.greet(environment, settings, listening) }
                manager.isReady("serving \(listening.address)")
            }
            if let manager { services.append(SupervisedService(manager: manager, store: environment.store)) }
            var configuration = ServiceGroupConfiguration(
                // Without a name, the group logs a full description, with settings and their passwords.
                services: services.map { service in
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: service,
                        serviceName: "\(type(of: service))"
                    )
                },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
            configuration.maximumGracefulShutdownDuration = settings.shutdownGrace
            try await ServiceGroup(configuration: configuration).run()
            environment.store.close()
            logger.notice("stopped")
        }
    }

    /// Prints where it listens, what devices pin, and what to do next, when a person started it by hand.
    private static func greet(
        _ environment: ServerEnvironment,
        _ settings: ServerSettings,
        _ listening: LibraryServer.Listening
    ) {
        let port = listening.address.port
        let names = environment.authority.serverChain.first?.hosts ?? []
        // tintypectl finds the socket at its default path without the option.
        let isUsual = listening.socketPath == ServerSettings.usualSocketPath
        let socket = isUsual ? "" : " --socket \(shellWord(listening.socketPath))"
        let addresses = names.map { "https://\(ListenAddress(host: $0.description, port: port))" }
        let text =
            """
            Library \(environment.store.id) is served.
              devices      https://\(listening.address)
              reached as   \(addresses.joined(separator: " "))
              authority    SHA-256 \(environment.authority.authority.root.fingerprint)
              operators    \(listening.socketPath)
            Next, in another terminal:
              tintypectl enrollment-token create --max addOnly\(socket)
              tintypectl web login\(socket)

            """
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
