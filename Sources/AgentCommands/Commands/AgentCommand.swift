import AgentCapture
import AgentService
package import ArgumentParser
import Host
import LibraryClient
import PhotoLibrary
import Terminal

/// `tintype-agent`: captures, keeps and sends.
package struct AgentCommand: AsyncParsableCommand {
    /// Names and help.
    package static let configuration = CommandConfiguration(
        "tintype-agent",
        "Captures photos on this box, keeps them safe, and saves them into a library.",
        #"With --json a failing command prints {"error", "message"}, unless it has already printed something."#,
        examples: [
            "tintype-agent enroll https://photos.example:8443 --token TT1.…",
            "tintype-agent capture --live-photo",
            "tintype-agent import /media/card/DCIM",
            "tintype-agent sync --once",
            "tintype-agent status --explain",
        ],
        exitStatuses: [
            0: "done, or nothing to do", 1: "failed; the error says why", 3: "a part was sent; try again",
            4: "held: something waits for a decision, an hour, a link or room", 5: "nobody chose in time",
            64: "the command line is wrong", 69: "the library cannot be reached", 73: "no room for captures",
            77: "this device is not allowed to", 78: "a setting is missing or wrong", 130: "interrupted",
        ],
        version: Agent.build,
        subcommands: [
            CamerasCommand.self, CaptureCommand.self, EventsCommand.self, ConsentCommand.self, EnrollCommand.self,
            ImportCommand.self, SyncCommand.self, RunCommand.self, QueueCommand.self, PickCommand.self,
            AssetsCommand.self, SelectionCommand.self, StatusCommand.self, AuthorizeCommand.self, IdentityCommand.self,
            DoctorCommand.self,
        ]
    )

    /// The command without a subcommand, which prints the help.
    package init() {}

    /// Parses, runs, and ends the process with the documented status.
    package static func start() async -> Never {
        // None of its threads allocates much.
        ProcessHeap.limitArenas(to: 1)
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
            if let exit = AgentExit(for: error) {
                Console.note("error: \(error)")
                tell(exit, "\(error)")
                Console.end(exit)
            }
            // The command line is wrong, or asked for help.
            if let exit = AgentExit(rawValue: exitCode(for: error).rawValue), exit != .done {
                tell(exit, message(for: error))
            }
            Self.exit(withError: error)
        }
    }

    /// Tells a program of a failure.
    ///
    /// Programs always get exactly one document: the one a command printed before it failed counts.
    private static func tell(_ exit: AgentExit, _ message: String) {
        guard CommandLine.arguments.contains("--json"), !Console.hasPrinted,
            let text = try? JSONText.text(ControlProblem(error: "\(exit)", message: message))
        else { return }
        Console.print(text)
    }

    /// Commands that call the library preload networking while the command line is parsed and the queue opened.
    private static func prepare(_ arguments: ArraySlice<String>) async {
        let isImportWithSync =
            arguments.first == ImportCommand.configuration.commandName && arguments.contains("--sync")
        if isImportWithSync || arguments.first == SyncCommand.configuration.commandName { CurlTransport.prepare() }
    }
}
