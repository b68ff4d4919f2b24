import TestSupport

/// Ends, pauses and starts the parts of a real cluster again and again while real devices save to it through its front, and
/// holds the library to its promises at the end.
package struct ClusterCampaign {
    /// What a campaign came to.
    package struct Summary: Sendable {
        /// Faults, by their kind.
        package var faults: [String: Int] = [:]
        /// Servers killed at a stage of a save, by the stage.
        package var kills: [String: Int] = [:]
        /// How long something took, each time, by what it was.
        package var times: [String: [Duration]] = [:]
        /// Uploads with several requests.
        package var severalCount = 0
        /// Those of them whose requests more than one server answered.
        package var spreadCount = 0
        /// Receipts that were given, all of which were held against what is stored.
        package var receiptCount = 0
        /// Everything that was not as promised; empty is good.
        package var violations: [String] = []
    }

    /// How long a device may be unable to save anything.
    static let patience = Duration.seconds(150)

    private let cluster: ClusterAccess
    private let kinds: [ClusterFault]
    private let kills: Int?
    private let deviceCount: Int
    private let journal: FaultJournal
    private var generator: SeededGenerator

    /// Describes a campaign.
    ///
    /// - Parameters:
    ///   - cluster: a cluster that runs.
    ///   - kinds: what fails.
    ///   - kills: how many servers to kill at stages; nil for a campaign that ends by time.
    ///   - deviceCount: devices at once.
    ///   - seed: decides what is saved, and which parts fail when.
    ///   - say: told of each fault.
    package init(
        _ cluster: ClusterAccess,
        _ kinds: [ClusterFault],
        kills: Int? = nil,
        deviceCount: Int = 4,
        seed: UInt64,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.cluster = cluster
        self.kinds = kinds
        self.kills = kills
        self.deviceCount = deviceCount
        journal = FaultJournal(say: say)
        generator = SeededGenerator(seed: seed)
    }

    /// Lets parts fail, mends everything, and checks the whole library.
    ///
    /// - Parameter duration: how long parts fail, unless kills are counted.
    /// - Returns: what it came to.
    /// - Throws: when the cluster cannot be mended or asked.
    package mutating func run(for duration: Duration) async throws -> Summary {
        let ledger = PromiseLedger()
        var workers: [LoadWorker] = []
        for number in 0..<deviceCount {
            let device = try await LoadDevice.enroll(at: cluster)
            workers.append(LoadWorker(number: number, device: device, ledger: ledger, seed: generator.next()))
        }
        let check = PromiseCheck(server: cluster, devices: workers.map(\.device), ledger: ledger)
        let end = CampaignEnd(after: kills == nil ? duration : nil)
        let faults = Faults(
            cluster: cluster,
            journal: journal,
            ledger: ledger,
            devices: workers.map(\.device),
            kinds: kinds,
            kills: kills,
            end: end
        )
        let lanes = ClusterFault.Lane.allCases.map { ($0, generator.next()) }
        try await withThrowingTaskGroup { group in
            for worker in workers {
                group.addTask {
                    var worker = worker
                    await worker.persist(until: end, patience: Self.patience)
                    // Nobody waits for a stage that nobody will pass.
                    ledger.endStages()
                }
            }
            group.addTask { [cluster] in
                try await Self.run(lanes, of: faults)
                try await cluster.control("start")
            }
            try await group.waitForAll()
        }
        let uploads = cluster.spread.counts
        // Of two requests at random, the same one of three servers answers every third time.
        if cluster.servers > 1, uploads.several >= 20, uploads.spread * 4 < uploads.several {
            ledger.report("only \(uploads.spread) of \(uploads.several) uploads were spread over servers")
        }
        try await check.runWhole()
        var summary = journal.summary
        summary.receiptCount = ledger.receiptCount
        (summary.severalCount, summary.spreadCount) = (uploads.several, uploads.spread)
        summary.violations = ledger.violations
        return summary
    }

    /// Lets all lanes fail beside each other; when one cannot go on, the campaign ends.
    private static func run(_ lanes: [(ClusterFault.Lane, seed: UInt64)], of faults: Faults) async throws {
        try await withThrowingTaskGroup { group in
            for (lane, seed) in lanes {
                group.addTask {
                    do {
                        try await faults.letFail(lane, seed: seed)
                    } catch {
                        faults.end.reach()
                        throw error
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
