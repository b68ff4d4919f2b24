import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

extension CommonOptions {
    /// Starts a task and polls it until it ends, with a progress bar on a terminal.
    ///
    /// Interrupting the command leaves the task running in the server.
    ///
    /// - Returns: the successful task.
    /// - Throws: `failed` with the server's message.
    func follow(_ request: MaintenanceTask.Request) async throws -> MaintenanceTask {
        let client = try client()
        var task: MaintenanceTask = try await client.call(.adminStartTask, body: request)
        var bar = ProgressLine(session, output.format)
        while task.state == .running {
            try await session.sleep(.milliseconds(200))
            task = try await client.call(.adminTask, [task.id])
            if let progress = task.progress { bar.show(progress.doneBytes, of: progress.byteCount, since: task.began) }
        }
        bar.clear()
        switch task.state {
        case .failed(let problem):
            throw AdminError(problem.detail, next: "see the server's log; fix the cause and run the command again")
        case .cancelled: throw AdminError("An operator ended it.", next: "run the command again: it resumes")
        case .running, .backedUp, .verified, .collected, .noted: return task
        }
    }
}
