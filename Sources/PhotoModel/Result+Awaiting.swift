extension Result {
    /// The outcome of asynchronous work, as `init(catching:)` has it of other work.
    package static func awaiting(_ work: () async throws(Failure) -> Success) async -> Self {
        do throws(Failure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}
