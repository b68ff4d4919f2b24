package import AgentCapture
import AgentStore
package import Capture
import Logging
package import PhotoLibrary
package import PhotoModel
import ServiceLifecycle
package import SyncEngine

/// One wake of a sleeping box: captures and imports what is due, sends what waits, and determines the next wake.
package struct SingleRun: Sendable {
    /// What a run did.
    package struct Result: Sendable {
        /// The shots taken.
        package var shots: [CapturedShot] = []
        /// The moments that were given up.
        package var failures: [ScheduledShots.Failure] = []
        /// Moments missed while the box slept.
        package var skippedMoments: Int64 = 0
        /// The imports from each watched folder.
        package var folders: [CaptureStatus.Folder] = []
        /// The sync's report; nil if nothing was sent.
        package var sync: SyncReport?
        /// Why nothing was sent; nil if something was, or if there is no library.
        package var syncError: (any Error)?
        /// Why the first failed moment failed.
        package var captureError: (any Error)?
        /// When the box is to wake; nil without a schedule.
        package var next: NextWake?
    }

    /// When the box is to wake.
    package struct NextWake: Hashable, Sendable, Encodable {
        /// The profile whose moment it is.
        package let profile: String
        /// The moment.
        package let moment: WallTime
        /// When to wake to be ready for it.
        package let time: WallTime
        /// Whole seconds until then.
        package let seconds: Int64
    }

    /// A camera is opened this long before its moment while the box is awake for something else.
    private static let warmUp = Duration.seconds(10)
    /// How long to wait for an administrator to admit the box.
    private static let admissionWait = Duration.seconds(30)

    private let agent: Agent
    private let shots: ScheduledShots
    private let folders: [FolderRunner]
    private let provider: CaptureSessionProvider
    private let clock: any CaptureClock
    private let lead: Duration
    private let end: MonotonicTime
    private let isSyncing: Bool

    /// Prepares a run; without a library to send to, or a requested enrolment at one, it does not sync.
    ///
    /// The lead is how long before a moment the box is to wake; a moment missed by more than `late` is skipped, and
    /// sending ends at the deadline, from now.
    ///
    /// - Throws: `configuration` for profiles that cannot run together, or that a sleeping box cannot run.
    package init(
        _ agent: Agent,
        _ profiles: [CaptureProfile],
        prompter: any ConsentPrompter,
        lead: Duration,
        late: Duration,
        deadline: Duration,
        isSyncing: Bool
    ) throws {
        self.agent = agent
        self.lead = lead
        self.isSyncing = isSyncing
        let place = agent.settings.capture.location
        let context = try agent.captureContext(PositionSource(fixed: place), prompter: prompter) {}
        provider = context.provider
        clock = provider.clock
        end = clock.reading().monotonic.advanced(by: deadline)
        shots = try ScheduledShots(
            profiles,
            context,
            store: agent.store,
            location: place,
            tolerance: WakeSchedule.Tolerance(lead: lead, late: late),
            end: end
        )
        folders = FolderRunner.runners(of: profiles, context, importer: agent.importer)
    }

    /// Runs everything; shots and files in progress are finished before it returns.
    package func run() async -> Result {
        var result = Result()
        _ = await shots.takeDue()
        await agent.noteConsents(provider)
        await takingShots { await takeFolders() }
        if isSyncing, !Task.isCancelled {
            do {
                result.sync = try await takingShots { try await send() }
            } catch {
                result.syncError = error
            }
        }
        // Within the lead there is no time to sleep before a moment.
        while !isOver, await shots.takeDue() {}
        result.shots = await shots.shots
        result.failures = await shots.failures
        result.skippedMoments = await shots.skippedMoments
        result.captureError = await shots.error
        for folder in folders { result.folders.append(await folder.status()) }
        result.next = await nextWake()
        return result
    }

    private var isOver: Bool { Task.isCancelled || clock.reading().monotonic >= end }

    /// Imports files.
    ///
    /// If there is something to send, at most half of the remaining time is used; files not imported stay in their
    /// folder.
    private func takeFolders() async {
        let now = clock.reading().monotonic
        let deadline = isSyncing ? now.advanced(by: end.duration(since: now) / 2) : end
        try? await withDeadline(deadline) {
            await withTaskCancellationHandler {
                await withDiscardingTaskGroup { group in
                    for folder in folders { group.addTask { await folder.runOnce() } }
                }
            } onCancel: {
                for folder in folders { folder.end() }
            }
        }
    }

    /// Runs other work, and takes shots that become due in the meantime.
    private func takingShots<Value: Sendable, Failure>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let ended = Latch()
        async let taking: Void = takeShots(until: ended)
        let result = await Swift.Result.awaiting(work)
        ended.open()
        await taking
        return try result.get()
    }

    /// Sends until nothing is left to do soon, or the deadline passes.
    private func send() async throws -> SyncReport? {
        if try agent.identity.isAwaitingAdmission {
            let latest = min(end, clock.reading().monotonic.advanced(by: Self.admissionWait))
            try await withDeadline(latest) { try await Admission(agent: agent).wait() }
        }
        // A cancelled sync reports what it did.
        return try await withDeadline(end) { try await agent.sync(.once) }
    }

    /// Runs work, cancels it at a deadline, and returns its result.
    private func withDeadline<Value: Sendable>(
        _ deadline: MonotonicTime,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask { [clock] in
                try? await clock.sleep(until: deadline)
                return nil
            }
            var value: Value?
            while let next = try await group.next() {
                value = value ?? next
                group.cancelAll()
            }
            guard let value else { throw CancellationError() }
            return value
        }
    }

    private func takeShots(until ended: Latch) async {
        while !ended.isOpen, !Task.isCancelled, let next = await shots.upcoming() {
            let reading = clock.reading()
            let left = next.time.duration(since: reading.wall) - min(Self.warmUp, lead)
            await ended.cancelling { try? await clock.sleep(until: reading.monotonic.advanced(by: left)) }
            guard !ended.isOpen else { return }
            _ = await shots.takeDue()
        }
    }

    private func nextWake() async -> NextWake? {
        guard let next = await shots.upcoming() else { return nil }
        let now = clock.reading().wall
        let time = max(next.time.advanced(by: .zero - lead), now)
        return NextWake(
            profile: next.profile,
            moment: next.time,
            time: time,
            seconds: time.duration(since: now).components.seconds
        )
    }
}
