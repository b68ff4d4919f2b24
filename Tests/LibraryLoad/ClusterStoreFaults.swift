import LibraryAPI
import LibraryClient
import TestSupport

extension Faults {
    /// Kills the primary, so that the standby takes over or the same one recovers.
    func killPrimary(_ generator: inout SeededGenerator) async throws {
        let isBack = generator.oneIn(3)
        try await fault("primary killed", "postgresql") {
            try await cluster.control("kill", "primary")
        } mending: {
            // Longer than its claim lasts, or so short that it takes up where it was.
            try await Task.sleep(for: .seconds(isBack ? 1 : 22))
            try await cluster.control("start", "postgresql")
        }
    }

    /// Kills or pauses the store for seconds.
    func letStoreFail(_ generator: inout SeededGenerator) async throws {
        let isKilled = generator.oneIn(2)
        try await fault(isKilled ? "store killed" : "store paused", "seaweedfs") {
            try await cluster.control(isKilled ? "kill" : "pause", "seaweedfs")
        } mending: {
            try await Task.sleep(for: .milliseconds(1000 + generator.below(8000)))
            try await cluster.control(isKilled ? "start" : "continue", "seaweedfs")
        }
    }

    /// Stops the store for a minute in which lists and changes have to be served, and times the uploads after it.
    func stopStoreForMinute() async throws {
        let fault = "store stopped for a minute"
        journal.note(fault, "seaweedfs")
        try await cluster.control("stop", "seaweedfs")
        await readWithoutStore(for: .seconds(60))
        try await cluster.control("start", "seaweedfs")
        await timeRecovery(from: fault, within: .seconds(15))
    }

    /// Asks for the list and the changes once a second; each response has 2 seconds.
    private func readWithoutStore(for duration: Duration) async {
        guard var client = devices.first?.client else { return }
        client.timeout = .seconds(2)
        var token: ChangeToken?
        var failures: [String] = []
        let end = ContinuousClock.now.advanced(by: duration)
        while ContinuousClock.now < end {
            let begin = ContinuousClock.now
            do {
                _ = try await client.call(.assets, query: AssetQuery().items, as: AssetPage.self)
                journal.note("list without the store", took: ContinuousClock.now - begin)
            } catch {
                failures.append("list: \(error)")
            }
            let middle = ContinuousClock.now
            do {
                token = try await client.changes(since: token).end.token
                journal.note("changes without the store", took: ContinuousClock.now - middle)
            } catch {
                failures.append("changes: \(error)")
            }
            try? await Task.sleep(until: begin.advanced(by: .seconds(1)))
        }
        guard isAlone, let first = failures.first else { return }
        ledger.report("\(failures.count) lists or changes were not served without the store; the first: \(first)")
    }
}
