import Logging
import ServiceLifecycle
import SyncEngine

/// Lets bytes go whose receipt and retention allow it, as long as the agent runs: a queue that is full recovers by itself.
///
/// Looks as often as the library is asked, since what may go changes with what it says.
struct RetentionService: Service {
    let agent: Agent

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await agent.free()
                } catch {
                    agent.logger.warning("originals could not be freed", metadata: ["error": "\(error)"])
                }
                // A cancelled sleep only means that the service ends.
                try? await Task.sleep(for: agent.settings.syncPolicy.contactInterval)
            }
        }
    }
}
