import LibraryStore
import Logging
import ServiceLifecycle

/// Does what has to be done again and again: old uploads and the trash's and quarantine's old entries go.
struct UpkeepService: Service {
    /// How often it looks.
    private static let interval = Duration.seconds(3600)

    let store: LibraryStore
    let audit: AuditDesk
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await lookOnce()
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    private func lookOnce() async {
        do {
            try await audit.keepHead()
            let expired = try await store.expireUploads()
            let collected = try await store.collect(by: .administrator("upkeep"))
            logger.debug(
                "upkeep done",
                metadata: [
                    "uploads.expired": "\(expired)", "assets.purged": "\(collected.purged)",
                    "files.deleted": "\(collected.deleted)",
                ]
            )
        } catch {
            logger.error("upkeep failed", metadata: ["error": "\(error)"])
        }
    }
}
