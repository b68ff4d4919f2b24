import LibraryAPI
import Persistence
import PhotoModel
import TestSupport

/// How long a server and HAProxy may take, by their own intervals, and some seconds for a busy machine.
private enum Limits {
    /// Until a server that is cut off is not ready: the answer that it owes HAProxy takes at most 2 seconds.
    static let notice = Duration.seconds(5)
    /// Until HAProxy leaves it: `inter`, `fastinter` and two times `timeout check`, 6.5 seconds in all.
    static let use = Duration.seconds(10)
    /// Until a server that is whole again is in use: what waits there gives up after `connect_timeout`, 3 seconds, for each
    /// PostgreSQL, twice.
    static let comeback = Duration.seconds(15)
    /// Until devices save again.
    static let delay = Duration.seconds(15)
    /// Until every kind of spoilt answer has occurred.
    static let occurrence = Duration.seconds(60)
}

extension Faults {
    /// Cuts one server off for 5 to 20 seconds: it must notice, write nothing, and come back, while devices go on.
    func cutOff(_ generator: inout SeededGenerator) async throws {
        let number = generator.below(cluster.servers) + 1
        let side: ClusterLinks.Side = generator.oneIn(2) ? .database : .store
        let way: ClusterLinks.Way = generator.oneIn(2) ? .refuse : .silence
        let duration = Duration.milliseconds(5000 + generator.below(15_000))
        let seed = generator.next()
        guard cluster.servers > 1, let device = devices.first else {
            throw LoadError("nobody goes on without a server that is cut off if there is no other")
        }
        let links = try ClusterLinks(folder: cluster.folder)
        let server = try ClusterServer(number, of: cluster.folder)
        let cut = ClusterCut(server, from: side, try device.connected(to: server), ledger, isAlone: isAlone)
        let fault = "\(side) cut off"
        journal.note(fault, "\(server.name), \(way)")

        try await links.cut(server, from: side, way)
        let begin = ContinuousClock.now
        async let writes: Void = cut.tryWriting(seed: seed)
        async let reads: Void = cut.readRows()
        await time("until not ready after: \(fault)", within: Limits.notice) { await !server.isReady() }
        async let recovery: Void = timeRecovery(from: fault, within: Limits.delay)
        try await time("until HAProxy left a server after: \(fault)", within: Limits.use) {
            try await !server.isInUse()
        }
        await recovery
        while ContinuousClock.now - begin < duration {
            if await server.isReady() { judge("\(server.name) is ready again without its \(side)") }
            try await Task.sleep(for: .milliseconds(200))
        }
        cut.end()
        try await links.heal(server)
        try await time("until in use again after: \(fault)", within: Limits.comeback) {
            guard await server.isReady() else { return false }
            return try await server.isInUse()
        }
        _ = try await (writes, reads)
        journal.tell("  \(cut.refusalCount) writes refused")
    }

    /// Spoils answers for 10 to 30 seconds, and until each kind has occurred: rows are read as ever, originals whole or not
    /// at all.
    func spoilAnswers(_ generator: inout SeededGenerator) async throws {
        let fault = "answers spoilt"
        let percent = generator.pick([10, 20, 40])
        let duration = Duration.milliseconds(10_000 + generator.below(20_000))
        journal.note(fault, "\(percent) % of the store's")
        let links = try ClusterLinks(folder: cluster.folder)
        let readers = try (1...cluster.servers).compactMap { number in
            try devices.first?.connected(to: ClusterServer(number, of: cluster.folder))
        }
        let before = try await links.counts()
        try await links.spoilAnswers(percent: percent, seed: generator.next())
        let begin = ContinuousClock.now
        var counts: [String: Int] = [:]
        repeat {
            for reader in readers {
                do {
                    try await reader.readRows()
                } catch {
                    judge("nothing is listed while answers are spoilt: \(error)")
                }
                if let asset = ledger.receipts.keys.randomElement(using: &generator) {
                    await readOriginals(of: asset, by: reader)
                }
            }
            counts = try await links.counts().merging(before) { $0 - $1 }
            try await Task.sleep(for: .milliseconds(100))
        } while ContinuousClock.now - begin < duration
            || counts.values.contains(0) && ContinuousClock.now - begin < Limits.occurrence
        try await links.spoilAnswers(percent: 0)
        let text = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        if counts.values.contains(0) { judge("not every kind of spoilt answer occurred: \(text)") }
        journal.tell("  \(text)")
        await timeRecovery(from: fault, within: Limits.delay)
    }

    /// What is served must be what was captured; it may be refused, or break off.
    private func readOriginals(of asset: AssetID, by device: LoadDevice) async {
        for resource in ledger.capture(asset)?.manifest.resources ?? [] {
            guard let bytes = try? await device.bytes(of: resource.id, in: asset),
                ContentHasher.digest(bytes) != resource.digest
            else { continue }
            ledger.report("resource \(resource.id) of \(asset) was served with other bytes while answers were spoilt")
        }
    }

    /// Times until a condition holds, which may be asked of a server; one that takes longer than the limit is given up.
    private func time(
        _ what: String,
        within limit: Duration,
        until isTrue: () async throws -> Bool
    ) async rethrows {
        let begin = ContinuousClock.now
        while try await !isTrue(), !Task.isCancelled {
            guard ContinuousClock.now - begin < limit else {
                judge("\(what): not within \(limit)")
                return
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        journal.note(what, took: ContinuousClock.now - begin)
    }

    /// Reports a violation that could also come from another fault, unless there may be one.
    private func judge(_ violation: String) {
        if isAlone { ledger.report(violation) }
    }
}
