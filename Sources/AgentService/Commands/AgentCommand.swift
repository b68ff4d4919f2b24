package import ArgumentParser
import CProcessMemory
import LibraryClient

/// `tintype-agent`: captures, keeps and sends.
package struct AgentCommand: AsyncParsableCommand {
    /// Names and help.
    package static let configuration = CommandConfiguration(
        commandName: "tintype-agent",
        abstract: "Captures photos on this box, keeps them safe, and saves them into a library.",
        discussion: """
            EXAMPLES
              tintype-agent enroll https://photos.example:8443 --token TT1.…
              tintype-agent capture --live-photo
              tintype-agent import /media/card/DCIM
              tintype-agent sync --once
              tintype-agent status --explain

            EXIT STATUS
              0  done, or nothing to do        69  the library cannot be reached
              1  failed; the error says why    73  no room for captures
              3  a part was sent; try again    77  this device is not allowed to
              4  waits for an administrator    78  a setting is missing or wrong
              5  nothing was chosen            64  the command line is wrong
            """,
        version: Agent.build,
        subcommands: [
            CamerasCommand.self, CaptureCommand.self, ConsentCommand.self, EnrollCommand.self, ImportCommand.self,
            SyncCommand.self, RunCommand.self, QueueCommand.self, PickCommand.self, AssetsCommand.self,
            SelectionCommand.self,
            StatusCommand.self, AuthorizeCommand.self, IdentityCommand.self, DoctorCommand.self,
        ]
    )

    /// The command without a subcommand, which prints the help.
    package init() {}

    /// Parses, runs, and ends the process with the documented status.
    package static func start() async -> Never {
        // One heap for all threads, of which none allocates much: glibc's others grow page by page, by a call each.
        mallopt(M_ARENA_MAX, 1)
        async let _: Void = prepare(CommandLine.arguments.dropFirst())
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            Console.end(.done)
        } catch {
            if let exit = Console.exit(for: error) {
                Console.note("error: \(Console.words(error))")
                Console.end(exit)
            }
            Self.exit(withError: error)
        }
    }

    /// What calls the library loads what that takes while its command line is read and its queue opened.
    private static func prepare(_ arguments: ArraySlice<String>) async {
        if arguments.first == SyncCommand.configuration.commandName { CurlTransport.prepare() }
    }
}
