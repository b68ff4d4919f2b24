import Foundation
import LibraryAPI
import Synchronization
import Terminal

/// A copy's progress bar on standard error, if that is a terminal.
struct TransferBar: Sendable {
    private static let interval = Duration.milliseconds(100)

    private let began = ContinuousClock.now
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let shown = LastWriting()

    /// Shows the progress, at most ten times a second.
    func show(_ progress: TransferProgress) {
        let now = ContinuousClock.now
        guard isTerminal, shown.isDue(now, after: Self.interval) else { return }
        let bar = ProgressBar(
            doneBytes: progress.doneBytes,
            of: progress.byteCount,
            things: (progress.doneContents, progress.contents, "content"),
            elapsed: now - began
        )
        write(bar.line(columnCount: TerminalTraits.columnCount(of: STDERR_FILENO)))
    }

    func clear() {
        if isTerminal { write("") }
    }

    private func write(_ line: String) {
        FileHandle.standardError.write(Data((ProgressBar.rewriting + line).utf8))
    }

    /// When the bar was last written.
    private final class LastWriting: Sendable {
        private let last = Mutex<ContinuousClock.Instant?>(nil)

        func isDue(_ now: ContinuousClock.Instant, after interval: Duration) -> Bool {
            last.withLock { last in
                if let last, now - last < interval { return false }
                last = now
                return true
            }
        }
    }
}
