import AgentStore
import Capture
import Glibc
import Host
import Logging
import MediaFiles
import Persistence
import PhotoModel

/// Turns files that appear in a folder into captures: from a tethered camera, or one that sends by FTP.
package actor FolderRunner {
    /// How often the folder is polled without kernel notifications, as on a network file system.
    static let longestSleep = Duration.seconds(5)
    /// When to try again with files that cannot be imported, each of which may have to be read as a whole for that.
    static let retryPause = Duration.seconds(30)
    /// How long a file that ends too early may still be written: a transfer that stalls looks like one that has ended.
    private static let longestStall = Duration.seconds(600)
    /// The most files whose problems are remembered: a folder may have any number of them.
    static let maximumFailureCount = 100

    private let profile: String
    private let plan: CaptureProfile.WatchPlan
    private let importer: @Sendable () -> Importer
    private let pool: BlockingPool
    private let clock: any CaptureClock
    private let captured: @Sendable () -> Void
    private let logger: Logger
    private let store: AgentStore
    private let folder: Path
    private let stop = Latch()
    private var takenCount = 0
    private var passedOverCount = 0
    private var failures: [String: String] = [:]
    private var problem: String?

    /// Creates a runner of a profile's folder without starting it; taken files are remembered beside the queue.
    init(
        _ profile: String,
        _ plan: CaptureProfile.WatchPlan,
        _ context: CaptureService.Context,
        importer: @escaping @Sendable () -> Importer
    ) {
        self.profile = profile
        self.plan = plan
        self.importer = importer
        store = importer().store
        pool = context.pool
        clock = context.provider.clock
        captured = context.captured
        logger = context.logger
        folder = Path(plan.folder)
    }

    /// The runners of those profiles that watch a folder.
    package static func runners(
        of profiles: [CaptureProfile],
        _ context: CaptureService.Context,
        importer: @escaping @Sendable (CaptureProfile) -> Importer
    ) -> [FolderRunner] {
        profiles.compactMap { profile in
            profile.watch.map { plan in FolderRunner(profile.name, plan, context) { importer(profile) } }
        }
    }

    /// Watches until ``end()``.
    func run() async {
        while !stop.isOpen, !Task.isCancelled {
            do {
                try await watch()
            } catch {
                if problem == nil {
                    logger.error(
                        "a folder cannot be watched; it is retried",
                        metadata: ["profile": "\(profile)", "error": "\(error)"]
                    )
                }
                problem = "\(error)"
            }
            await pause(until: clock.reading().monotonic.advanced(by: Self.longestSleep))
        }
    }

    /// Imports the folder's current files once they are complete; returns when none is pending, or after ``end()``.
    package func runOnce() async {
        do {
            try await watch(isOnce: true)
        } catch {
            problem = "\(error)"
        }
    }

    /// Ends ``run()``; files being imported are completed.
    package nonisolated func end() {
        stop.open()
    }

    /// The folder's status.
    package func status() -> CaptureStatus.Folder {
        CaptureStatus.Folder(
            profile: profile,
            folder: plan.folder,
            taken: takenCount,
            passedOver: passedOverCount,
            failed: failures,
            problem: problem
        )
    }

    private func watch(isOnce: Bool = false) async throws {
        // Watched before it is read, so that no file is missed in between.
        let changes = try FolderEvents.changes(of: folder, includesBeginnings: true)
        let there = Set(try await files())
        let (ledger, taken) = try await pool.run { [profile, store] in
            let ledger = try TakenLedger(ofProfile: profile, in: store)
            return (ledger, try ledger.load { there.contains($0) })
        }
        var intake = FolderIntake(settleTime: plan.settleTime, taken: taken)
        let inbox = ChangeInbox()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await names in changes { inbox.add(names) }
                inbox.end()
            }
            while !stop.isOpen, !Task.isCancelled, !inbox.isOver {
                let isCurrent = try? await pool.run { [store] in try ledger.isCurrent(in: store) }
                // Once the queue has forgotten photos, the folder is read again.
                guard isCurrent == true, let files = try? await files() else { break }
                problem = nil
                forgetFailures(besides: files)
                intake.observe(files, closed: inbox.take(), at: clock.reading().monotonic)
                for group in intake.ready(at: clock.reading().monotonic) where !stop.isOpen {
                    guard await !take(group, ledger) else { continue }
                    intake.giveBack(group, until: clock.reading().monotonic.advanced(by: Self.retryPause))
                }
                if isOnce, intake.nextDeadline() == nil { break }
                let latest = clock.reading().monotonic.advanced(by: Self.longestSleep)
                await inbox.wait(until: min(intake.nextDeadline() ?? latest, latest), clock: clock, orUntil: stop)
            }
            group.cancelAll()
        }
    }

    /// Imports files that belong together; false if they must be retried.
    private func take(_ group: [FolderIntake.Mark], _ ledger: TakenLedger) async -> Bool {
        let paths = group.map { folder.appending($0.file) }
        let report: Importer.Report
        do {
            report = try await pool.uncancelled { [importer] in
                var report = Importer.Report()
                try importer().take(paths, mayGrow: group.contains(where: Self.mayGrow), &report)
                return report
            }
        } catch {
            note("\(error)", of: group)
            return false
        }
        takenCount += report.added
        if report.added > 0 { captured() }
        if let reason = report.failed.last {
            note(reason, of: group)
            return false
        }
        passedOverCount += report.known + report.skipped + report.orphans.count
        note(report.damaged.last ?? report.late.last ?? report.unreadable.last ?? report.leftBehind.last, of: group)
        // What is not in the queue, or not all of it, stays.
        let isWhole = report.leftBehind.isEmpty && report.damaged.isEmpty
        let isTaken = report.skipped == 0 && report.unusedSidecarCount == 0 && isWhole
        try? await pool.uncancelled { [plan, folder] in
            if plan.disposal == .remove, isTaken {
                // Another file may have taken a name meanwhile, such as a camera's next photo: it is imported next.
                for mark in group {
                    guard try Self.mark(mark.file, in: folder) == mark else { continue }
                    try PosixFileSystem().unlink(folder.appending(mark.file))
                }
            } else {
                try ledger.append(group)
            }
        }
        return true
    }

    /// Notes the problem of files that belong together; nil if they have none.
    private func note(_ problem: String?, of group: [FolderIntake.Mark]) {
        let name = group[0].name
        guard failures.count < Self.maximumFailureCount || failures[name] != nil else { return }
        failures[name] = problem
    }

    /// Forgets problems of files that are gone.
    private func forgetFailures(besides files: [FolderIntake.Mark]) {
        guard !failures.isEmpty else { return }
        let names = Set(files.map(\.name))
        failures = failures.filter { names.contains($0.key) }
    }

    private func files() async throws -> [FolderIntake.Mark] {
        try await pool.run { [folder] in
            try PosixFileSystem().fileNames(in: folder).compactMap { try Self.mark($0, in: folder) }
        }
    }

    private static func mark(_ name: FileName, in folder: Path) throws -> FolderIntake.Mark? {
        let path = folder.appending(name)
        guard let status = try PosixFileSystem().status(path), !status.isDirectory else { return nil }
        return FolderIntake.Mark(file: name, byteCount: status.byteCount, modified: MediaFile.modified(path))
    }

    /// Whether a file changed so recently that its transfer may go on.
    private static func mayGrow(_ mark: FolderIntake.Mark) -> Bool {
        // A file server's clock may be ahead.
        let age = HostClock.now().duration(since: mark.modified)
        return max(age, .zero - age) < longestStall
    }

    private func pause(until deadline: MonotonicTime) async {
        await stop.cancelling { [clock] in try? await clock.sleep(until: deadline) }
    }
}
