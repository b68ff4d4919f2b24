import AgentStore
import Capture
import Glibc
import Logging
import MediaFiles
import Persistence
import PhotoModel

/// Makes captures of the files that appear in a folder: from a camera that is tethered, or sends by FTP.
actor FolderRunner {
    /// How often the folder is looked at where the kernel tells nothing, as on a network file system.
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

    /// A folder that is not watched yet.
    ///
    /// - Parameters:
    ///   - profile: the profile's name.
    ///   - plan: the folder and how to treat its files.
    ///   - context: what all captures share.
    ///   - ledger: remembers what was taken.
    ///   - importer: takes files into the queue.
    init(
        _ profile: String,
        _ plan: CaptureProfile.WatchPlan,
        _ context: CaptureService.Context,
        ledger: TakenLedger,
        importer: @escaping @Sendable () -> Importer
    ) {
        self.profile = profile
        self.plan = plan
        self.importer = importer
        self.ledger = ledger
        pool = context.pool
        clock = context.station.clock
        captured = context.captured
        logger = context.logger
        folder = Path(plan.folder)
    }

    /// Watches until ``end()``.
    func run() async {
        while !stop.isOpen, !Task.isCancelled {
            do {
                try await watch()
            } catch {
                if problem == nil {
                    logger.error(
                        "a folder cannot be watched; it is tried again",
                        metadata: ["profile": "\(profile)", "error": "\(error)"]
                    )
                }
                problem = "\(error)"
            }
            await pause(until: clock.reading().monotonic.advanced(by: Self.longestSleep))
        }
    }

    /// Ends ``run()``; files that are being taken in are taken in whole.
    nonisolated func end() {
        stop.open()
    }

    /// How the folder stands.
    func status() -> CaptureStatus.Folder {
        CaptureStatus.Folder(
            profile: profile,
            folder: plan.folder,
            taken: report.added,
            passedOver: report.known + report.skipped,
            failed: failures,
            problem: problem
        )
    }

    private func watch() async throws {
        // Watched before it is read, so that no file appears between the two.
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
                forgetFailures(butOf: files)
                intake.observe(files, closed: inbox.take(), at: clock.reading().monotonic)
                for group in intake.ready(at: clock.reading().monotonic) where !stop.isOpen {
                    let partners = intake.partners(of: group, among: files)
                    if partners.isEmpty, group.allSatisfy(\.isSidecar) {
                        intake.holdBack(group)
                        for mark in group { fail(mark, Self.reason(forAlone: folder.appending(mark.name))) }
                    } else if await !take(group, beside: partners) {
                        intake.giveBack(group)
                    }
                }
                let latest = clock.reading().monotonic.advanced(by: Self.longestSleep)
                await inbox.wait(until: min(intake.nextDeadline() ?? latest, latest), clock: clock, orUntil: stop)
            }
            group.cancelAll()
        }
    }

    /// What is said of a sidecar whose photo is not there: it was taken and removed, or is still to come.
    private static func reason(forAlone sidecar: Path) -> String {
        "\(sidecar): no photo of its name lies there; to one that was taken nothing is added any more: keep the file"
    }

    /// Notes why a file was not taken up; the log tells it once.
    private func fail(_ mark: FolderIntake.Mark, _ reason: String) {
        guard failures.updateValue(reason, forKey: mark.name) != reason else { return }
        logger.warning(
            "a file of a watched folder was not taken up",
            metadata: ["profile": "\(profile)", "file": "\(mark.name)", "reason": "\(reason)"]
        )
    }

    private func forgetFailures(butOf files: [FolderIntake.Mark]) {
        guard !failures.isEmpty else { return }
        let names = Set(files.map(\.name))
        failures = failures.filter { names.contains($0.key) }
    }

    /// Takes files that belong together; false when they are to be tried again.
    ///
    /// - Parameters:
    ///   - group: the files.
    ///   - partners: what was taken before, which tells whether sidecars came too late for it.
    /// - Returns: whether nothing more is to be done about them.
    private func take(_ group: [FolderIntake.Mark], beside partners: [FolderIntake.Mark]) async -> Bool {
        let paths = group.map { folder.appending($0.name) }
        let all = paths + partners.map { folder.appending($0.name) }
        let before = report
        do {
            var after = before
            after = try await pool.uncancelled { [importer] in
                var report = before
                try importer().take(all, &report)
                return report
            }
            report = after
        } catch {
            fail(group[0], "\(error)")
            return false
        }
        if report.failed.count > before.failed.count, let reason = report.failed.last {
            fail(group[0], reason)
            return false
        }
        let late = report.late.dropFirst(before.late.count)
        for (mark, path) in zip(group, paths) {
            if let reason = late.first(where: { $0.hasPrefix("\(path): ") }) {
                fail(mark, reason)
            } else {
                failures[mark.name] = nil
            }
        }
        if report.added > before.added { captured() }
        let isTaken = report.skipped == before.skipped && late.isEmpty
        try? await pool.uncancelled { [ledger, plan] in
            if plan.disposal == .remove, isTaken {
                for path in paths { try PosixFileSystem().unlink(path) }
            } else {
                try ledger.append(group)
            }
        }
        return true
    }

    private func files() async throws -> [FolderIntake.Mark] {
        try await pool.run { [folder] in
            let fileSystem = PosixFileSystem()
            return try fileSystem.list(folder).compactMap { name in
                let path = folder.appending(name)
                guard let status = try fileSystem.status(path), !status.isDirectory else { return nil }
                return FolderIntake.Mark(
                    name: name,
                    byteCount: status.byteCount,
                    modified: MediaFile.modified(path)
                )
            }
        }
    }

    private func pause(until deadline: MonotonicTime) async {
        await stop.cancelling { [clock] in try? await clock.sleep(until: deadline) }
    }
}
