import LibraryStore
import Logging
import ServiceLifecycle

/// Performs periodic upkeep: expires old uploads, trash and quarantine.
struct UpkeepService: Service {
    private static let interval = Duration.seconds(3600)
    /// The number of intervals between full sweeps of files against rows: a day.
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
                if await has(.upkeep) { await lookOnce() }
                looks += 1
                // An hour after startup, so that a server restarted daily gets it too.
                if looks % Self.sweep == 2, await has(.sweep) { await sweep() }
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    /// Whether the duty falls to this one of the library's servers.
    private func has(_ duty: Duty) async -> Bool {
        do {
            return try await store.metadata.duties.take(duty)
        } catch {
            logger.error("it cannot be determined which server does the upkeep", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Completes a policy change that the last shutdown interrupted.
    private func holdDevices() async {
        do {
            try await ceilings.holdAll(by: .init(name: "upkeep", context: AuditContext()), "the policy in force")
        } catch is CancellationError {
            // The server is stopping again: the next start continues.
        } catch {
            logger.error("the policy could not be applied to all devices", metadata: ["error": "\(error)"])
        }
    }

    /// Quarantines unreferenced bytes, left by purges and crashes.
    private func sweep() async {
        do {
            let count = try await store.quarantineUnreferenced()
            if count > 0 { logger.notice("unreferenced files quarantined", metadata: ["files": "\(count)"]) }
        } catch {
            logger.error("the sweep for unreferenced files failed", metadata: ["error": "\(error)"])
        }
    }

    /// Runs each step independently: a failing one does not stop the others.
    private func lookOnce() async {
        var done: Logger.Metadata = [:]
        func step(_ name: String, _ body: () async throws -> Int) async {
            do {
                done[name] = "\(try await body())"
            } catch is CancellationError {
                // The server is stopping: the next start continues.
            } catch {
                logger.error("upkeep failed", metadata: ["step": "\(name)", "error": "\(error)"])
            }
        }
        await step("audit.kept") {
            try await audit.keepHead()
            return 1
        }
        await step("turns.resumed") { try await store.metadata.resumeTurns() }
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
