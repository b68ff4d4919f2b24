package import Authorization
package import LibraryAPI
package import PhotoModel

/// The queue of work on originals and what was made of them: rows beside all others, so that a commit and the work it
/// brings become durable together.
package protocol MediaJobStore: Sendable {
    /// Takes jobs that are due, the most urgent first; none while the queue is paused.
    ///
    /// A job that is taken is nobody else's until its lease ends.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - lease: how long they are the caller's.
    ///   - onlyAwaited: whether to leave those that nobody asked for.
    /// - Returns: the jobs.
    /// - Throws: what the database says.
    func claimJobs(limit: Int, lease: Duration, onlyAwaited: Bool) async throws -> [MediaJob]
    /// Makes every job that was taken by an earlier process due again.
    func releaseJobs() async throws
    /// Ends jobs with what was made, and tells of it in the change feed: one result a job, all in one transaction.
    func finish(_ finished: [FinishedJob]) async -> [Result<Void, any Error>]
    /// Writes down that a job failed; gives what it has become.
    func fail(_ job: JobID, _ failure: JobFailure) async throws -> JobState
    /// Owes an original its thumbnails again, before all others; gives the job, which may be dead.
    func raiseJob(for asset: AssetID) async throws -> JobSummary?
    /// How the job of an original stands; nil when it is owed nothing.
    func job(of digest: ContentDigest) async throws -> JobSummary?
    /// One page of jobs, by their number.
    func jobs(_ state: JobState?, after job: JobID?, limit: Int) async throws -> JobPage
    /// Holds the queue, or lets it go on; by whom is audited.
    func setJobsPaused(_ isPaused: Bool, audit: AuditEntry.Content) async throws
    /// Has jobs tried again: one of any state by its number, or all that are dead; gives how many.
    func retryJobs(_ job: JobID?, audit: AuditEntry.Content) async throws -> Int
    /// What was made of an original; nil when nothing was.
    func derivative(_ digest: ContentDigest) async throws -> Derivative?
    /// Originals of which something was made and that no asset has any more.
    func orphanedDerivatives(limit: Int) async throws -> [ContentDigest]
    /// Forgets what was made of an original.
    func removeDerivatives(_ digests: [ContentDigest]) async throws
    /// Owes every original without thumbnails a job; gives how many were added.
    func fillJobs() async throws -> Int
}

extension MediaJobStore {
    /// Takes jobs that are due, whether or not somebody asked for them.
    package func claimJobs(limit: Int, lease: Duration) async throws -> [MediaJob] {
        try await claimJobs(limit: limit, lease: lease, onlyAwaited: false)
    }
}

/// A job and what was made.
package struct FinishedJob: Hashable, Sendable {
    /// The job.
    package let id: JobID
    /// What was made.
    package let derivative: Derivative

    package init(id: JobID, derivative: Derivative) {
        self.id = id
        self.derivative = derivative
    }
}
