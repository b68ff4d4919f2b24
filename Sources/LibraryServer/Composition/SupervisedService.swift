import LibraryStore
import Observability
import ServiceLifecycle

/// Reports to the service manager that the server is alive as long as its database responds, and when it stops.
struct SupervisedService: Service {
    let manager: ServiceManager
    let store: LibraryStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await manager.keepAlive { (try? await store.metadata.identity()) != nil }
            // Without a watchdog there is nothing to do until shutdown.
            try? await gracefulShutdown()
        }
        manager.isStopping()
    }
}
