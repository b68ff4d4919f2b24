import AgentStore
import Observability
import Persistence
import ServiceLifecycle

/// Reports to the service manager that the agent is alive as long as its queue responds, and when it stops.
struct SupervisedAgent: Service {
    let manager: ServiceManager
    let store: AgentStore
    let pool: BlockingPool

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await manager.keepAlive {
                (try? await pool.run { [store] in try store.summary() }) != nil
            }
            // Without a watchdog there is nothing to do until shutdown.
            try? await gracefulShutdown()
        }
        manager.isStopping()
    }
}
