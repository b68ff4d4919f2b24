import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel
import ServiceLifecycle
import Synchronization

/// Waits for changes on behalf of all waiting requests: a change costs one look for all of them, and wakes those it
/// concerns.
///
/// Those at the same position of the same view share a look. Changes during a look are found by the next one, so however
/// many changes come at once, a request waits for two looks at most.
final class ChangeLooks: Service {
    /// Checks the feed for many at once; one result per look, in order.
    typealias Look = @Sendable ([ChangeLook]) async -> [Result<ChangePage, any Error>]

    /// Positions checked at once.
    private static let roundCount = 1024
    /// The most changes after a position that is near the end.
    private static let nearCount = 256

    private struct Place: Hashable {
        let position: ChangePosition
        let limit: Int
        /// The device whose view it is, nil for the whole library; with the version it identifies the selection.
        let device: DeviceID?
        let grantVersion: UInt64
    }

    /// What a request waits for.
    private struct Wait: Sendable {
        /// The latest position after which nothing is known.
        var position: ChangePosition
        let limit: Int
        let viewer: ChangeViewer

        var place: Place {
            let device: DeviceID? = if case .limited(let device, _, _) = viewer { device } else { nil }
            return Place(position: position, limit: limit, device: device, grantVersion: viewer.grantVersion)
        }
    }

    private struct Waiter: Sendable {
        var wait: Wait
        let continuation: CheckedContinuation<ChangePage, any Error>
        /// The signals before the latest look; 0 if there was none.
        var seenCount = 0
    }

    /// A look for all who wait at one place.
    private struct SharedWait: Sendable {
        let look: ChangeLook
        var numbers: [Int] = []
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var nextNumber = 0
        /// The signals so far, and one.
        var signalCount = 1
        /// The requests that have their first look, see ``firstLook(for:_:)``.
        var lookingCount = 0
        /// The latest end of the feed that a page reached; nil if changes came while nobody waited or had a first look.
        var end: ChangePosition?
        /// The devices with a first look in the next round.
        var firstLooks: Set<DeviceID> = []
        /// The latest position to which a page led each limited device.
        var told: [DeviceID: ChangePosition] = [:]

        mutating func note(_ page: ChangePage, for viewer: ChangeViewer) {
            let position = page.position
            if case .limited(let device, _, _) = viewer { told[device] = position }
            // It tells where it ends, not where the feed does.
            if page.hasMore { return }
            if let end, end.epoch == position.epoch, end.number >= position.number { return }
            end = position
        }

        /// Begins the looks of those whose latest one began before the latest signal.
        mutating func begin() -> [SharedWait] {
            if waiters.isEmpty, lookingCount == 0 { (end, told) = (nil, [:]) }
            firstLooks = []
            var shared: [Place: SharedWait] = [:]
            for (number, waiter) in waiters.filter({ $0.value.seenCount < signalCount }) {
                waiters[number]?.seenCount = signalCount
                let wait = waiter.wait
                let look = ChangeLook(after: wait.position, limit: wait.limit, for: wait.viewer)
                shared[wait.place, default: SharedWait(look: look)].numbers.append(number)
            }
            return Array(shared.values)
        }
    }

    private let check: Look
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    init(look: @escaping Look) {
        check = look
        (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of requests that wait, for tests.
    var waitingCount: Int { state.withLock(\.waiters.count) }
    /// The number of requests that have their first look, for tests.
    var lookingCount: Int { state.withLock(\.lookingCount) }

    /// Lets a request that will wait for a page have its first look in the next round; returns false if it must look by
    /// itself before.
    ///
    /// A long page delays all others of its round: so the device's latest page must have led to the position, little must
    /// have happened since, and each device has one first look in a round. A position that is shown again has the device
    /// look by itself, and so does a view that was never looked at. Whoever sees everything looks by itself, which costs
    /// little.
    func takeFirstLook(at position: ChangePosition, for viewer: ChangeViewer) -> Bool {
        guard case .limited(let device, _, _) = viewer else { return false }
        return state.withLock { state in
            guard state.told[device] == position else { return false }
            guard let end = state.end, end.epoch == position.epoch else { return false }
            guard end.number.rawValue - position.number.rawValue <= Int64(Self.nearCount) else { return false }
            return state.firstLooks.insert(device).inserted
        }
    }

    /// Runs the first look of a request that will wait, and remembers where its page leads.
    ///
    /// A device that is told something by it need not look by itself again as long as others still do: when a fleet asks at once,
    /// that second look would come after the first looks of all others.
    ///
    /// - Throws: what the look throws.
    func firstLook(
        for viewer: ChangeViewer,
        _ look: () async throws -> ChangePage
    ) async rethrows -> ChangePage {
        state.withLock { $0.lookingCount += 1 }
        defer { state.withLock { $0.lookingCount -= 1 } }
        let page = try await look()
        state.withLock { $0.note(page, for: viewer) }
        return page
    }

    func notify() {
        state.withLock { $0.signalCount += 1 }
        waker.yield()
    }

    /// Looks whenever something changed or a request begins to wait.
    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in self.wakes { await self.look() }
        }
    }

    /// The next changes after a position, as a viewer sees them.
    ///
    /// The page is empty if none come within a duration, or if the server shuts down.
    ///
    /// - Throws: what the check throws.
    func page(
        after position: ChangePosition,
        limit: Int,
        for viewer: ChangeViewer,
        within duration: Duration
    ) async throws -> ChangePage {
        let wait = Wait(position: position, limit: limit, viewer: viewer)
        return try await withThrowingTaskGroup(of: ChangePage?.self) { group in
            group.addTask { try await self.page(for: wait) }
            group.addTask {
                try? await Task.sleep(for: duration)
                return nil
            }
            for try await page in group {
                // A wait that is cancelled has an empty page.
                group.cancelAll()
                if let page { return page }
            }
            return .empty(at: wait.position)
        }
    }

    private func page(for wait: Wait) async throws -> ChangePage {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return try await withTaskCancellationOrGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.waiters[number] = Waiter(wait: wait, continuation: continuation) }
                waker.yield()
                // The handler may have run before there was anybody to answer.
                if Task.isCancelled || Task.isShuttingDownGracefully { self.end(number) }
            }
        } onCancelOrGracefulShutdown: {
            self.end(number)
        }
    }

    /// Answers a request with an empty page, unless it was answered.
    private func end(_ number: Int) {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: number) }) else { return }
        waiter.continuation.resume(returning: .empty(at: waiter.wait.position))
    }

    /// Looks for all who have not been looked for since the latest signal.
    func look() async {
        var due = state.withLock { $0.begin() }[...]
        while !due.isEmpty {
            let round = due.prefix(Self.roundCount)
            due = due.dropFirst(round.count)
            for (place, result) in zip(round, await check(round.map(\.look))) { answer(place, result) }
        }
    }

    /// Passes a result to all who wait at a place; an empty page only moves them.
    private func answer(_ place: SharedWait, _ result: Result<ChangePage, any Error>) {
        let told = state.withLock { state in
            if case .success(let page) = result { state.note(page, for: place.look.viewer) }
            if case .success(let page) = result, page.changes.isEmpty {
                for number in place.numbers { state.waiters[number]?.wait.position = page.position }
                return [Waiter]()
            }
            return place.numbers.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in told { waiter.continuation.resume(with: result) }
    }
}
