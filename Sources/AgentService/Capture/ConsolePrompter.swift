import Capture
import Glibc

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
