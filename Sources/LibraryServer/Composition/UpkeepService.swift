import LibraryStore
import Logging
import ServiceLifecycle

/// Does what has to be done again and again: old uploads and the trash's and quarantine's old entries go.
struct UpkeepService: Service {
    /// How often it looks.
    private static let interval = Duration.seconds(3600)
    /// How many looks it takes until every file is looked for among the rows: a day.
    private static let sweep = 24

    let store: LibraryStore
    let ceilings: Ceilings
    let audit: AuditLog
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await holdDevices()
            var looks = 0
            while !Task.isCancelled {
                await lookOnce()
                looks += 1
                // An hour after the start, so that one who restarts it every day has it, too.
                if looks % Self.sweep == 2 { await sweep() }
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    /// A change of the policy that the last stop cut short reaches the devices that it had not reached.
    private func holdDevices() async {
        do {
            try await ceilings.holdAll(by: .init(name: "upkeep", context: AuditContext()), "the policy in force")
        } catch is CancellationError {
            // The server stops again: the next start does it.
        } catch {
            logger.error("devices are not held to the policy", metadata: ["error": "\(error)"])
        }
    }

    /// Bytes that nothing names any more do not stay: what purges and crashes left of them goes to quarantine.
    private func sweep() async {
        do {
            let count = try await store.quarantineUnreferenced()
            if count > 0 { logger.notice("unreferenced files went to quarantine", metadata: ["files": "\(count)"]) }
        } catch {
            logger.error("files could not be looked through", metadata: ["error": "\(error)"])
        }
    }

    /// Each step by itself: one that fails stops no other.
    private func lookOnce() async {
        var done: Logger.Metadata = [:]
        func step(_ name: String, _ body: () async throws -> Int) async {
            do {
                done[name] = "\(try await body())"
            } catch is CancellationError {
                // The server stops: the next start does it.
            } catch {
                logger.error("upkeep failed", metadata: ["step": "\(name)", "error": "\(error)"])
            }
        }
        await step("audit.kept") {
            try await audit.keepHead()
            return 1
        }
        await step("uploads.expired") { try await store.expireUploads() }
        await step("plans.refreshed") {
            try await store.metadata.refreshPlans()
            return 1
        }
        await step("removals.forgotten") { try await store.forgetRemovals() }
        await step("trash.collected") {
            let collected = try await store.collect(by: .administrator("upkeep"))
            return collected.purged + collected.deleted
        }
        logger.debug("upkeep done", metadata: done)
    }
}
