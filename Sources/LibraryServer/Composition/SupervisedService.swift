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
    /// A database elsewhere that is away is no reason to end a server, which answers 503 meanwhile.
    private func isAlive() async -> Bool {
        do {
            _ = try await store.metadata.identity()
            return true
        } catch {
            return StoreError.wrapping(error).code == .unavailable
        }
    }
}
