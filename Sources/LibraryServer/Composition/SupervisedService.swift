import LibraryAPI
import LibraryStore
import Observability
import ServiceLifecycle

/// Reports to the service manager that the server is alive as long as its database responds, and when it stops.
struct SupervisedService: Service {
    let manager: ServiceManager
    let store: LibraryStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await manager.keepAlive { await isAlive() }
            // Without a watchdog there is nothing to do until shutdown.
            try? await gracefulShutdown()
        }
        manager.isStopping()
    }

    /// Whether rows can be read.
    ///
    /// An unreachable database on another machine is no reason to restart a server, which answers 503 in the meantime.
    private func isAlive() async -> Bool {
        do {
            _ = try await store.metadata.identity()
            return true
        } catch {
            return StoreError.wrapping(error).code == .unavailable
        }
    }
}
