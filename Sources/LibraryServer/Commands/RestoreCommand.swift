import ArgumentParser
import LibraryAPI
import LibraryStore
import Persistence
import Terminal

/// `tintype-server restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "restore",
        "Restores a library from a backup into an empty folder, and into the configured database and bucket.",
        """
        Every byte is hashed while it is copied; an interrupted restore continues when it is run again. The restored \
        library begins a new history: devices offer again what they sent after the backup, and keep their \
        certificates. Stop the old server first: otherwise both would issue receipts for one library.
        """,
        examples: [
            "tintype-server restore /var/backups/tintype --set library.path=/var/lib/tintype",
            "tintype-server restore /mnt/usb/tintype --snapshot 2026-11-20T03-41-12Z --set library.path=/srv/photos",
        ]
    )

    @Argument(help: "The backup's folder.")
    var backup: String

    @Option(help: ArgumentHelp("The snapshot; default: the newest complete one.", valueName: "name"))
    var snapshot: String?

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            let logger = settings.bootstrapLogging()
            let bar = TransferBar()
            let report = try await ServerEnvironment.namingSettings(settings) {
                defer { bar.clear() }
                return try await LibraryRestore(from: Path(backup)).restore(
                    snapshot,
                    to: try await ServerEnvironment.place(settings, logger: logger),
                    effects: ServerEnvironment.restoring,
                    logger: logger
                ) { bar.show($0) }
            }
            print(
                """
                Library \(report.manifest.libraryID) restored to \(settings.libraryPath), as it was at \
                \(report.manifest.time): \(report.contents) contents, change \(report.manifest.lastChange).
                """
            )
            if !report.missing.isEmpty {
                print(
                    "\(report.missing.count) contents are not in the backup; devices are asked for those they still have."
                )
            }
            print("Next: \(options.commandLine("serve"))")
        }
    }
}
