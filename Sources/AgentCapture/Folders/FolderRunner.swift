import AgentStore
import Capture
import Glibc
import Logging
import MediaFiles
import Persistence
import PhotoModel

/// Turns files that appear in a folder into captures: from a tethered camera, or one that sends by FTP.
package actor FolderRunner {
    /// How often the folder is polled without kernel notifications, as on a network file system.
    static let longestSleep = Duration.seconds(5)

    private let profile: String
    private let plan: CaptureProfile.WatchPlan
    private let importer: @Sendable () -> Importer
    private let pool: BlockingPool
    private let clock: any CaptureClock
    private let captured: @Sendable () -> Void
    private let logger: Logger
    private let ledger: TakenLedger
    private let folder: Path
    private let stop = Latch()
    private var report = Importer.Report()
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
        ledger = TakenLedger(ofProfile: profile, in: importer().store)
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
            taken: report.added,
            passedOver: report.known + report.skipped + report.orphans.count,
            failed: failures,
            problem: problem
        )
    }

    private func watch(isOnce: Bool = false) async throws {
        // Watched before it is read, so that no file is missed in between.
        let changes = try FolderEvents.changes(of: folder, includesBeginnings: true)
        let there = Set(try await files())
        let taken = try await pool.run { [ledger] in try ledger.load { there.contains($0) } }
        var intake = FolderIntake(settleTime: plan.settleTime, taken: taken)
        let inbox = ChangeInbox()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await names in changes { inbox.add(names) }
                inbox.end()
            }
            while !stop.isOpen, !Task.isCancelled, !inbox.isOver {
                guard let files = try? await files() else { break }
                problem = nil
                intake.observe(files, closed: inbox.take(), at: clock.reading().monotonic)
                for group in intake.ready(at: clock.reading().monotonic) where !stop.isOpen {
                    if await !take(group) { intake.giveBack(group) }
                }
                if isOnce, intake.nextDeadline() == nil { break }
                let latest = clock.reading().monotonic.advanced(by: Self.longestSleep)
                await inbox.wait(until: min(intake.nextDeadline() ?? latest, latest), clock: clock, orUntil: stop)
            }
            group.cancelAll()
        }
    }

    /// Imports files that belong together; false if they must be retried.
    private func take(_ group: [FolderIntake.Mark]) async -> Bool {
        let paths = group.map { folder.appending($0.name) }
        let before = report
        do {
            var after = before
            after = try await pool.uncancelled { [importer] in
                var report = before
                try importer().take(paths, &report)
                return report
            }
            report = after
        } catch {
            failures[group[0].name] = "\(error)"
            return false
        }
        if report.failed.count > before.failed.count, let reason = report.failed.last {
            failures[group[0].name] = reason
            return false
        }
        let isLeft = report.unusedSidecarCount > before.unusedSidecarCount
        failures[group[0].name] =
            report.late.dropFirst(before.late.count).last
            ?? report.unreadable.dropFirst(before.unreadable.count).last
        if report.added > before.added { captured() }
        let isTaken = report.skipped == before.skipped && !isLeft
        try? await pool.uncancelled { [ledger, plan, folder] in
            if plan.disposal == .remove, isTaken {
                // Another file may have taken a name meanwhile, such as a camera's next photo: it is imported next.
                for mark in group {
                    guard try Self.mark(mark.name, in: folder) == mark else { continue }
                    try PosixFileSystem().unlink(folder.appending(mark.name))
                }
            } else {
                try ledger.append(group)
            }
        }
        return true
    }

    private func files() async throws -> [FolderIntake.Mark] {
        try await pool.run { [folder] in
            try PosixFileSystem().list(folder).compactMap { try Self.mark($0, in: folder) }
        }
    }

    private static func mark(_ name: String, in folder: Path) throws -> FolderIntake.Mark? {
        let path = folder.appending(name)
        guard let status = try PosixFileSystem().status(path), !status.isDirectory else { return nil }
        return FolderIntake.Mark(name: name, byteCount: status.byteCount, modified: MediaFile.modified(path))
    }

    private func pause(until deadline: MonotonicTime) async {
        await stop.cancelling { [clock] in try? await clock.sleep(until: deadline) }
    }
}
