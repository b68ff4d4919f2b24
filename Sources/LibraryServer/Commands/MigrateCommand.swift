import ArgumentParser
import LibraryAPI
import LibraryStore
import Logging
import Settings
import Terminal

/// `tintype-server migrate`.
struct MigrateCommand: AsyncParsableCommand {
    /// `EX_TEMPFAIL` of sysexits.h: run it again.
    private static let unfinishedStatus: Int32 = 75

    static let configuration = CommandConfiguration(
        "migrate",
        "Moves a library: rows between SQLite and PostgreSQL, originals between a folder and a bucket.",
        """
        --config and --set describe the old place, --to and --to-set the new one, which needs a folder of its own \
        (library.path). Start the new server with the same file. Settings in the environment apply to the old place \
        only.

        Run it first while the old server runs: it copies the originals. Then stop that server and run it again: it \
        copies what was added since, the keys and the rows, compares both places, marks the old one as moved, so that \
        it can no longer be served, and activates the new one. Devices notice nothing. The command can be interrupted \
        at any moment and run again. The old place keeps its files; remove them when you like.
        """,
        examples: [
            "tintype-server migrate --config /etc/tintype/server.yaml --to /etc/tintype/server-new.yaml",
            "tintype-server migrate --set library.path=/var/lib/tintype --to-set library.path=/srv/photos --dry-run",
        ],
        exitStatuses: [75: "the originals are copied, but the old server still runs: stop it, and run this again"]
    )

    @Option(help: ArgumentHelp("The settings file of the new place.", valueName: "file"))
    var to: String?

    @Option(help: ArgumentHelp("One setting of the new place as key=value; may be repeated.", valueName: "set"))
    var toSet: [String] = []

    @Flag(help: "Checks both places, and writes nothing except a probe object in the bucket.")
    var dryRun = false

    @Flag(help: "Moves a library even if originals are missing; devices are asked for those they still have.")
    var acceptMissing = false

    @Flag(help: "Prints the report as JSON.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard to != nil || !toSet.isEmpty else {
            throw ValidationError("Name the new place: --to server-new.yaml, or --to-set library.path=/srv/photos.")
        }
    }

    func run() async throws {
        try await reporting {
            let old = try options.load()
            let new: ServerSettings
            do throws(SettingsError) {
                new = try SettingsOptions.settings(file: to, environment: [:], flags: toSet)
            } catch {
                throw SettingsError(error.code, "--to: \(error)")
            }
            let logger = old.bootstrapLogging()
            let report = try await ServerEnvironment.namingSettings(new) {
                try await ServerEnvironment.namingSettings(old) { try await move(old, new, logger) }
            }
            try show(report, new)
            if report.state == .copied { throw ExitCode(Self.unfinishedStatus) }
        }
    }

    private func move(_ old: ServerSettings, _ new: ServerSettings, _ logger: Logger) async throws -> LibraryMove.Report
    {
        let bar = TransferBar()
        defer { bar.clear() }
        let move = LibraryMove(
            from: try await ServerEnvironment.place(old, logger: logger),
            to: try await ServerEnvironment.place(new, logger: logger),
            effects: ServerEnvironment.restoring,
            settings: old.store,
            logger: logger
        )
        return try await move.run(isDry: dryRun, acceptsMissing: acceptMissing) { bar.show($0) }
    }

    private func show(_ report: LibraryMove.Report, _ new: ServerSettings) throws {
        if json { return print(try Renderer.json(report)) }
        let held = "\(Wording.count(report.contents, "content")), \(Wording.byteCount(report.byteCount))"
        let copied = "\(Wording.count(report.copiedContents, "content")), \(Wording.byteCount(report.copiedBytes))"
        switch report.state {
        case .planned:
            print("Library \(report.libraryID) can be moved to \(report.destination): \(held). Nothing was written.")
        case .copied:
            print(
                """
                Originals of library \(report.libraryID) are in \(report.destination) (copied now: \(copied)).
                Next: stop the old server (systemctl stop tintype-server), and run this command again.
                """
            )
        case .moved:
            print(
                """
                Library \(report.libraryID) moved to \(report.destination): \(held) (copied now: \(copied)).
                """
            )
            if report.uploads > 0 { print("\(Wording.count(report.uploads, "upload")) in progress will start over.") }
            if !report.missing.isEmpty {
                let missing = Wording.count(report.missing.count, "content")
                print("\(missing) missing: devices are asked for those they still have.")
            }
            print("Next: \(SettingsOptions.commandLine("serve", file: to, flags: toSet))")
        }
    }
}
