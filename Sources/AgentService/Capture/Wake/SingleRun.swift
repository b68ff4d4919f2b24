import AgentStore
import Capture
import Logging
import PhotoLibrary
import PhotoModel
import ServiceLifecycle
import SyncEngine

/// One wake of a box that sleeps: what is due is captured and taken in, what waits is sent, and the next wake is named.
struct SingleRun: Sendable {
    /// What a run did.
    struct Result: Sendable {
        var shots: [CapturedShot] = []
        var failures: [ScheduledShots.Failure] = []
        var skippedMoments: Int64 = 0
        var folders: [CaptureStatus.Folder] = []
        var sync: SyncReport?
        /// Why nothing was sent; nil if something was, or if there is no library.
        var syncError: (any Error)?
        /// Why the first failed moment failed.
        var captureError: (any Error)?
        var next: NextWake?
    }

    /// When the box is to wake.
    struct NextWake: Hashable, Sendable, Encodable {
        /// The profile whose moment it is.
        let profile: String
        /// The moment.
        let moment: WallTime
        /// When to wake to be ready for it.
        let time: WallTime
        /// Whole seconds until then.
        let seconds: Int64
    }

    /// A camera is opened this long before its moment while the box is awake for something else.
    private static let warmUp = Duration.seconds(10)
    /// How long to wait for an administrator to admit the box.
    private static let admissionWait = Duration.seconds(30)

    let agent: Agent
    let shots: ScheduledShots
    let folders: [FolderRunner]
    let clock: any CaptureClock
    /// How long before a moment the box is to wake.
    let lead: Duration
    /// When sending ends.
    let end: MonotonicTime
    /// Whether there is a library to send to, or one that was asked.
    let isSyncing: Bool

    /// Does it all; shots and files under way are finished before it returns.
    func run() async -> Result {
        var result = Result()
        _ = await shots.takeDue()
        await takingShots { await takeFolders() }
        if isSyncing, !Task.isCancelled {
            do {
                result.sync = try await takingShots { try await send() }
            } catch {
                result.syncError = error
            }
        }
        // There is no time to sleep before a moment within the lead.
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

    /// Takes files in; where something is to be sent, in at most half of the time that is left, since what is not taken in
    /// stays in its folder.
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

    /// Does other work, and takes the shots that become due meanwhile.
    private func takingShots<Value: Sendable, Failure>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let ended = Latch()
        async let taking: Void = takeShots(until: ended)
        let result: Swift.Result<Value, Failure>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        ended.open()
        await taking
        return try result.get()
    }

    /// Sends until nothing is left to do soon, or the time is over.
    private func send() async throws -> SyncReport? {
        if try agent.identity.isAwaitingAdmission {
            let latest = min(end, clock.reading().monotonic.advanced(by: Self.admissionWait))
            try await withDeadline(latest) { try await Admission(agent: agent).wait() }
        }
        // A cancelled sync reports what it did.
        return try await withDeadline(end) { try await agent.sync(.once) }
    }

    /// Runs work that is cancelled at a deadline, and returns what it then returns.
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
