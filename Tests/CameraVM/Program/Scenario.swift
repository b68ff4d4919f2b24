import Capture

/// A course of events with its checks, by a name that `--only` finds.
struct Scenario: Sendable {
    /// Longer than any scenario takes, on a busy machine too; one that hangs is given up so that the others still run.
    static let limit = Duration.seconds(180)

    let name: String
    /// The driver to load before and remove afterwards.
    let driver: Driver
    private let body: @Sendable (Report) async throws -> Void

    init(_ name: String, _ driver: Driver = .vivid(), body: @escaping @Sendable (Report) async throws -> Void) {
        self.name = name
        self.driver = driver
        self.body = body
    }

    /// Loads the driver, runs the body for at most ``limit``, and removes the driver.
    func run(_ report: Report) async {
        await report.begin(name)
        let start = ContinuousClock.now
        do {
            try Machine.load(driver)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await body(report) }
                group.addTask {
                    try await Task.sleep(for: Self.limit)
                    throw MachineError("it took longer than \(Self.limit)")
                }
                try await group.next()
                group.cancelAll()
            }
        } catch {
            await report.check("ends without an unexpected error", false, error)
        }
        do {
            try Machine.unloadAll()
            await report.check("leaves no device open", true)
        } catch {
            await report.check("leaves no device open", false, error)
        }
        let seconds = (ContinuousClock.now - start).inSeconds.rounded()
        if seconds >= 10 { await report.note("took \(Int(seconds)) s") }
    }
}
