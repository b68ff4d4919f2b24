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

    mutating func show(_ bar: ProgressBar) {
        guard let columnCount else { return }
        isDirty = true
        session.note(ProgressBar.rewriting + bar.line(columnCount: columnCount))
    }

    mutating func clear() {
        if isDirty { session.note(ProgressBar.rewriting) }
        isDirty = false
    }
}
