package import PhotoModel

/// Identifies a job in the library's queue.
package struct JobID: RawRepresentable, Hashable, Comparable, Sendable, Codable, LosslessStringConvertible {
    /// The number, from 1.
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    /// Parses decimal digits.
    package init?(_ description: String) {
        guard let number = Int64(description), number > 0 else { return nil }
        rawValue = number
    }
    /// The number.
    package var description: String { "\(rawValue)" }
    /// Orders by age.
    package static func < (left: JobID, right: JobID) -> Bool { left.rawValue < right.rawValue }
}

/// The state of a job; finished jobs no longer exist.
package enum JobState: String, Hashable, Sendable, Codable, CaseIterable, WireName {
    /// To be done, now or later.
    case waiting
    /// Given up, with a reason; retried when an administrator says so.
    case dead
    /// Given up because its file killed workers; retried only when an administrator names it.
    case bad
}

/// Pending work on an original: thumbnails, placeholder, facts.
package struct JobSummary: Hashable, Sendable, Codable {
    /// The job's identifier.
    package var id: JobID
    /// The original.
    package var digest: ContentDigest
    /// Its state.
    package var state: JobState
    /// Larger goes first; above 0 somebody is waiting for it.
    package var priority: Int
    /// How often it was started.
    package var attempts: Int
    /// How many workers its file killed.
    package var workerDeaths: Int
    /// Not before.
    package var due: WallTime
    /// The last failure.
    package var reason: String?

    package init(
        id: JobID,
        digest: ContentDigest,
        state: JobState,
        priority: Int,
        attempts: Int,
        workerDeaths: Int,
        due: WallTime,
        reason: String? = nil
    ) {
        self.id = id
        self.digest = digest
        self.state = state
        self.priority = priority
        self.attempts = attempts
        self.workerDeaths = workerDeaths
        self.due = due
        self.reason = reason
    }
}

/// One page of jobs, with the state of the queue.
package struct JobPage: Hashable, Sendable, Codable {
    /// The jobs, by number.
    package var jobs: [JobSummary]
    /// The job to continue after; nil on the last page.
    package var next: JobID?
    /// Whether the queue is paused.
    package var isPaused: Bool
    /// The number of jobs in each state.
    package var counts: [String: Int]

    package init(jobs: [JobSummary], next: JobID?, isPaused: Bool, counts: [String: Int]) {
        self.jobs = jobs
        self.next = next
        self.isPaused = isPaused
        self.counts = counts
    }
}

/// How many jobs a call affected.
package struct JobCount: Hashable, Sendable, Codable {
    /// Jobs retried or added.
    package var count: Int
    package init(count: Int) { self.count = count }
}
