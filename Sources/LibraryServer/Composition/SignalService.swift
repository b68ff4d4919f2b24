import LibraryStore
import Logging
import ServiceLifecycle

/// Passes on what other servers of the library did to the requests being answered here.
struct SignalService: Service {
    let store: LibraryStore
    let bell: ChangeNotifier
    let active: ActiveRequests
    let logger: Logger

    func run() async {
        await cancelWhenGracefulShutdown {
            await store.metadata.signals.run(logger) { signal in
                switch signal {
                case .changes, .jobs: bell.ring()
                case .closure(let party): active.close(party)
                case .upload(let id, let turn): Task { await store.yieldUpload(id, to: turn) }
                }
            }
        }
    }
}
