import ServiceLifecycle
import Synchronization
import Testing

@testable import AgentService

struct ServingTests {
    private struct Failure: Error {}

    /// Ends with an error.
    private struct Failing: Service {
        func run() async throws { throw Failure() }
    }

    /// Notes whether it was cancelled before it was told to end.
    private final class Working: Service {
        let wasCancelled = Mutex<Bool?>(nil)

        func run() async {
            try? await gracefulShutdown()
            wasCancelled.withLock { $0 = Task.isCancelled }
        }
    }

    @Test("A service that ends with an error ends the others in order: a shot under way is filed, not discarded")
    func failure() async {
        let working = Working()
        let group = Agent.group(of: [working, Failing()], logger: CaptureBench.logger)
        await #expect(throws: Failure.self) { try await group.run() }
        #expect(working.wasCancelled.withLock { $0 } == false)
    }
}
