import PhotoModel
import Terminal

/// Shows a progress bar: one line of standard error that is rewritten, only on a terminal.
struct ProgressLine {
    private let session: AdminSession
    private let columnCount: Int?
    private var isDirty = false

    init(_ session: AdminSession, _ format: OutputFormat) {
        self.session = session
        columnCount = format == .people ? session.terminal.columnCount : nil
    }

    /// Shows how much was done since a time.
    mutating func show(
        _ doneBytes: Int64,
        of byteCount: Int64,
        things: (done: Int, count: Int, noun: String)? = nil,
        since began: WallTime
    ) {
        let elapsed = session.now().duration(since: began)
        guard let columnCount else { return }
        isDirty = true
        let bar = ProgressBar(doneBytes: doneBytes, of: byteCount, things: things, elapsed: elapsed)
        session.note(ProgressBar.rewriting + bar.line(columnCount: columnCount))
    }

    mutating func clear() {
        if isDirty { session.note(ProgressBar.rewriting) }
        isDirty = false
    }
}
