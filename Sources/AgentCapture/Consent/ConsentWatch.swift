package import Logging
package import Persistence
import ServiceLifecycle

/// Notices decisions about devices made by other processes, such as `tintype-agent consent set`, at once.
package struct ConsentWatch: Service {
    let folder: Path
    let fileName: String
    let logger: Logger
    /// Called after each change of the file, and once at the start.
    let changed: @Sendable () async -> Void

    /// Watches a file of a folder; `changed` is called for each change.
    package init(folder: Path, fileName: String, logger: Logger, changed: @escaping @Sendable () async -> Void) {
        self.folder = folder
        self.fileName = fileName
        self.logger = logger
        self.changed = changed
    }

    func run() async throws {
        let changes = try FolderEvents.changes(of: folder)
        await changed()
        await cancelWhenGracefulShutdown {
            for await names in changes where names.contains(fileName) { await changed() }
        }
        // The folder is the agent's own: it cannot disappear while the agent runs.
        guard !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
        throw AgentError(.failed, "\(folder) is gone")
    }
}
