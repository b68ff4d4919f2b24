import TestSupport

extension Faults {
    /// Kills servers, mostly one, sometimes two at once, or pauses one for longer than it may hold a lock.
    func letServersFail(_ generator: inout SeededGenerator) async throws {
        guard generator.oneIn(5) else {
            _ = try await kill(victims(&generator), "server killed", &generator)
            return
        }
        let part = "server-\(generator.below(cluster.servers) + 1)"
        try await fault("server paused", part) {
            try await cluster.control("pause", part)
        } mending: {
            try await Task.sleep(for: .milliseconds(11_000 + generator.below(4000)))
            try await cluster.control("continue", part)
        }
    }

    /// Kills servers shortly after the devices have passed a stage a number of times.
    func killAtStage(_ generator: inout SeededGenerator) async throws {
        let stage = generator.pick(PromiseLedger.Stage.allCases)
        var rest = generator.below(12) + 1
        let delay = Duration.microseconds(generator.below(20_000))
        let victims = victims(&generator)
        let stages = ledger.stages()
        // A device that ends later ends these stages too.
        guard !end.isReached else { return }
        for await passed in stages where passed == stage {
            rest -= 1
            if rest == 0 { break }
        }
        guard rest == 0 else { return }
        try? await Task.sleep(for: delay)
        for _ in try await kill(victims, "server killed at a stage", &generator) { journal.noteKill(at: stage) }
        if let kills, journal.killCount >= kills { end.reach() }
    }

    /// One server, or two different ones.
    private func victims(_ generator: inout SeededGenerator) -> [String] {
        let first = generator.below(cluster.servers)
        guard cluster.servers > 1, generator.oneIn(4) else { return ["server-\(first + 1)"] }
        let second = (first + 1 + generator.below(cluster.servers - 1)) % cluster.servers
        return [first, second].map { "server-\($0 + 1)" }
    }

    /// Kills servers, starts them again, and times the devices.
    ///
    /// - Returns: those that ran.
    private func kill(
        _ victims: [String],
        _ fault: String,
        _ generator: inout SeededGenerator
    ) async throws -> [String] {
        let begin = ContinuousClock.now
        let killed = victims.filter(cluster.kill)
        for part in killed { journal.note(fault, part) }
        // Without any server, nobody can go on before the restart.
        let limit: Duration? = killed.count < cluster.servers ? .seconds(5) : nil
        async let recovery: Void = timeRecovery(from: fault, since: begin, within: limit)
        _ = await rest(milliseconds: generator.below(2000))
        for part in victims { try await cluster.control("start", part) }
        await recovery
        return killed
    }

    /// Pauses the server that holds the library's lock, and times the others.
    ///
    /// `continue writer` fails if the transaction is still open then: it could be committed a minute late.
    func pauseWriter() async throws {
        do {
            try await cluster.control("pause", "writer")
        } catch {
            // While the database is away, nobody holds a lock.
            if isAlone { ledger.report("\(error)") }
            return
        }
        let (fault, begin) = ("writer paused", ContinuousClock.now)
        journal.note(fault, "named above")
        async let recovery: Void = timeRecovery(from: fault, since: begin)
        // The first save may have had its lock before.
        async let others: Void = time("until others wrote after: \(fault)", since: begin, within: .seconds(10)) {
            ledger.hasAdvancedTwice(since: begin)
        }
        try await Task.sleep(for: .seconds(60))
        try await cluster.control("continue", "writer")
        await others
        await recovery
    }
}
