import ArgumentParser
import DeviceIdentity
import LibraryStore
import Logging

/// `tintype-server init`.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Makes a library and its authority in an empty folder."
    )

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            let logger = settings.bootstrapLogging()
            let environment = try await ServerEnvironment.create(settings, logger: logger)
            environment.store.close()
            let serve = (["tintype-server", "serve"] + options.words).map(shellWord).joined(separator: " ")
            print(
                """
                Library \(environment.store.id) made in \(settings.libraryPath).
                  authority    SHA-256 \(environment.authority.authority.root.fingerprint)
                               devices pin it; its key authority/root-key.pem is not needed to serve: keep it offline
                  reached as   \(ServerEnvironment.hosts(settings).map(\.description).joined(separator: ", "))
                Next: \(serve)
                """
            )
        }
    }
}

/// `tintype-server rotate-authority`.
struct RotateAuthorityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-authority",
        abstract:
            "Gives the library a new signing certificate under the root that devices pin; start the server anew after.",
        discussion: """
            Needs root-key.pem in the authority's folder for this moment. Devices go on with what they have, and get \
            certificates of the new one when they renew.
            """
    )

    @OptionGroup var options: SettingsOptions

    @Flag(help: "End the trust in earlier signing certificates instead; devices that still hold theirs enrol again.")
    var forgetEarlier = false

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            let folder = AuthorityFolder(path: settings.authorityPath)
            if forgetEarlier {
                try folder.forgetRetired()
                print("Earlier signing certificates are trusted no more. Next: restart tintype-server.")
            } else {
                let contents = try folder.rotateIntermediate(hosts: ServerEnvironment.hosts(settings))
                print(
                    """
                    New signing certificate (SHA-256):
                      \(contents.authority.intermediate.fingerprint)
                    \(contents.retired.count) earlier ones stay trusted. Take root-key.pem offline again.
                    Next: restart tintype-server.
                    """
                )
            }
        }
    }
}

/// `tintype-server check-config`.
struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Says whether the settings can be used; exits with 78 when not."
    )

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            print("The settings are good: library \(settings.libraryPath), listening on \(settings.listen).")
        }
    }
}
