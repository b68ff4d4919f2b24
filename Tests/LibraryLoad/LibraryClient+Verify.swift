package import LibraryAPI
package import LibraryClient

extension LibraryClient {
    /// Has the library compare itself, and waits for what it finds.
    ///
    /// - Parameter choice: how much is compared.
    /// - Returns: the report.
    /// - Throws: the problem of a comparison that failed.
    package func verify(_ choice: MaintenanceTask.Verification) async throws -> VerificationReport {
        let request = MaintenanceTask.Request.verify(choice: choice)
        var task: MaintenanceTask = try await call(.adminStartTask, body: request)
        while task.state == .running {
            await Task.yield()
            task = try await call(.adminTask, [task.id])
        }
        switch task.state {
        case .verified(let report): return report
        case .failed(let problem): throw problem
        case .running, .backedUp, .collected, .noted, .cancelled: throw CancellationError()
        }
    }
}
