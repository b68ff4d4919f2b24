import ArgumentParser
import LibraryAPI
import LibraryStore
import Terminal

/// `tintype-server begin-epoch`.
struct BeginEpochCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "begin-epoch",
        "Begins a new history after PostgreSQL was restored to an earlier time by its own tools.",
        """
        Run it once after a point-in-time restore, while every server of the library is stopped. Devices notice the \
        new history at their next contact and offer again what they sent after that time; no device has to enrol \
        again. Without a new history, the server would reuse the numbers of lost changes that devices have already \
        seen. tintype-server restore needs no begin-epoch: it begins a new history itself.
        """,
        examples: ["tintype-server begin-epoch --config /etc/tintype/server.yaml"]
    )

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            let logger = settings.bootstrapLogging()
            let environment = try await ServerEnvironment.open(settings, beginsHistory: true, logger: logger)
            defer { environment.store.close() }
            let identity = try await environment.store.metadata.identity()
            print(
                """
                Library \(identity.id) begins the history \(identity.epoch) after change \(identity.lastChange).
                Next: start its servers; tintypectl library verify finds originals that the rows no longer name, or lack.
                """
            )
        }
    }
}
