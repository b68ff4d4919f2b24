import LibraryStore
import Observability
import ServiceLifecycle

/// Tells the service manager that the server lives as long as its database answers, and when it stops.
struct SupervisedService: Service {
    let manager: ServiceManager
    let store: LibraryStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await manager.keepAlive { (try? await store.metadata.identity()) != nil }
            // A manager that does not watch: nothing to do until the end, which cancels.
            try? await gracefulShutdown()
        }
        manager.isStopping()
    }
}
