import Synchronization
import Terminal

/// A command's bar on a terminal's standard error.
struct ConsoleBar: Sendable {
    private let began = ContinuousClock.now
    private let label: String
    private let row: Int
    private let board: ConsoleBoard

    /// A single bar.
    init() {
        self.init("", at: 0, of: ConsoleBoard(rowCount: 1))
    }

    /// A bar among others, on a line from 0.
    init(_ label: String, at row: Int, of board: ConsoleBoard) {
        self.label = label
        self.row = row
        self.board = board
    }

    /// Shows the progress, replacing the previous one.
    func show(doneBytes: Int64, of byteCount: Int64, things: (done: Int, count: Int, noun: String)) {
        let bar = ProgressBar(doneBytes: doneBytes, of: byteCount, things: things, elapsed: ContinuousClock.now - began)
        board.show(label + bar.line(columnCount: Console.columnCount - label.count), at: row)
    }

    /// Removes all bars of its board.
    func clear() {
        board.clear()
    }
}

/// Lines of a terminal's standard error that are rewritten in place.
final class ConsoleBoard: Sendable {
    private struct State {
        var rows: [String]
        var isShown = false
    }

    private let state: Mutex<State>

    /// Empty lines.
    init(rowCount: Int) {
        state = Mutex(State(rows: Array(repeating: "", count: rowCount)))
    }

    /// Replaces a line.
    func show(_ text: String, at row: Int) {
        state.withLock { state in
            state.rows[row] = text
            Console.overwrite(state.rows, isShown: state.isShown)
            state.isShown = true
        }
    }

    /// Clears all lines, and moves the cursor to the first.
    func clear() {
        state.withLock { state in
            guard state.isShown else { return }
            state.rows = state.rows.map { _ in "" }
            Console.overwrite(state.rows, isShown: true)
            Console.moveUp(state.rows.count - 1)
            state.isShown = false
        }
    }
}
