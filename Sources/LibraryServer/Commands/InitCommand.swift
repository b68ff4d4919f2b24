import ArgumentParser
import DeviceIdentity
import LibraryStore
import Logging
import Terminal

/// `tintype-server init`.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration("init", "Creates a library and its authority in an empty folder.")

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            let logger = settings.bootstrapLogging()
            let environment = try await ServerEnvironment.create(settings, logger: logger)
            environment.store.close()
            print(
                """
                Library \(environment.store.id) made in \(settings.libraryPath).
                  authority    SHA-256 \(environment.authority.authority.root.fingerprint)
                               devices pin it; serving does not need its key, authority/root-key.pem: keep it offline
                  reached as   \(ServerEnvironment.hosts(settings).map(\.description).joined(separator: ", "))
                Next: \(options.commandLine("serve"))
                """
            )
        }
    }
}

/// `tintype-server check-config`.
struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration("check-config", "Checks the settings; exits with 78 if invalid.")

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            print("The settings are valid: library \(settings.libraryPath), listening on \(settings.listen).")
        }
    }
}
