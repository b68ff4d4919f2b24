import Terminal

/// A command's bar on a terminal's standard error.
struct ConsoleBar: Sendable {
    private let began = ContinuousClock.now

    /// Shows how far the work has come, in place of what was shown before.
    func show(doneBytes: Int64, of byteCount: Int64, things: (done: Int, count: Int, noun: String)) {
        let bar = ProgressBar(
            doneBytes: doneBytes,
            of: byteCount,
            things: things,
            elapsed: ContinuousClock.now - began
        )
        Console.overwrite(bar.line(columnCount: Console.columnCount))
    }

    /// Takes the bar away.
    func clear() {
        Console.overwrite("")
    }
}
