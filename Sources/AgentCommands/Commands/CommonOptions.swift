import AgentCapture
import AgentService
import ArgumentParser
import FoundationEssentials
import Host
import Logging
import Observability
import Settings

/// The options of every command.
struct CommonOptions: ParsableArguments {
    static let standardPath = "/etc/tintype/agent.yaml"

    @Option(name: .long, help: "The settings file.")
    var config = CommonOptions.standardPath

    @Option(
        name: .customLong("set"),
        help: "Overrides one setting, for example agent.path=/srv/agent; may be repeated."
    )
    var overrides: [String] = []

    @Flag(name: .long, help: "Prints one JSON object for programs.")
    var json = false

    /// Whether a person at a terminal sees progress.
    var showsProgress: Bool { Console.isErrorTerminal && !json }

    /// Replaces the line of progress that a person at a terminal sees.
    func showProgress(_ text: String) {
        if showsProgress { Console.overwrite(text) }
    }

    /// The settings from flags, environment and file; a missing default file means defaults.
    func settings() throws -> AgentSettings {
        let bytes: [UInt8]?
        do {
            bytes = try ArgumentFile.read(config, maximumByteCount: 1 << 20)
        } catch {
            throw AgentError(.configuration, "the settings file cannot be read: \(error)")
        }
        if bytes == nil, config != Self.standardPath {
            throw AgentError(.configuration, "there is no settings file \(config): see config/agent.yaml for a sample")
        }
        let reader = try SettingsReader(
            yaml: String(decoding: bytes ?? [], as: UTF8.self),
            environment: ProcessInfo.processInfo.environment,
            flags: overrides
        )
        return try AgentSettings(from: reader, hostName: HostIdentity.name())
    }

    /// Opens the agent's queue, waiting at most this long for a command that has it open; throws as ``agent()``.
    func agent(patience: Duration) async throws -> Agent {
        let deadline = ContinuousClock.now.advanced(by: patience)
        while true {
            do {
                return try agent()
            } catch let error as AgentError where error.isLocked && ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Opens the agent's queue, alone, or as a guest for reading and editing beside the service that has it open.
    ///
    /// - Throws: `failed` if another agent has the queue open and a guest is not welcome.
    func agent(isGuestWelcome: Bool = false) throws -> Agent {
        let settings = try settings()
        let logger = Logger(label: "tintype-agent") { label in
            LineLogHandler(label: label, format: settings.logFormat, level: settings.logLevel, now: { HostClock.now() })
        }
        return try Agent(settings: settings, logger: logger, isGuestWelcome: isGuestWelcome)
    }
}
