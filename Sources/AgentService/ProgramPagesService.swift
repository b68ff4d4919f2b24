import Host
import ServiceLifecycle

/// Keeps a running agent's memory at rest to what it uses, by releasing pages that only startup and transfers touched.
struct ProgramPagesService: Service {
    /// Until startup has touched everything it needs.
    private static let start = Duration.seconds(15)
    /// Long enough that reloading costs nothing: some milliseconds in five minutes.
    private static let interval = Duration.seconds(300)

    func run() async {
        await cancelWhenGracefulShutdown {
            // A cancelled sleep just means that the service ends.
            guard (try? await Task.sleep(for: Self.start)) != nil else { return }
            await ProgramPages.release(every: Self.interval)
        }
    }
}
