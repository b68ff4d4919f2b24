import LibraryStore
import ServiceLifecycle

/// Makes plain files of what batches brought, while the server runs and preferably while nobody uploads.
struct SettlingService: Service {
    /// How long a content waits in its journal at most, once its batch has ended.
    private static let longestWait = Duration.seconds(30)

    let store: LibraryStore
    let precedence: UploadPriority

    func run() async {
        await cancelWhenGracefulShutdown {
            await store.runSettling {
                await precedence.quiet(longest: Self.longestWait) { store.hasRoomInBatches }
            }
        }
    }
}
