package import ArgumentParser
import DeviceIdentity
import LibraryAPI
import LibraryClient
import Persistence
import Terminal

/// `tintypectl`: the administrators' view of a library, and their decisions.
package struct AdminCommand: AsyncParsableCommand {
    /// Names and help.
    package static let configuration = CommandConfiguration(
        "tintypectl",
        "Administers a Tintype library.",
        """
        It talks to the library's server over the operators' Unix socket, or from elsewhere with an operator \
        certificate (tintypectl context). Answers are tables for people, --json for programs and --quiet for \
        identifiers alone; --explain gives details of a refusal.

        COMMON WAYS
          a second device, for some photos  request list, device approve, selection add
          end a device's rights             device revoke
          why a box holds its captures      device show
          save the library, bring it back   library backup, library restore
          what needs looking after today    doctor
        """,
        examples: [
            "tintypectl enrollment-token create --max addOnly --album Gate --expires 24h",
            "tintypectl device list",
            "tintypectl device approve 3f9a2c --as add-only --expect-code WDJB-MJHT",
            "tintypectl asset list --type livePhotos --since 7d",
            "tintypectl --generate-completion-script bash",
        ],
        exitStatuses: [
            0: "done", 1: "failed; the error says why", 64: "the command line is wrong",
            69: "the server cannot be reached", 77: "not allowed",
        ],
        version: "tintypectl \(Release.version)",
        subcommands: [
            AlbumCommand.self, AssetCommand.self, AuditCommand.self, CeilingCommand.self, ContextCommand.self,
            DeviceCommand.self, DoctorCommand.self, EnrollmentTokenCommand.self, ExportCommand.self,
            ImportCommand.self, JobsCommand.self, KeywordCommand.self, LibraryCommand.self, OperatorCommand.self,
            PickerCommand.self, ReceiptCommand.self, RequestCommand.self, SelectionCommand.self, WatchCommand.self,
            WebCommand.self,
        ]
    )

    /// The command without a subcommand, which prints the help.
    package init() {}

    /// Runs a command line in the current session.
    ///
    /// - Parameter arguments: the command line without the program's name.
    /// - Returns: the exit status; all output has been written.
    package static func execute(_ arguments: [String]) async -> Int32 {
        let session = AdminSession.current
        do {
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return AdminExit.done.rawValue
        } catch {
            guard let failure = failure(of: error) else { return report(error, in: session) }
            session.note("error: \(InertText(failure.message))\n")
            if arguments.contains("--explain") { session.note("why: \(InertText(failure.explanation))\n") }
            session.note("next: \(InertText(failure.next))\n")
            return failure.exit.rawValue
        }
    }

    private static func failure(of error: any Error) -> AdminError? {
        switch error {
        case let error as AdminError: error
        case let error as LibraryClientError: AdminError(error)
        case let error as TransportError: AdminError(LibraryClientError(error))
        case let error as PersistenceError: AdminError("\(error)", next: "fix what the message names")
        case let error as DeviceIdentityError: AdminError("\(error)", next: "ask for a new certificate or key")
        default: nil
        }
    }

    /// Prints ArgumentParser's messages: help and scripts to standard output, errors to standard error.
    private static func report(_ error: any Error, in session: AdminSession) -> Int32 {
        let status = exitCode(for: error)
        let message = fullMessage(for: error)
        if !message.isEmpty {
            if status.isSuccess { session.output(message + "\n") } else { session.note(message + "\n") }
        }
        return status.rawValue
    }
}
