package import PhotoModel

/// Names a job of the library's queue.
package struct JobID: RawRepresentable, Hashable, Comparable, Sendable, Codable, LosslessStringConvertible {
    /// The number, from 1.
    package let rawValue: Int64
    /// Wraps a number as it is.
    package init(rawValue: Int64) { self.rawValue = rawValue }
    /// Reads decimal digits.
    package init?(_ description: String) {
        guard let number = Int64(description), number > 0 else { return nil }
        rawValue = number
    }
    /// The number.
    package var description: String { "\(rawValue)" }
    /// Orders by age.
    package static func < (left: JobID, right: JobID) -> Bool { left.rawValue < right.rawValue }
}

/// How a job stands; one that is done is gone.
package enum JobState: String, Hashable, Sendable, Codable, CaseIterable, LosslessStringConvertible {
    /// To be done, now or later.
    case waiting
    /// Given up, for a reason; tried again when an administrator says so.
    case dead
    /// Given up because workers died at its file; tried again only when an administrator names it.
    case bad

    /// Reads the name.
    package init?(_ description: String) { self.init(rawValue: description) }
    /// The name.
    package var description: String { rawValue }
}

/// Work that is owed to an original: thumbnails, placeholder, facts.
package struct JobSummary: Hashable, Sendable, Codable {
    /// Names the job.
    package var id: JobID
    /// The original.
    package var digest: ContentDigest
    /// How it stands.
    package var state: JobState
    /// Larger goes first; somebody waits for those above 0.
    package var priority: Int
    /// How often it was begun.
    package var attempts: Int
    /// How many workers died at it.
    package var workerDeaths: Int
    /// Not before.
    package var due: WallTime
    /// What went wrong the last time.
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

/// One page of jobs, with how the queue stands.
package struct JobPage: Hashable, Sendable, Codable {
    /// The jobs, by number.
    package var jobs: [JobSummary]
    /// The job to go on after; nil when these are the last.
    package var next: JobID?
    /// Whether the queue is held.
    package var isPaused: Bool
    /// Jobs of each state.
    package var counts: [String: Int]

    package init(jobs: [JobSummary], next: JobID?, isPaused: Bool, counts: [String: Int]) {
        self.jobs = jobs
        self.next = next
        self.isPaused = isPaused
        self.counts = counts
    }
}

/// How many jobs a call touched.
package struct JobCount: Hashable, Sendable, Codable {
    /// Jobs that are tried again, or that were added.
    package var count: Int
    /// Wraps the number as it is.
    package init(count: Int) { self.count = count }
}
