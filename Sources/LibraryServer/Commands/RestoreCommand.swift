import ArgumentParser
import Foundation
import LibraryAPI
import LibraryStore
import Persistence
import Settings

/// `tintype-server restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restores a library from a backup into an empty folder.",
        discussion: """
            Every byte is hashed while it is copied. The restored library begins a new history: devices offer again \
            what they sent after the backup, and go on with the certificates that they have. Stop the old server \
            first: two servers of one library would both promise.

            EXAMPLES
              tintype-server restore /var/backups/tintype \\
                --set library.path=/var/lib/tintype
              tintype-server restore /mnt/usb/tintype --snapshot 2026-11-20T03-41-12Z \\
                --set library.path=/srv/photos
            """
    )

    @Argument(help: "The backup's folder.")
    var backup: String

    @Option(help: ArgumentHelp("The snapshot; default: the newest complete one.", valueName: "name"))
    var snapshot: String?

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await reporting {
            let settings = try options.load()
            guard case .folder = settings.originals else {
                throw SettingsError(
                    .invalidValue,
                    "library.originals: a backup is restored into a folder: add --set library.originals=folder"
                )
            }
            guard case .folder = settings.metadata else {
                throw SettingsError(
                    .invalidValue,
                    "library.metadata: a backup is restored into SQLite: add --set library.metadata=sqlite"
                )
            }
            let logger = settings.bootstrapLogging()
            let isTerminal = isatty(STDERR_FILENO) == 1
            let report = try await LibraryRestore(from: Path(backup)).restore(
                snapshot,
                to: Path(settings.libraryPath),
                effects: ServerEnvironment.restoring,
                logger: logger
            ) { progress in
                guard isTerminal, progress.doneContents % 50 == 0 else { return }
                FileHandle.standardError.write(
                    Data("\r\u{1B}[K\(progress.doneContents) of \(progress.contents) contents".utf8)
                )
            }
            if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
            print(
                """
                Library \(report.manifest.libraryID) restored to \(settings.libraryPath), as it was at \
                \(report.manifest.time): \(report.contents) contents, change \(report.manifest.lastChange).
                """
            )
            if !report.missing.isEmpty {
                print(
                    "\(report.missing.count) contents are not in the backup; devices that still have them are asked for them."
                )
            }
            print("Next: tintype-server serve --set library.path=\(settings.libraryPath)")
        }
    }
}
