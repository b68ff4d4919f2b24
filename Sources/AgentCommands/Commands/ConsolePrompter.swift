import AgentCapture
import AgentService
import Capture
import Glibc
import Persistence

/// Asks the person at the terminal, quoting the reason from the settings; without a terminal nobody answers.
struct ConsolePrompter: ConsentPrompter {
    let name: String
    let usage: [CaptureDevice.Capability: String]

    func ask(for subject: ConsentSubject) -> Bool? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        let device = Console.visible(subject.deviceID.rawValue)
        Console.note("“\(Console.visible(name))” wants to use the \(subject.capability.rawValue) \(device).")
        if let reason = usage[subject.capability] { Console.note("  \(Console.visible(reason))") }
        Console.prompt("Allow? [y/N] ")
        return readLine().map { ["y", "yes"].contains($0.lowercased()) }
    }
}

extension AgentSettings {
    /// Asks the person at the terminal for missing consents.
    var prompter: ConsolePrompter { ConsolePrompter(name: name, usage: captureUsage) }

    /// The decisions about this box's cameras and microphones.
    var consents: ConsentFile { ConsentFile(in: Path(path), policy: consentPolicy) }

    /// The sessions of this machine for a command.
    func captureSessions(pool: BlockingPool = BlockingPool(width: 2)) throws -> CaptureSessionProvider {
        try CaptureSessionProvider(settings: self, consents: consents, prompter: prompter, pool: pool)
    }
}
