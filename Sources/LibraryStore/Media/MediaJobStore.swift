package import Authorization
package import LibraryAPI
package import PhotoModel

/// The queue of work on originals and its results: rows beside all others, so that a commit and the work it causes
/// become durable together.
package protocol MediaJobStore: Sendable {
    /// Claims due jobs, most urgent first; none while the queue is paused.
    ///
    /// A claimed job belongs to its claimer until the lease ends.
    ///
    /// - Parameters:
    ///   - limit: the maximum number.
    ///   - lease: the duration of the claim.
    ///   - onlyAwaited: whether to skip those that nobody is waiting for.
    /// - Returns: the jobs.
    /// - Throws: the database's error.
    func claimJobs(limit: Int, lease: Duration, onlyAwaited: Bool) async throws -> [MediaJob]
    /// Makes every job claimed by an earlier process due again; with several servers, `LibraryDuties.beat` does that
    /// for servers that are gone.
    func releaseJobs() async throws
    /// Completes jobs with their results, and announces them in the change feed: one result per job, in a single
    /// transaction.
    func finish(_ finished: [FinishedJob]) async -> [Result<Void, any Error>]
    /// Records a job's failure; returns its new state.
    func fail(_ job: JobID, _ failure: JobFailure) async throws -> JobState
    /// Schedules an original's thumbnails with top priority; returns the job, which may be dead.
    func raiseJob(for asset: AssetID) async throws -> JobSummary?
    /// An original's job; nil if it has none.
    func job(of digest: ContentDigest) async throws -> JobSummary?
    /// One page of jobs, by number.
    func jobs(_ state: JobState?, after job: JobID?, limit: Int) async throws -> JobPage
    /// Pauses or resumes the queue, with an audit entry.
    func setJobsPaused(_ isPaused: Bool, audit: AuditEntry.Content) async throws
    /// Retries jobs: one of any state by its number, or all dead ones; returns their number.
    func retryJobs(_ job: JobID?, audit: AuditEntry.Content) async throws -> Int
    /// An original's derivatives; nil if it has none.
    func derivative(_ digest: ContentDigest) async throws -> Derivative?
    /// Originals with derivatives that no asset uses any more.
    func orphanedDerivatives(limit: Int) async throws -> [ContentDigest]
    /// Forgets the derivatives of originals.
    func removeDerivatives(_ digests: [ContentDigest]) async throws
    /// Schedules a job for every original without thumbnails; returns their number.
    func fillJobs() async throws -> Int
}

/// A completed job with its result.
package struct FinishedJob: Hashable, Sendable {
    /// The job.
    package let id: JobID
    /// The result.
    package let derivative: Derivative

    package init(id: JobID, derivative: Derivative) {
        self.id = id
        self.derivative = derivative
    }
}
