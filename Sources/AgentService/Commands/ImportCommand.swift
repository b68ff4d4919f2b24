import AgentStore
import ArgumentParser
import Persistence

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes photos and movies from files or folders into the queue.",
        discussion: """
            Files are copied as they are. A photo and a movie of one name are a Live Photo; a photo and its raw form of \
            one name are one photo. What was taken before is known by its bytes, so the same folder may be imported \
            again and again, and from several boxes. What this box took from a folder, and what has looked the same \
            since (name, length, times, inode; on cards and network shares the first and last bytes, too), is not even \
            read again, unless with --checksum. What lies beside a photo as IMG_1.xmp, IMG_1.JPG.xmp or IMG_1.AAE \
            is taken up with it. What comes only after its photo was taken is told: a movie or raw form is then an asset \
            of its own, a sidecar is not taken up. Files that are empty or end too early are reported and do not stop \
            the rest. Where the queue takes no more, what was done is told before the error. It may run beside the \
            service, which then sends at once. Hidden files, whose names begin with a dot, are left out unless they are \
            named themselves: phones and cards keep there what was deleted.

            EXAMPLES
              tintype-agent import /media/card/DCIM
              tintype-agent import holiday.jpg holiday.mov
              tintype-agent import /media/card/DCIM --dry-run
              tintype-agent import ~/Pictures --albums-from-folders
              tintype-agent import /mnt/archive --checksum
            """
    )

    /// How soon the service beside it begins to send what is there.
    private static let wakeInterval = Duration.seconds(10)

    @Argument(help: "Files or folders.")
    var paths: [String]

    @Flag(help: "Takes nothing, and says what would be taken.")
    var dryRun = false

    @Flag(help: "Puts assets into the album of their folder's name.")
    var albumsFromFolders = false

    @Flag(help: "Reads all files, also those that look as they did when they were taken.")
    var checksum = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        var options = Importer.Options()
        options.isDryRun = dryRun
        options.makesAlbumsOfFolders = albumsFromFolders
        options.readsEverything = checksum
        let importer = Importer(
            store: agent.store,
            limits: agent.limits,
            album: agent.settings.album,
            options: options
        )
        let bar = Console.isErrorTerminal && !common.json ? ConsoleBar() : nil
        let outcome = try await agent.wakingService(every: Self.wakeInterval) { [paths] in
            try await agent.pool.run { try importer.run(paths.map { Path($0) }) { bar?.show($0) } }
        }
        bar?.clear()
        try agent.store.settle()
        try await agent.wakeService()
        try show(outcome.report)
        if let error = outcome.error { throw error }
        if !outcome.report.failed.isEmpty || !outcome.report.late.isEmpty { Console.end(.failed) }
    }

    private func show(_ report: Importer.Report) throws {
        if common.json { return Console.print(try JSONText.text(report)) }
        for failure in report.failed { Console.note("not taken: \(Console.visible(failure))") }
        for file in report.damaged { Console.note("damaged: \(Console.visible(file))") }
        for file in report.separate { Console.note("by itself: \(Console.visible(file))") }
        for file in report.late { Console.note("not taken up: \(Console.visible(file))") }
        let live = report.livePhotos > 0 ? " (\(report.livePhotos) Live Photos)" : ""
        let verb = dryRun ? "would be new" : "new"
        Console.print("\(report.added) \(verb)\(live), \(report.known) known, \(report.skipped) no media.")
    }
}

extension ConsoleBar {
    fileprivate func show(_ progress: Importer.Progress) {
        show(
            doneBytes: progress.doneBytes,
            of: progress.byteCount,
            things: (progress.doneCount, progress.count, "asset")
        )
    }
}
