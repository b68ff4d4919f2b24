import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "jobs",
        "Shows and controls the jobs on originals: thumbnails and descriptions.",
        """
        A job that failed repeatedly is dead; one whose file crashed workers is bad, and is retried only when \
        named.
        """,
        examples: ["tintypectl jobs list --state dead", "tintypectl jobs pause", "tintypectl jobs retry"],
        subcommands: [JobsList.self, JobsPause.self, JobsResume.self, JobsRetry.self, JobsRebuild.self]
    )
}

struct JobsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists jobs, oldest first.",
        examples: ["tintypectl jobs list", "tintypectl jobs list --state bad --json"]
    )

    @Option(help: "Only jobs in this state: waiting, dead or bad.", transform: choice)
    var state: JobState?

    @Option(help: "Jobs per page, 1 to 1000.")
    var limit = 100

    @Option(help: .value("job", "The job to continue after, as printed by the previous page."))
    var after: Int64?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard 1...APILimits.adminPageCount ~= limit else {
            throw ValidationError("--limit is 1 to \(APILimits.adminPageCount).")
        }
    }

    func run() async throws {
        let query = JobQuery(limit: limit, state: state, after: after.map(JobID.init(rawValue:)))
        let page: JobPage = try await common.client().call(.adminJobs, query: query.items)
        var report = Report.jobs(page, now: common.session.now())
        if let next = page.next { report.next.append("the same command with --after \(next)") }
        try common.show(report)
    }
}

struct JobsPause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "pause",
        "Pauses the jobs; uploads continue, and thumbnails come later.",
        examples: ["tintypectl jobs pause"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws { try await common.control(.adminPauseJobs, next: ["tintypectl jobs resume"]) }
}

struct JobsResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration("resume", "Resumes the jobs.", examples: ["tintypectl jobs resume"])

    @OptionGroup var common: CommonOptions

    func run() async throws { try await common.control(.adminResumeJobs) }
}

struct JobsRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "retry",
        "Retries all dead jobs, or one job in any state.",
        examples: ["tintypectl jobs retry", "tintypectl jobs retry 4711"]
    )

    @Argument(help: "The job's number; default: every dead job.", transform: identifier)
    var job: JobID?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let count: JobCount =
            if let job {
                try await client.call(.adminRetryJob, [job])
            } else {
                try await client.call(.adminRetryJobs)
            }
        try common.show(.jobCount(count, "retried"))
    }
}

struct JobsRebuild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "rebuild",
        "Queues thumbnails for every original that has none.",
        examples: ["tintypectl jobs rebuild"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let count: JobCount = try await common.client().call(.adminRebuildJobs)
        try common.show(.jobCount(count, "added"))
    }
}

extension CommonOptions {
    /// Pauses or resumes the queue, and shows its state.
    fileprivate func control(_ endpoint: Endpoint, next: [String] = []) async throws {
        let page: JobPage = try await client().call(endpoint)
        var report = Report(wire: page, identifiers: [], content: .sentence(page.words))
        report.next = next
        try show(report)
    }
}

extension JobPage {
    /// The state of the queue, in words.
    var words: String {
        let parts = JobState.allCases.compactMap { state in
            counts[state.rawValue].flatMap { $0 > 0 ? "\($0) \(state.rawValue)" : nil }
        }
        return (isPaused ? "Paused; " : "Running; ")
            + (parts.isEmpty ? "no jobs." : parts.joined(separator: ", ") + ".")
    }
}

extension Report {
    /// The number of jobs affected by a call.
    fileprivate static func jobCount(_ count: JobCount, _ what: String) -> Report {
        Report(
            wire: count,
            identifiers: ["\(count.count)"],
            content: .sentence("\(Wording.count(count.count, "job")) \(what).")
        )
    }

    fileprivate static func jobs(_ page: JobPage, now: WallTime) -> Report {
        let table = Table(
            columns: [
                .init("JOB", isNumeric: true), .init("STATE"), .init("TRIES", isNumeric: true), .init("DUE"),
                .init("ORIGINAL"), .init("REASON", isFlexible: true),
            ],
            rows: page.jobs.map { job in
                [
                    Cell("\(job.id)"), Cell(job.state.rawValue, job.state == .waiting ? .plain : .bad),
                    Cell("\(job.attempts)"),
                    Cell(job.state == .waiting ? Wording.relative(max(job.due, now), now: now) : ""),
                    Cell(Wording.short(job.digest)), Cell(job.reason ?? ""),
                ]
            },
            ifEmpty: "No jobs."
        )
        var report = Report(wire: page, identifiers: page.jobs.map(\.id.description), content: .table(table))
        if page.isPaused { report.next.append("the queue is paused: tintypectl jobs resume") }
        if page.jobs.contains(where: { $0.state == .dead }) {
            report.next.append("tintypectl jobs retry, once the reason is fixed or the server upgraded")
        }
        return report
    }
}
