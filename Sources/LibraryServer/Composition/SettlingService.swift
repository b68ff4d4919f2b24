import LibraryStore
import ServiceLifecycle

/// Makes plain files of what batches brought, while the server runs.
struct SettlingService: Service {
    let store: LibraryStore

    func run() async {
        await cancelWhenGracefulShutdown { await store.runSettling() }
    }
}
