package import ArgumentParser
import LibraryAPI
import LibraryClient

/// `tintypectl`: what administrators see of a library and decide about it.
package struct AdminCommand: AsyncParsableCommand {
    /// Names and help.
    package static let configuration = CommandConfiguration(
        commandName: "tintypectl",
        abstract: "Shows and decides what happens in a Tintype library.",
        discussion: """
            It speaks with the library's server over the operators' Unix socket; whoever may open that file is an
            operator. Answers are tables for people, --json for programs and --quiet for identifiers alone.

            EXAMPLES
              tintypectl enrollment-token create --max addOnly --album Gate --expires 24h
              tintypectl device list
              tintypectl device approve 3f9a2c --as add-only --expect-code WDJB-MJHT
              tintypectl asset list --type livePhotos --since 7d
              tintypectl --generate-completion-script bash

            EXIT STATUS
              0  done                               69  the server cannot be reached
              1  failed; the error says why         77  not allowed
              64 the command line is wrong
            """,
        version: "tintypectl \(Release.version)",
        subcommands: [
            EnrollmentTokenCommand.self, DeviceCommand.self, RequestCommand.self, SelectionCommand.self,
            AssetCommand.self, AlbumCommand.self, ReceiptCommand.self, LibraryCommand.self, AuditCommand.self,
            WebCommand.self,
        ]
    )

    /// The command without a subcommand, which prints the help.
    package init() {}

    /// Runs a command line in the current session.
    ///
    /// - Parameter arguments: the command line without the program's name.
    /// - Returns: the exit status; what there is to say has been written.
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
            session.note("error: \(InertText(failure.message))\nnext: \(InertText(failure.next))\n")
            return failure.exit.rawValue
        }
    }

    private static func failure(of error: any Error) -> AdminError? {
        switch error {
        case let error as AdminError: error
        case let error as LibraryClientError: AdminError(error)
        case let error as TransportError: AdminError(LibraryClientError(error))
        default: nil
        }
    }

    /// Tells what ArgumentParser has to say: help and scripts to standard output, mistakes to standard error.
    private static func report(_ error: any Error, in session: AdminSession) -> Int32 {
        let status = exitCode(for: error)
        let message = fullMessage(for: error)
        if !message.isEmpty {
            if status.isSuccess { session.output(message + "\n") } else { session.note(message + "\n") }
        }
        return status.rawValue
    }
}
