import AgentCapture
package import AgentStore
import Authorization
package import BoxIdentity
import Glibc
import Host
package import LibraryAPI
package import LibraryClient
package import Logging
package import Persistence
package import PhotoLibrary
import PhotoModel
package import SyncEngine

/// A configured agent: settings, queue, identity, and the sync that uses them.
package struct Agent: Sendable {
    /// The program and its version, as reported to the library.
    package static let build = "tintype-agent \(Release.version)"

    /// The settings.
    package let settings: AgentSettings
    /// The queue.
    package let store: AgentStore
    /// The box's identity.
    package let identity: IdentityFolder
    /// The threads for blocking calls.
    package let pool = BlockingPool(width: 4)
    /// The logger.
    package let logger: Logger

    /// Opens the queue; a guest is welcome to open it beside another agent that has it open, without repairing it or
    /// freeing bytes.
    ///
    /// - Throws: `AgentStoreError` if the folder cannot be used, `AgentError` if another agent has it open,
    ///   or if it is another user's and this is root.
    package init(settings: AgentSettings, logger: Logger, isGuestWelcome: Bool = false) throws {
        self.settings = settings
        self.logger = logger
        let root = Path(settings.path)
        try FolderOwner.check(root)
        identity = IdentityFolder(in: root)
        let fileSystem = try identity.queueFileSystem(at: root, isEncrypting: settings.isQueueEncrypted)
        do {
            store = try Self.store(at: root, fileSystem, album: settings.album, attempts: isGuestWelcome ? 1 : 30)
        } catch let error as AgentStoreError where (error.cause as? PersistenceError)?.code == .locked {
            guard !isGuestWelcome else {
                store = try AgentStore(guestAt: root, fileSystem: fileSystem)
                return
            }
            throw AgentError(
                .failed,
                "another tintype-agent has \(root) open: stop it (systemctl stop tintype-agent), or use another --set agent.path",
                isLocked: true
            )
        }
        if let device = try identity.device() { try become(device.id) }
        report(store.recovery)
        try store.settle()
        try sealSecrets()
    }

    /// Seals the box's keys with its TPM, if it has one and the queue is to be encrypted.
    ///
    /// - Throws: `DeviceIdentityError` if a usable TPM fails to seal; the keys then stay as they are.
    package func sealSecrets() throws {
        if settings.isQueueEncrypted { _ = try identity.sealSecrets() }
    }

    /// Opens the queue, retrying every 100 ms, since a command that only reads has it open for a moment.
    private static func store(
        at root: Path,
        _ fileSystem: any FileSystem,
        album: String?,
        attempts: Int
    ) throws -> AgentStore {
        for _ in 1..<attempts {
            do {
                return try AgentStore(root: root, fileSystem: fileSystem, album: album, now: HostClock.now())
            } catch let error as AgentStoreError where (error.cause as? PersistenceError)?.code == .locked {
                usleep(100_000)
            }
        }
        return try AgentStore(root: root, fileSystem: fileSystem, album: album, now: HostClock.now())
    }

    /// Makes the box a new device, even if it already is one.
    ///
    /// - Throws: `storage`.
    package func become(_ device: DeviceID) throws {
        let former = try store.device()
        guard former != device else { return }
        if former != nil {
            try store.replaceDevice(by: device, as: ContactExchange.newIncarnation())
        } else {
            try store.setDevice(device)
        }
    }

    /// Wakes the service that has this queue open; does nothing without one.
    package func wakeService() async throws {
        guard store.isGuest else { return }
        try await ControlClient(socketPath: settings.socketPath)?.wake()
    }

    /// Runs work that adds entries to the queue, which the service may send before all are there, and keeps waking the
    /// service until it ends; a failed notification is repeated by the next call.
    package func wakingService<Value: Sendable>(
        every interval: Duration,
        during work: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        let waking = Task {
            // A cancelled sleep only means that the work has ended.
            while (try? await Task.sleep(for: interval)) != nil { try? await wakeService() }
        }
        defer { waking.cancel() }
        return try await work()
    }

    /// The queue's space limits.
    package var limits: SpaceLimits { settings.limits }

    /// Why the box wants access.
    package var usage: UsageTexts {
        UsageTexts(add: settings.addUsage, readWrite: settings.readWriteUsage)
    }

    /// The client for the pinned library, as this device.
    ///
    /// - Throws: `configuration` before the enrolment.
    package func client() throws -> LibraryClient {
        LibraryClient(try transport())
    }

    /// The transport to the pinned library, as this device.
    ///
    /// - Throws: `configuration` before the enrolment.
    package func transport() throws -> RenewingTransport {
        try RenewingTransport { [identity] in
            try identity.device()?.certificateChain
        } make: { [identity, settings] in
            var curl = try identity.curlSettings(proxy: settings.proxy)
            // One more than the parallel requests: the long-poll of the feed takes a connection too.
            curl.maximumConnections = settings.parallelRequests + 1
            if settings.bytesPerSecond > 0 { curl.sendBytesPerSecond = Int64(settings.bytesPerSecond) }
            return try CurlTransport(curl)
        }
    }

    /// The upkeep of the box's identity.
    package func upkeep(_ client: LibraryClient) -> IdentityUpkeep {
        IdentityUpkeep(folder: identity, store: store, client: client, pool: pool, logger: logger)
    }

    /// The library as a program on this box sees it.
    ///
    /// - Throws: `configuration` before the enrolment.
    package func photoLibrary() throws -> PhotoLibrary {
        let transport = try transport()
        return PhotoLibrary(
            client: LibraryClient(transport),
            store: store,
            pool: pool,
            usage: usage,
            surroundings: .box,
            limits: limits,
            origin: try identity.pinned()?.url ?? "",
            refresh: { try transport.renew() },
            wake: { [self] in
                // A service that does not respond sees the change at its next check.
                try? await wakeService()
            }
        )
    }

    /// Checks that the settings for a sync are present, and that a library has admitted this box.
    ///
    /// - Throws: `configuration` before the enrolment or without `library.add.usage`, `held` while it waits for an answer,
    ///   `notAllowed` once it was refused.
    package func checkSyncing() throws {
        _ = try UsageText.required(settings.addUsage, "library.add.usage")
        _ = try identity.admission()
    }

    /// Sends the queue.
    ///
    /// - Parameters:
    ///   - mode: once, or until the task is cancelled.
    ///   - isComparing: whether to compare the view with the library's now, even if it is not due.
    ///   - news: signals that something was captured.
    ///   - feed: signals that a concurrent import has added to the queue, and ends with it; nil without an import.
    ///   - progress: called after every event.
    /// - Returns: the report.
    /// - Throws: `configuration` before the enrolment or without `library.add.usage`, `held` while it waits for an answer.
    package func sync(
        _ mode: SyncSession<ContinuousClock>.Mode,
        isComparing: Bool = false,
        news: AsyncStream<Void> = AsyncStream { $0.finish() },
        feed: AsyncStream<Void>? = nil,
        progress: (@Sendable (SyncSession<ContinuousClock>.Progress) -> Void)? = nil
    ) async throws -> SyncReport {
        try checkSyncing()
        let (pinned, device) = try identity.admission()
        // A single sync prints its report; a service needs the log.
        let journal =
            mode == .continuous
            ? SyncJournal(logger: logger, identityHold: try store.fact(.identityHold)) : nil
        let transport = try transport()
        let client = LibraryClient(transport)
        let library = LibraryGateway(
            client: client,
            store: store,
            pool: pool,
            usage: usage,
            build: Self.build,
            metered: MeteredLinks(settings.meteredInterfaces),
            reminder: ExpansionReminder(isPrevented: settings.preventsAutomaticLimitedPrompt),
            comparisonInterval: isComparing ? .zero : settings.comparisonInterval,
            upkeep: upkeep(client),
            journal: journal,
            consents: consentReport,
            refresh: { try transport.renew() }
        )
        let queue = QueueGateway(store: store, pool: pool, journal: journal, isGenuine: pinned.receiptVerifier())
        var session = SyncSession(
            library: library,
            queue: queue,
            clock: ContinuousClock(),
            minuteOfDay: { HostClock.minuteOfDay() },
            logger: logger
        )
        session.progress = progress
        var policy = settings.syncPolicy
        if mode == .continuous {
            policy.listenSeconds = APILimits.changeWaitSeconds
            policy.deliveryReportDelay = .seconds(5)
        }
        let machine = SyncMachine(device: device.id, policy: policy, isFed: feed != nil, seed: .random(in: 0 ... .max))
        let report = await session.run(machine, mode, news: news, feed: feed)
        journal?.tellSaved()
        // Administrators should see what waits here now; an unreachable library learns of it at the next contact.
        if mode == .once, report.tally.committed > 0, report.outcome == .done, !report.isRetired, !Task.isCancelled {
            _ = try? await library.contact()
        }
        try await free()
        return report
    }

    /// The report of cameras and microphones to the library.
    var consentReport: ConsentReport {
        ConsentReport(
            store: store,
            pool: pool,
            consents: ConsentFile(in: store.root, policy: settings.consentPolicy),
            logger: logger
        )
    }

    /// Frees what receipts and retention allow.
    package func free() async throws {
        let retention = Duration.seconds(settings.retentionDays * 86_400)
        // Even after a stopped sync: whatever can be freed is.
        let report = try await pool.uncancelled { [store] in
            let watermark = try store.fact(.backupWatermark)
            return try LearnedClock.elapsed(in: store).map { now in
                try store.freeRetained(after: retention, backupWatermark: watermark, now: now)
            }
        }
        guard let report, report.count > 0 else { return }
        logger.info("originals were freed", metadata: ["assets": "\(report.count)", "bytes": "\(report.byteCount)"])
    }

    private func report(_ recovery: RecoveryReport) {
        if !recovery.adopted.isEmpty || !recovery.removed.isEmpty {
            logger.notice(
                "an interrupted run was repaired",
                metadata: ["adopted": "\(recovery.adopted.count)", "removed": "\(recovery.removed.count)"]
            )
        }
        for (name, reason) in recovery.failed {
            logger.error(
                "what an interrupted capture left cannot be completed or removed yet: fix the cause and start again",
                metadata: ["asset.id": "\(name)", "error": "\(reason)"]
            )
        }
        if !recovery.lost.isEmpty {
            logger.error(
                "bytes of captures are missing: check the disk, see tintype-agent queue list --state deadLetter",
                metadata: ["assets": "\(recovery.lost.count)"]
            )
        }
    }
}
