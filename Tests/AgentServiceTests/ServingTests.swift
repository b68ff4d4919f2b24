import Logging
import Observability
import PhotoModel
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

    /// Has a password among its settings.
    private struct Configured: Service {
        let proxy = "http://box:hunter2@proxy.example"
        func run() async {}
    }

    @Test("The log names services, and contains none of their settings, at any level")
    func log() async throws {
        let lines = Mutex<[String]>([])
        let handler = LineLogHandler(
            label: "test",
            format: .text,
            level: .trace,
            now: { WallTime(microsecondsSince1970: 0) },
            sink: { line in lines.withLock { $0.append(line) } }
        )
        let group = Agent.group(of: [Configured()], logger: Logger(label: "test") { _ in handler })
        // A service that returns ends its group with an error.
        try? await group.run()
        let log = lines.withLock { $0.joined() }
        #expect(log.contains("Configured") && !log.contains("hunter2"), "\(log)")
    }
}
