import TestSupport

/// Ends, pauses and starts the parts of a real cluster again and again while real devices save to it through its front, and
/// holds the library to its promises at the end.
package struct ClusterCampaign {
    /// What a campaign came to.
    package struct Summary: Sendable {
        /// Faults, by their kind.
        package var faults: [String: Int] = [:]
        /// The longest time from a fault to the moment at which every device had saved something again, by kind.
        package var recoveries: [String: Duration] = [:]
        /// Receipts that were given, all of which were held against what is stored.
        package var receiptCount = 0
        /// Everything that was not as promised; empty is good.
        package var violations: [String] = []
    }

    private let cluster: ClusterAccess
    private let deviceCount: Int
    private let journal: FaultJournal
    private var generator: SeededGenerator

    /// Describes a campaign.
    ///
    /// - Parameters:
    ///   - cluster: a cluster that runs.
    ///   - deviceCount: devices at once.
    ///   - seed: decides what is saved, and which parts fail when.
    ///   - say: told of each fault.
    package init(
        _ cluster: ClusterAccess,
        deviceCount: Int = 4,
        seed: UInt64,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.cluster = cluster
        self.deviceCount = deviceCount
        journal = FaultJournal(say: say)
        generator = SeededGenerator(seed: seed)
    }

    /// Lets parts fail for that long, mends everything, and checks the whole library.
    ///
    /// - Throws: when the cluster cannot be mended or asked.
    package mutating func run(for duration: Duration) async throws -> Summary {
        let ledger = PromiseLedger()
        var workers: [LoadWorker] = []
        for number in 0..<deviceCount {
            let device = try await LoadDevice.enroll(at: cluster)
            workers.append(LoadWorker(number: number, device: device, ledger: ledger, seed: generator.next()))
        }
        let check = PromiseCheck(server: cluster, devices: workers.map(\.device), ledger: ledger)
        let end = ContinuousClock.now.advanced(by: duration)
        try await withThrowingTaskGroup { group in
            for worker in workers {
                group.addTask {
                    var worker = worker
                    await worker.persist(until: end, patience: .seconds(150))
                }
            }
            let faults = Faults(cluster, journal, ledger, deviceCount: deviceCount, end: end)
            let (servers, stores) = (generator.next(), generator.next())
            group.addTask { [cluster] in
                async let serverFaults: Void = faults.letServersFail(seed: servers)
                async let storeFaults: Void = faults.letStoresFail(seed: stores)
                _ = try await (serverFaults, storeFaults)
                try await cluster.control("start")
            }
            try await group.waitForAll()
        }
        try await check.runWhole()
        var summary = journal.summary
        summary.receiptCount = ledger.receiptCount
        summary.violations = ledger.violations
        return summary
    }
}
