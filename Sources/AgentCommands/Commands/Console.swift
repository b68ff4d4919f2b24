import AgentCapture
import AgentStore
import BoxIdentity
import Capture
import DeviceIdentity
import FoundationEssentials
import Glibc
import LibraryAPI
import LibraryClient
import MediaEncoding
import Persistence
import PhotoLibrary
import Settings
import Synchronization
import Terminal

/// Terminal output: results to standard output, progress and errors to standard error.
enum Console {
    /// Whether anything was printed: a program's document is then complete.
    static var hasPrinted: Bool { printed.load(ordering: .relaxed) }
    private static let printed = Atomic(false)

    static func print(_ text: String) {
        printed.store(true, ordering: .relaxed)
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Text for people: errors quote what a library said.
    static func note(_ text: String) {
        write(lines(text) + "\n", to: STDERR_FILENO)
    }

    /// Lines of which each is made inert.
    static func lines(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { visible(String($0)) }.joined(separator: "\n")
    }

    /// A prompt whose answer follows on the same line.
    static func prompt(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// A line that the next one replaces; only for terminals.
    static func overwrite(_ text: String) { overwrite([text], isShown: false) }

    /// Lines that the next ones replace; only for terminals.
    static func overwrite(_ rows: [String], isShown: Bool) {
        if isShown { moveUp(rows.count - 1) }
        write(rows.map { ProgressBar.rewriting + $0 }.joined(separator: "\n"), to: STDERR_FILENO)
    }

    /// Puts the cursor of a terminal into a line above (ISO/IEC 6429: cursor up).
    static func moveUp(_ rowCount: Int) {
        if rowCount > 0 { write("\u{1B}[\(rowCount)A", to: STDERR_FILENO) }
    }

    /// The columns of standard error's terminal.
    static var columnCount: Int { TerminalTraits.columnCount(of: STDERR_FILENO) }

    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func end(_ status: AgentExit) -> Never {
        Glibc.exit(status.rawValue)
    }

    /// Bytes for people, in powers of 1024.
    static func size(_ byteCount: Int64) -> String { Wording.byteCount(byteCount) }

    /// Aligns columns; a heading is the first row.
    static func table(_ rows: [[String]]) -> String {
        table(columns: (rows.first ?? []).map { _ in .init("") }, rows, ifEmpty: "", on: TerminalTraits())
    }

    /// Columns with titles, cut to the width of a terminal, without the newline at the end.
    static func table(
        columns: [Table.Column],
        _ rows: [[String]],
        ifEmpty: String,
        on terminal: TerminalTraits = .ofStandardOutput(environment: ProcessInfo.processInfo.environment)
    ) -> String {
        let table = Table(columns: columns, rows: rows.map { $0.map { Cell($0) } }, ifEmpty: ifEmpty)
        return String(Renderer(format: .people, terminal: terminal).table(table).dropLast())
    }

    /// Foreign text with control characters made visible, so that a file name cannot control a terminal.
    static func visible(_ text: String) -> String { InertText(text).description }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            done += count
        }
    }
}
