import LibraryStore
import Logging
import ServiceLifecycle

/// Tells the library's other servers that this one is alive, and leaves when it stops.
struct PresenceService: Service {
    let duties: any LibraryDuties
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isSkewed = false
            while !Task.isCancelled {
                await beat(&isSkewed)
                try? await Task.sleep(for: DutyTimes.beat)
            }
        }
        do {
            try await duties.leave()
        } catch {
            // The others notice its absence within 15 seconds.
            logger.warning("the other servers could not be notified of the stop", metadata: ["error": "\(error)"])
        }
    }

    private func beat(_ isSkewed: inout Bool) async {
        do {
            let skew = try await duties.beat()
            let isNow = skew > DutyTimes.notedSkew || skew < .zero - DutyTimes.notedSkew
            defer { isSkewed = isNow }
            guard isNow, !isSkewed else { return }
            logger.warning(
                "this machine's clock differs from the database's: synchronise both",
                metadata: ["seconds": "\(skew / .seconds(1))"]
            )
        } catch is CancellationError {
            // The server is stopping.
        } catch {
            logger.warning("this server's presence could not be recorded", metadata: ["error": "\(error)"])
        }
    }
}
