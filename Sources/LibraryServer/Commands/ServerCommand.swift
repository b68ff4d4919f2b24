package import ArgumentParser
import Foundation
import LibraryAPI
import LibraryStore
import Logging
import Observability
import Settings
import Terminal

/// `tintype-server`: creates and serves a library.
package struct ServerCommand: AsyncParsableCommand {
    /// The command's help, version and subcommands.
    package static let configuration = CommandConfiguration(
        "tintype-server",
        "Keeps one photo library for a fleet of camera boxes.",
        """
        Creates a library in an empty folder once, and serves it to boxes, to the web page, and over a Unix socket to \
        tintypectl. The sample config/server.yaml (installed as /etc/tintype/server.yaml) describes the settings; a \
        flag overrides the environment, which overrides the file.
        """,
        examples: [
            "tintype-server init --set library.path=/srv/photos --set server.hosts=photos.example,localhost",
            "tintype-server serve --config /etc/tintype/server.yaml",
            "tintype-server check-config --config /etc/tintype/server.yaml",
        ],
        exitStatuses: [
            0: "done", 1: "failed; the error says why", 64: "the command line is wrong",
            69: "the database or the store cannot be reached, or another server serves the library",
            78: "a setting is missing or wrong",
        ],
        version: "tintype-server \(Release.version)",
        subcommands: [
            InitCommand.self, ServeCommand.self, RestoreCommand.self, MigrateCommand.self, BeginEpochCommand.self,
            CheckConfigCommand.self, RotateAuthorityCommand.self,
        ]
    )

    /// An instance without options, since only the subcommands have any.
    package init() {}
}

/// The settings options of every subcommand.
struct SettingsOptions: ParsableArguments {
    @Option(help: "The settings file.")
    var config: String?

    @Option(name: .customLong("set"), help: "One setting as key=value; may be given several times.")
    var overrides: [String] = []

    /// The command line of a subcommand with the same options, then its own arguments.
    func commandLine(_ subcommand: String, _ arguments: String...) -> String {
        Self.commandLine(subcommand, file: config, flags: overrides, arguments)
    }

    /// The command line of a subcommand with the settings of a file and flags, then its own arguments.
    static func commandLine(
        _ subcommand: String,
        file: String?,
        flags: [String],
        _ arguments: [String] = []
    ) -> String {
        let options = (file.map { ["--config", $0] } ?? []) + flags.flatMap { ["--set", $0] }
        return (["tintype-server", subcommand] + options + arguments).map(shellWord).joined(separator: " ")
    }

    /// Reads all layers.
    ///
    /// - Throws: a `SettingsError` naming the problem; `reporting` ends with 78 (`EX_CONFIG` of sysexits.h) for it.
    func load() throws(SettingsError) -> ServerSettings {
        try Self.settings(file: config, environment: ProcessInfo.processInfo.environment, flags: overrides)
    }

    /// Reads the layers of a file, an environment and flags.
    static func settings(
        file: String?,
        environment: [String: String],
        flags: [String]
    ) throws(SettingsError) -> ServerSettings {
        var yaml = ""
        if let file {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw SettingsError(.fileUnreadable, "the settings file \(file) cannot be read")
            }
            yaml = text
        }
        return try ServerSettings(from: SettingsReader(yaml: yaml, environment: environment, flags: flags))
    }
}

/// A word quoted for the shell if it contains more than letters, digits and the characters of paths and settings.
func shellWord(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "/.=_-:,+@%".contains(character))
    }
    return plain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
}

extension AsyncParsableCommand {
    /// Runs a command's work, reporting a failure in one line.
    func reporting(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let code as ExitCode {
            throw code
        } catch let error as SettingsError {
            throw Self.failure(78, "\(error)")
        } catch let error as ForeignBucketError {
            throw Self.failure(78, "library.originals: \(error)")
        } catch let error as ServerError where [.databaseAway, .storeAway, .libraryTaken].contains(error.code) {
            // Not 78: the service manager tries again until database and store are back, or the other server is gone.
            throw Self.failure(69, error.message)
        } catch {
            throw Self.failure(1, "\(error)")
        }
    }

    /// Prints why a command failed, and returns its exit code for ArgumentParser.
    private static func failure(_ exitCode: Int32, _ reason: String) -> ExitCode {
        FileHandle.standardError.write(Data("tintype-server: \(reason)\n".utf8))
        return ExitCode(exitCode)
    }
}

extension ServerSettings {
    /// The logger of the process; logging is bootstrapped here, once.
    func bootstrapLogging() -> Logger {
        let (format, level) = (logFormat, logLevel)
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, format: format, level: level, now: ServerEnvironment.systemTime)
        }
        return Logger(label: "tintype-server")
    }
}
