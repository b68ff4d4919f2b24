import Synchronization

/// Lets many writers share one durable step: a writer that arrives during a round joins the next one.
///
/// The first writer to find no leader leads a round for itself and all waiting writers, then hands the lead to the
/// longest-waiting one. No extra task is needed. `perform` runs to its end even if the leader's task is cancelled,
/// because others wait for it. A round has a limit, and the rest wait for the next one: writers whose items are done
/// prepare their next ones while others' are made durable. Without the limit all would wait together, and then all be
/// busy elsewhere at once.
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
    private let perform: @Sendable ([Item]) async throws -> [Result<Answer, any Error>]

    /// Creates a committer that makes rounds of a total weight durable, with one result per item, in order; a heavier
    /// single item gets a round of its own.
    ///
    /// An error of `perform` is the result of each item.
    package init(
        maximumWeight: Int,
        weight: @escaping @Sendable (Item) -> Int = { _ in 1 },
        perform: @escaping @Sendable ([Item]) async throws -> [Result<Answer, any Error>]
    ) {
        precondition(maximumWeight > 0, "a round has an item")
        self.maximumWeight = maximumWeight
        self.weight = weight
        self.perform = perform
    }

    /// The number of rounds started, for metrics and tests.
    package var rounds: Int { state.withLock(\.rounds) }

    /// The number of items waiting for the next round.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Commits an item in the next round, and returns its result once durable, or throws why it failed.
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
        let items = [item] + followers.map(\.item)
        let results = await items.failingTogether { try await perform(items) }
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

extension Collection {
    /// One result per element from work for all of them; its error is the result of each.
    package func failingTogether<Answer>(
        _ work: () async throws -> [Result<Answer, any Error>]
    ) async -> [Result<Answer, any Error>] {
        do {
            return try await work()
        } catch {
            return map { _ in .failure(error) }
        }
    }
}
