import LibraryStore
import Logging
import ServiceLifecycle

/// Forwards notices from the library's other servers to the requests in progress here.
struct SignalService: Service {
    /// The most upload turns that wait to be forwarded; a request that misses one finds it in the upload's row.
    private static let maximumWaitingCount = 1024

    let store: LibraryStore
    let notifier: ChangeNotifier
    let active: ActiveRequests
    let logger: Logger

    func run() async {
        let (uploads, upload) = AsyncStream.makeStream(
            of: LibrarySignal.self,
            bufferingPolicy: .bufferingNewest(Self.maximumWaitingCount)
        )
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await passOn(uploads) }
                await store.metadata.signals.run(logger) { signal in
                    switch signal {
                    case .changes, .jobs: notifier.notify()
                    case .closure(let party): active.close(party)
                    case .upload: upload.yield(signal)
                    }
                }
                upload.finish()
            }
        }
    }

    private func passOn(_ uploads: AsyncStream<LibrarySignal>) async {
        for await case .upload(let id, let turn) in uploads { await store.yieldUpload(id, to: turn) }
    }
}
