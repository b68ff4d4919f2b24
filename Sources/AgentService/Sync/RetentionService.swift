import Logging
import ServiceLifecycle
import SyncEngine

/// Frees bytes allowed by receipt and retention while the agent runs: a full queue recovers by itself.
///
/// It checks as often as the library is contacted, since the library's responses determine what may be freed.
package struct RetentionService: Service {
    private let agent: Agent

    package init(agent: Agent) {
        self.agent = agent
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await agent.free()
                } catch {
                    agent.logger.warning("originals could not be freed", metadata: ["error": "\(error)"])
                }
                // A cancelled sleep just means that the service ends.
                try? await Task.sleep(for: agent.settings.syncPolicy.contactInterval)
            }
        }
    }
}
