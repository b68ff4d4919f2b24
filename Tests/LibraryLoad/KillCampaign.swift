package import Foundation
import PhotoModel
import TestSupport

/// Kills the real server again and again while real devices save to it, and holds it to its promises after each start.
///
/// Every kill aims at a stage of a save, one of them at the server's own start; what stage a device is in when another
/// reaches the one that was aimed at, and how far the server is in it, is left to chance.
package struct KillCampaign {
    /// What a campaign came to.
    package struct Summary: Sendable {
        /// Kills, by what they aimed at.
        package var kills: [String: Int] = [:]
        /// Receipts that were given, all of which were held against what is stored.
        package var receiptCount = 0
        /// Everything that was not as promised; empty is good.
        package var violations: [String] = []
    }

    private let executable: URL
    private let folder: URL
    private let deviceCount: Int
    private var generator: SeededGenerator

    /// Describes a campaign.
    ///
    /// - Parameters:
    ///   - executable: the server's program.
    ///   - folder: where libraries are made.
    ///   - deviceCount: devices at once.
    ///   - seed: decides what is saved and where kills aim.
    package init(_ executable: URL, folder: URL, deviceCount: Int = 4, seed: UInt64) {
        self.executable = executable
        self.folder = folder
        self.deviceCount = deviceCount
        generator = SeededGenerator(seed: seed)
    }

    /// Kills so many times over one library, and checks the whole of it at the end.
    package mutating func run(kills: Int) async throws -> Summary {
        let server = try ServerProgram(executable, library: folder.appending(path: "library-\(generator.next())"))
        try server.start()
        let ledger = PromiseLedger()
        var workers: [LoadWorker] = []
        for number in 0..<deviceCount {
            let device = try await LoadDevice.enroll(at: server)
            workers.append(LoadWorker(number: number, device: device, ledger: ledger, seed: generator.next()))
        }
        let check = PromiseCheck(server: server, devices: workers.map(\.device), ledger: ledger)
        var summary = Summary()
        var done = 0
        while done < kills {
            let stage = generator.pick(PromiseLedger.Stage.allCases)
            let count = generator.below(12) + 1
            workers = await round(workers, server, ledger, stage, count)
            summary.kills[stage.rawValue, default: 0] += 1
            done += 1
            if done < kills, generator.oneIn(6) {
                try server.launch()
                spin(upTo: .milliseconds(60))
                server.kill()
                summary.kills["starting", default: 0] += 1
                done += 1
            }
            try server.start()
            try await check.run(&generator)
        }
        try await check.runWhole()
        server.stop()
        summary.receiptCount = ledger.receiptCount
        summary.violations = ledger.violations
        return summary
    }

    /// Lets all devices work until a stage has been passed so often, then kills; gives them with what they had under way.
    private mutating func round(
        _ workers: [LoadWorker],
        _ server: ServerProgram,
        _ ledger: PromiseLedger,
        _ stage: PromiseLedger.Stage,
        _ count: Int
    ) async -> [LoadWorker] {
        let stages = ledger.stages()
        let delay = Duration.microseconds(generator.below(3000))
        return await withTaskGroup(of: LoadWorker?.self) { group in
            for worker in workers {
                group.addTask {
                    var worker = worker
                    await worker.work()
                    return worker
                }
            }
            group.addTask {
                var rest = count
                for await passed in stages where passed == stage {
                    rest -= 1
                    if rest == 0 { break }
                }
                spin(upTo: delay)
                server.kill()
                return nil
            }
            var finished: [LoadWorker] = []
            for await worker in group {
                if let worker { finished.append(worker) }
                // When no device works any more nothing will be passed: the kill must not wait for it.
                if finished.count == workers.count { ledger.endStages() }
            }
            return finished.sorted { $0.number < $1.number }
        }
    }
}

/// Spends a random time: how far the server gets meanwhile is left to chance.
///
/// It does not sleep, which would take longer than many a stage.
private func spin(upTo limit: Duration) {
    let end = ContinuousClock.now.advanced(by: limit * Double.random(in: 0..<1))
    while ContinuousClock.now < end {}
}
