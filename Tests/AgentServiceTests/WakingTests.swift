import AgentStore
import CaptureLinux
import Foundation
import Logging
import Persistence
import Settings
import Synchronization
import Testing

@testable import AgentService

struct WakingTests {
    @Test("A service is told while an import beside it is still under way, so that it sends meanwhile")
    func during() async throws {
        let root = "/tmp/tintype-waking-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let flags = ["agent.path=\(root)", "agent.socket=\(root)/agent.sock"]
        let settings = try AgentSettings(
            from: SettingsReader(yaml: "", environment: [:], flags: flags),
            hostName: "box"
        )
        let logger = Logger(label: "waking")
        // Whoever has the queue open first is the service, and the other its guest.
        let service = try Agent(settings: settings, logger: logger)
        let guest = try Agent(settings: settings, logger: logger, isGuestWelcome: true)
        let (ready, listens) = AsyncStream<Void>.makeStream()
        let (wakes, told) = AsyncStream<Void>.makeStream()
        let server = ControlServer(
            path: Path(settings.socketPath),
            clock: SystemCaptureClock(),
            logger: logger,
            isListening: { listens.finish() }
        ) {
            if $0.path == "/v1/wake" { told.yield() }
            return ControlServer.Answer(status: 200, body: [])
        }
        let running = Task { try await server.run() }
        defer { running.cancel() }
        for await _ in ready {}
        let count = await guest.wakingService(every: .milliseconds(10)) {
            var count = 0
            for await _ in wakes {
                count += 1
                if count == 3 { break }
            }
            return count
        }
        #expect(count == 3 && !service.store.isGuest && guest.store.isGuest)
    }
}
