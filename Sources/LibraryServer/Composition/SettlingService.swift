import LibraryStore
import ServiceLifecycle

/// Moves batches' contents from journals into plain files, preferably while nobody uploads.
struct SettlingService: Service {
    /// The longest time that a content stays in its journal once its batch has ended.
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
