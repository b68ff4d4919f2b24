import ArgumentParser
import LibraryAPI
import Terminal

struct LibraryBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "backup",
        "Writes a snapshot of metadata, originals and keys into a folder on the server's machine.",
        """
        The first backup copies everything, later ones what is new; each snapshot is complete and shares its originals \
        with the others. Every byte is hashed while it is copied. Uploads continue meanwhile. The folder holds the \
        library's keys: keep it as safe as the library. Boxes configured to do so keep their originals until a backup \
        has them; --external records one made by PostgreSQL's own tools and bucket versioning.
        """,
        examples: [
            "tintypectl library backup /var/backups/tintype",
            "tintypectl library backup /mnt/usb/tintype --keep 30",
            "tintypectl library backup --external 48211",
        ],
        exitStatuses: [1: "also when the library itself has lost bytes: the rest is backed up, the missing are named"]
    )

    @Argument(help: "The backup folder's absolute path.")
    var folder: String?

    @Option(
        help: .value(
            "number",
            "Instead of a backup, records that other tools have backed up everything up to a change."
        )
    )
    var external: Int64?

    @Option(help: "How many snapshots to keep, 1 to 1000.")
    var keep = 14

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (folder == nil) != (external == nil) else {
            throw ValidationError("Name the backup's folder, or with --external the change that was backed up.")
        }
        guard external ?? 0 >= 0 else { throw ValidationError("--external takes a change's number, 0 or more.") }
        guard folder?.hasPrefix("/") ?? true else {
            throw ValidationError("Name the folder by its absolute path: it is on the server's machine.")
        }
        guard (1...1000).contains(keep) else { throw ValidationError("--keep takes 1 to 1000.") }
    }

    func run() async throws {
        if let external { return try await note(ChangeNumber(rawValue: external)) }
        guard let folder,
            case .backedUp(let report) = try await common.follow(.backup(folder: folder, keep: keep)).state
        else { return }
        let copied = "\(Wording.count(report.copiedContents, "content")), \(Wording.byteCount(report.copiedBytes))"
        let held =
            "\(Wording.count(report.manifest.contents, "content")), \(Wording.byteCount(report.manifest.byteCount))"
        let missing = report.manifest.missing.count
        var fields = [
            Report.Field("Snapshot", Cell(report.snapshot)),
            Report.Field("Holds", Cell(held)),
            Report.Field("Copied now", Cell(copied)),
            Report.Field("Up to change", Cell("\(report.manifest.lastChange)")),
        ]
        if report.removedSnapshots > 0 {
            fields.append(.init("Removed", Cell(Wording.count(report.removedSnapshots, "older snapshot"))))
        }
        if missing > 0 { fields.append(.init("Missing", Cell(Wording.count(missing, "content"), .bad))) }
        try common.show(Report(wire: report, identifiers: [report.snapshot], content: .record(fields)))
        guard missing == 0 else {
            throw AdminError(
                "\(Wording.count(missing, "content")) of the library cannot be read.",
                next: "tintypectl library repair --hash asks the devices for them"
            )
        }
    }

    private func note(_ number: ChangeNumber) async throws {
        let task = try await common.follow(.noteBackup(upTo: number))
        let sentence = "Recorded: a backup has everything up to change \(number)."
        try common.show(Report(wire: task, identifiers: [], content: .sentence(sentence)))
    }
}

struct LibraryRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "restore",
        "Restores a library from a backup into an empty folder on this machine.",
        """
        It runs `tintype-server restore`, since no server can be running yet. The restored library begins a new \
        history: devices offer again what they sent after the backup, and keep working with their certificates.
        """,
        examples: ["tintypectl library restore /var/backups/tintype --into /var/lib/tintype"]
    )

    @Argument(help: "The backup's folder.")
    var folder: String

    @Option(help: .value("folder", "The new library's folder: empty, or missing."))
    var into: String

    @Option(help: .value("name", "The snapshot; default: the newest complete one."))
    var snapshot: String?

    func run() async throws {
        var arguments = ["restore", folder, "--set", "library.path=\(into)"]
        if let snapshot { arguments += ["--snapshot", snapshot] }
        try AdminSession.current.replaceProcess("tintype-server", arguments)
    }
}

struct LibraryCollect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "gc",
        "Purges trash and deletes quarantined files past their retention time.",
        "The server does this every hour; this does it now. Nothing is deleted before its time.",
        examples: ["tintypectl library gc"]
    )

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try common.session.confirm("Purge and delete everything past its time?", yes: confirmation.yes)
        let task = try await common.follow(.collect)
        guard case .collected(let purged, let deleted) = task.state else { return }
        let sentence = "\(Wording.count(purged, "asset")) purged, \(Wording.count(deleted, "file")) deleted."
        try common.show(Report(wire: task, identifiers: [], content: .sentence(sentence)))
    }
}
