import LibraryAPI
import LibraryClient
import PhotoModel

extension CommonOptions {
    /// Begins a task and looks after it until it ends, with a bar on a terminal.
    ///
    /// Interrupting the command leaves the task running in the server.
    ///
    /// - Returns: the task, ended well.
    /// - Throws: `failed` with what the server says.
    func follow(_ request: MaintenanceTask.Request) async throws -> MaintenanceTask {
        let client = try client()
        var task: MaintenanceTask = try await client.call(.adminStartTask, body: request)
        var bar = ProgressLine(session: session, isShown: !json && !quiet)
        while task.state == .running {
            try await session.sleep(.milliseconds(200))
            task = try await client.call(.adminTask, [task.id])
            if let progress = task.progress { bar.show(progress, since: task.began) }
        }
        bar.clear()
        switch task.state {
        case .failed(let problem):
            throw AdminError(problem.detail, next: "the server's log has more; mend it and run the command again")
        case .cancelled:
            throw AdminError("An operator ended it.", next: "run the command again: it goes on from what is done")
        case .running, .backedUp, .verified, .collected: return task
        }
    }
}

/// One line on a terminal that says how far a task has come, its rate, and how long the rest will take.
struct ProgressLine {
    private static let width = 24

    private let session: AdminSession
    private let isShown: Bool
    private var isDirty = false

    init(session: AdminSession, isShown: Bool) {
        self.session = session
        self.isShown = isShown && session.terminal.columnCount != nil
    }

    mutating func show(_ progress: TransferProgress, since began: WallTime) {
        guard isShown, progress.byteCount > 0 else { return }
        isDirty = true
        let part = min(1, Double(progress.doneBytes) / Double(progress.byteCount))
        let filled = Int(part * Double(Self.width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        let seconds = max(0.001, Double(session.now().microsecondsSince1970 - began.microsecondsSince1970) / 1e6)
        let rate = Double(progress.doneBytes) / seconds
        let rest = rate > 0 ? Int(Double(progress.byteCount - progress.doneBytes) / rate) : 0
        let sizes = "\(Wording.byteCount(progress.doneBytes)) of \(Wording.byteCount(progress.byteCount))"
        session.note(
            "\r\u{1B}[K\(bar) \(Int(part * 100)) %  \(sizes)  \(Wording.byteCount(Int64(rate)))/s  \(max(0, rest)) s left"
        )
    }

    mutating func clear() {
        if isDirty { session.note("\r\u{1B}[K") }
        isDirty = false
    }
}
