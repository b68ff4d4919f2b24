import Synchronization

/// Lets many writers share one durable step: whoever comes while a round is under way joins the next one.
///
/// The first writer to find nobody leading leads a round for itself and for all who wait; then it hands the lead to the
/// one that has waited longest since. No task of its own is needed. `perform` runs to its end even when the leader's
/// task is cancelled, because others wait for it.
///
/// A round has a limit, and what is left waits for the next: writers that are answered early bring their next item while
/// others are made durable. Without it all would wait for all, and then all be away at once.
package final class GroupCommitter<Item: Sendable, Answer: Sendable>: Sendable {
    private enum Turn: Sendable {
        case lead
        case answered(Result<Answer, any Error>)
    }

    private struct Waiter: Sendable {
        let item: Item
        let continuation: CheckedContinuation<Turn, Never>
    }

    private struct State: Sendable {
        var waiting: [Waiter] = []
        var isLed = false
        var rounds = 0
    }

    private let state = Mutex(State())
    private let maximumWeight: Int
    private let weight: @Sendable (Item) -> Int
    private let perform: @Sendable ([Item]) async -> [Result<Answer, any Error>]

    /// A committer.
    ///
    /// - Parameters:
    ///   - maximumWeight: what the items of one round weigh together; one that alone weighs more has a round of its own.
    ///   - weight: how much an item weighs; each one unless told otherwise.
    ///   - perform: makes a round durable; one result an item, in order.
    package init(
        maximumWeight: Int,
        weight: @escaping @Sendable (Item) -> Int = { _ in 1 },
        perform: @escaping @Sendable ([Item]) async -> [Result<Answer, any Error>]
    ) {
        precondition(maximumWeight > 0, "a round has an item")
        self.maximumWeight = maximumWeight
        self.weight = weight
        self.perform = perform
    }

    /// Rounds that were begun, for metrics and tests.
    package var rounds: Int { state.withLock(\.rounds) }

    /// Items that wait for the next round.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Takes part in a round.
    ///
    /// - Parameter item: what is to be made durable.
    /// - Returns: its answer, once it is durable.
    /// - Throws: why it is not.
    package func commit(_ item: Item) async throws -> Answer {
        let turn = await withCheckedContinuation { continuation in
            let mayLead = state.withLock { state in
                if state.isLed {
                    state.waiting.append(Waiter(item: item, continuation: continuation))
                    return false
                }
                state.isLed = true
                return true
            }
            if mayLead { continuation.resume(returning: .lead) }
        }
        switch turn {
        case .answered(let result): return try result.get()
        case .lead: return try await lead(item)
        }
    }

    private func lead(_ item: Item) async throws -> Answer {
        let followers = state.withLock { state in
            state.rounds += 1
            var room = maximumWeight - weight(item)
            let followers = Array(
                state.waiting.prefix { waiter in
                    room -= weight(waiter.item)
                    return room >= 0
                }
            )
            state.waiting.removeFirst(followers.count)
            return followers
        }
        let results = await perform([item] + followers.map(\.item))
        precondition(results.count == followers.count + 1, "a round answers every item")
        for (follower, result) in zip(followers, results.dropFirst()) {
            follower.continuation.resume(returning: .answered(result))
        }
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isLed = false
                return nil as Waiter?
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume(returning: .lead)
        return try results[0].get()
    }
}
