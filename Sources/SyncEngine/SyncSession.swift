import Authorization
import LibraryAPI
package import Logging
import PhotoModel

/// Performs the actions of a ``SyncMachine`` until a single sync is done or the task is cancelled.
package struct SyncSession<Clock: _Concurrency.Clock>: Sendable where Clock.Duration == Duration {
    /// How long to continue.
    package enum Mode: Sendable {
        /// Until there is nothing left to do soon.
        case once
        /// Until the task is cancelled.
        case continuous
    }

    /// The state of a session, for a progress bar.
    package struct Progress: Hashable, Sendable {
        /// The work done so far.
        package var tally: SyncTally
        /// Assets still owed.
        package var remaining: Int
        /// Their bytes.
        package var remainingBytes: Int64
    }

    private let library: any SyncLibrary
    private let queue: any SyncQueue
    private let clock: Clock
    private let minuteOfDay: @Sendable () -> Int
    private let logger: Logger
    /// Called after every event.
    package var progress: (@Sendable (Progress) -> Void)?

    /// Creates a session on a monotonic clock; the local minute of the day is for the allowed hours.
    package init(
        library: any SyncLibrary,
        queue: any SyncQueue,
        clock: Clock,
        minuteOfDay: @escaping @Sendable () -> Int,
        logger: Logger
    ) {
        self.library = library
        self.queue = queue
        self.clock = clock
        self.minuteOfDay = minuteOfDay
        self.logger = logger
    }

    /// Runs the machine, and returns the work done and what is left.
    ///
    /// News yield when something was captured, or an immediate try is wanted. The feed of an import beside the sync
    /// yields when it has put more into the queue, and finishes with it; a single sync continues until then.
    package func run(
        _ machine: SyncMachine,
        _ mode: Mode,
        news: AsyncStream<Void> = AsyncStream { $0.finish() },
        feed: AsyncStream<Void>? = nil
    ) async -> SyncReport {
        var machine = machine
        let start = clock.now
        func now() -> Duration { start.duration(to: clock.now) }
        await withTaskGroup(of: SyncEvent.self) { group in
            if let feed { group.addTask { await Self.follow(feed) } }
            var isListening = false
            var sleepsUntil: Duration?
            while !Task.isCancelled {
                let actions = machine.next(now: now(), minuteOfDay: minuteOfDay())
                for action in actions { group.addTask { await perform(action) } }
                progress?(Self.progress(of: machine))
                if actions.isEmpty, mode == .once, machine.isSpent(now: now()) { break }
                if mode == .continuous, !isListening {
                    isListening = true
                    group.addTask { await Self.listen(to: news) }
                }
                if actions.isEmpty, machine.isQuiet {
                    let wake = machine.wake(now: now(), minuteOfDay: minuteOfDay())
                    if sleepsUntil.map({ $0 > wake || $0 <= now() }) ?? true {
                        sleepsUntil = wake
                        let deadline = start.advanced(by: wake)
                        group.addTask { await sleep(until: deadline) }
                    }
                }
                guard let event = await group.next() else { break }
                // A failure caused by stopping the session says nothing about the library.
                if case .failed = event, Task.isCancelled { break }
                if case .woken = event { isListening = false }
                if case .fed(isLast: false) = event, let feed { group.addTask { await Self.follow(feed) } }
                if case .ticked = event { sleepsUntil = nil }
                if case .failed(let action, let failure) = event { report(action, failure) }
                machine.handle(event, now: now())
            }
            group.cancelAll()
        }
        return SyncReport(machine)
    }

    private func perform(_ action: SyncAction) async -> SyncEvent {
        do {
            return try await attempt(action)
        } catch let failure as SyncFailure {
            return .failed(action, failure)
        } catch {
            return .failed(action, .local("\(error)"))
        }
    }

    private func attempt(_ action: SyncAction) async throws -> SyncEvent {
        switch action {
        case .load:
            return .loaded(try await queue.owed(limit: SyncPolicy().loadedEntryCount))
        case .contact:
            return .contacted(try await library.contact())
        case .authorize:
            return .authorized(action, try await library.authorization())
        case .awaitDecision(let version, let seconds):
            return .authorized(action, try await library.authorization(after: version, waitSeconds: seconds))
        case .request(let level):
            return .authorized(action, try await library.request(level))
        case .batch(let assets):
            return try await batch(assets, action)
        case .describe(let asset):
            try await queue.beginUpload([asset])
            let answer = try await library.describe(asset)
            guard let receipt = answer.receipt else { return .described(asset, answer.uploads) }
            return try await keep(CommitResponse(receipt: receipt, album: answer.album), of: asset)
        case .position(let asset, let upload):
            let (offset, isComplete) = try await library.position(of: upload)
            return .positioned(asset, upload, offset: offset, isComplete: isComplete)
        case .append(let append):
            let (offset, isComplete) = try await library.append(append)
            return .positioned(append.assetID, append.uploadID, offset: offset, isComplete: isComplete)
        case .commit(let asset):
            return try await keep(try await library.commit(asset), of: asset)
        case .push:
            return try await push()
        case .pull(let seconds):
            return try await pull(action, seconds)
        case .compare:
            return .compared(try await ViewComparison(library: library, queue: queue).run())
        case .hold(let assets, let reason):
            try await queue.hold(assets, reason)
        case .release(let assets):
            try await queue.release(assets)
        case .reject(let asset, let problem):
            try await queue.reject(asset, problem)
        }
        return .noted(action)
    }

    private func keep(_ answer: CommitResponse, of asset: AssetID) async throws -> SyncEvent {
        if let failure = try await queue.commit([asset: answer])[asset] { throw failure }
        return .committed(asset)
    }

    private func batch(_ assets: [AssetID], _ action: SyncAction) async throws -> SyncEvent {
        try await queue.beginUpload(assets)
        var answers: [AssetID: CommitResponse] = [:]
        var refused: [AssetID: SyncFailure] = [:]
        for (asset, result) in try await library.batch(assets) {
            switch result {
            case .success(let answer): answers[asset] = answer
            case .failure(let failure): refused[asset] = failure
            }
        }
        if !answers.isEmpty { refused.merge(try await queue.commit(answers)) { _, last in last } }
        return .batched(action, committed: answers.keys.filter { refused[$0] == nil }.sorted(), refused: refused)
    }

    private func push() async throws -> SyncEvent {
        guard let push = try await queue.pendingPush() else { return .pushed(PushOutcome()) }
        return try await send(push)
    }

    private func send(_ push: ChangePush) async throws -> SyncEvent {
        let answer: ChangePushResponse
        do throws(SyncFailure) {
            answer = try await library.push(push)
        } catch {
            switch error.code {
            // The library has not seen them: they get stamps of the library's time, learned from the contact.
            case .clockAhead: try await queue.restamp()
            // Another copy of this box was first; under a new incarnation no pending change is lost.
            case .changesForked: try await queue.beginIncarnation()
            case .tooLarge, .malformedRequest, .changeInvalid: return try await narrowed(push, error)
            default: throw error
            }
            return .pushed(PushOutcome(hasMore: true))
        }
        let judged = try await queue.acknowledge(push, answer)
        if judged == 0 { try await queue.restamp() }
        return .pushed(PushOutcome(judged: judged, refused: answer.refused.count, hasMore: true))
    }

    /// Isolates the one change that the library cannot judge, so that it does not block the others.
    private func narrowed(_ push: ChangePush, _ failure: SyncFailure) async throws -> SyncEvent {
        guard push.changes.count == 1, case .refused(let problem) = failure else {
            var part = push
            part.changes = Array(push.changes.prefix(push.changes.count / 2))
            guard !part.changes.isEmpty else { throw failure }
            return try await send(part)
        }
        try await queue.refuse(push, problem)
        return .pushed(PushOutcome(judged: 1, refused: 1, hasMore: true))
    }

    private func pull(_ action: SyncAction, _ seconds: Int) async throws -> SyncEvent {
        let position = try await queue.feedPosition()
        let token = position.token
        do throws(SyncFailure) {
            let page = try await library.changes(since: token, waitSeconds: seconds)
            guard try await queue.apply(page, at: position) else { return .pulled(action, PullOutcome(hasMore: true)) }
            return .pulled(action, PullOutcome(count: page.changes.count, hasMore: page.end.hasMore))
        } catch {
            guard error.code == .tokenExpired, token != nil else { throw error }
            try await queue.beginEnumeration()
            return .pulled(action, PullOutcome(hasMore: true))
        }
    }

    private func sleep(until deadline: Clock.Instant) async -> SyncEvent {
        // A cancelled sleep just means that the session ends.
        try? await clock.sleep(until: deadline, tolerance: nil)
        return .ticked
    }

    private static func listen(to news: AsyncStream<Void>) async -> SyncEvent {
        for await _ in news { return .woken }
        // The stream has ended: nothing new will come, so this child waits for the session's end.
        try? await Task.sleep(for: .seconds(365 * 86_400))
        return .ticked
    }

    private static func follow(_ feed: AsyncStream<Void>) async -> SyncEvent {
        for await _ in feed { return .fed(isLast: false) }
        return .fed(isLast: true)
    }

    private func report(_ action: SyncAction, _ failure: SyncFailure) {
        let level: Logger.Level =
            switch failure {
            case .receiptRefused, .damaged, .unreadable, .untrusted: .warning
            // The owner of the identity reports its rejection, once.
            case .refused(let problem) where HoldReason(refusing: problem.code) != nil: .debug
            case .noAnswer, .refused, .local: .info
            }
        logger.log(
            level: level,
            "an action did not succeed",
            metadata: ["sync.action": "\(action.name)", "sync.failure": "\(failure.message)"]
        )
    }

    private static func progress(of machine: SyncMachine) -> Progress {
        let remaining = machine.remaining
        return Progress(
            tally: machine.tally,
            remaining: remaining.count,
            remainingBytes: remaining.reduce(0) { $0 + $1.entry.byteCount }
        )
    }
}

extension SyncAction {
    /// Its kind, for logs.
    var name: Substring { "\(self)".prefix { $0 != "(" } }
}
