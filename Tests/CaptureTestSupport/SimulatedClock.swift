package import Capture
package import Foundation
package import PhotoModel
import Synchronization

/// A clock that stands still until it is told to advance, for tests and simulations.
///
/// It knows how many devices live by it. ``advance(by:)`` waits until all of them sleep, wakes the earliest, and so on:
/// everything happens in the order of time, as fast as the machine can.
package final class SimulatedClock: CaptureClock {
    private struct Sleeper {
        let id: Int
        let deadline: MonotonicTime
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: MonotonicTime
        var participants: Int
        var lastID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var advancer: CheckedContinuation<Void, Never>?
    }

    /// The boot that readings belong to.
    package let bootID: BootID?
    private let epoch: WallTime
    private let zone: TimeZone?
    private let state: Mutex<State>

    /// A clock at rest.
    ///
    /// - Parameters:
    ///   - participants: how many devices sleep by this clock at most.
    ///   - start: the first monotonic reading.
    ///   - epoch: the wall time at which the monotonic clock read zero.
    ///   - bootID: the boot to claim.
    ///   - zone: the machine's time zone; nil for an hour east of UTC.
    package init(
        participants: Int,
        start: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000_000),
        epoch: WallTime = WallTime(millisecondsSince1970: 1_767_000_000_000),
        bootID: BootID? = BootID(rawValue: 1),
        zone: TimeZone? = nil
    ) {
        self.bootID = bootID
        self.epoch = epoch
        self.zone = zone
        state = Mutex(State(now: start, participants: participants))
    }

    /// The monotonic reading.
    package var now: MonotonicTime { state.withLock(\.now) }

    /// Both clocks; the wall clock claims to be synchronised.
    package func reading() -> ClockReading {
        let now = now
        let wall = epoch.advanced(by: .nanoseconds(now.nanoseconds))
        return ClockReading(
            monotonic: now,
            wall: wall,
            utcOffsetSeconds: utcOffsetSeconds(at: wall),
            isSynchronized: true
        )
    }

    /// The zone's offset.
    package func utcOffsetSeconds(at time: WallTime) -> Int {
        let date = Date(timeIntervalSince1970: Double(time.microsecondsSince1970) / 1_000_000)
        return zone?.secondsFromGMT(for: date) ?? 3600
    }

    /// A device has come or gone.
    package func setParticipants(_ count: Int) {
        wakeAdvancer { $0.participants = count }
    }

    /// Waits for ``advance(by:)`` to reach the deadline.
    package func sleep(until deadline: MonotonicTime) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var isCancelled = false
                wakeAdvancer { state in
                    isCancelled = state.cancelled.remove(id) != nil
                    if !isCancelled {
                        state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    }
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Lets so much time pass; one caller at a time.
    package func advance(by duration: Duration) async {
        let target = now.advanced(by: duration)
        while true {
            await everybodySleeps()
            let next = state.withLock { state -> Sleeper? in
                let earliest = state.sleepers.indices.min { left, right in
                    let (a, b) = (state.sleepers[left], state.sleepers[right])
                    return a.deadline == b.deadline ? a.id < b.id : a.deadline < b.deadline
                }
                guard let earliest, state.sleepers[earliest].deadline <= target else {
                    state.now = target
                    return nil
                }
                state.now = max(state.now, state.sleepers[earliest].deadline)
                return state.sleepers.remove(at: earliest)
            }
            guard let next else { return }
            next.continuation.resume()
        }
    }

    private func everybodySleeps() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.sleepers.count >= state.participants { return true }
                state.advancer = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    private func wakeAdvancer(_ change: (inout State) -> Void) {
        let advancer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            guard state.sleepers.count >= state.participants else { return nil }
            defer { state.advancer = nil }
            return state.advancer
        }
        advancer?.resume()
    }
}
