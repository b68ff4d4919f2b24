import AgentStore
import Observability
import Persistence
import ServiceLifecycle

/// Tells the service manager that the agent lives as long as its queue answers, and when it stops.
struct SupervisedAgent: Service {
    let manager: ServiceManager
    let store: AgentStore
    let pool: BlockingPool

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await manager.keepAlive {
                (try? await pool.run { [store] in try store.summary() }) != nil
            }
            // A manager that does not watch: nothing to do until the end, which cancels.
            try? await gracefulShutdown()
        }
        manager.isStopping()
    }
}
