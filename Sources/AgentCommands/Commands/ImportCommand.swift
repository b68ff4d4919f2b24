import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import FoundationEssentials
import Immich
import LibraryClient
import MediaFiles
import Persistence
import Terminal

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "import",
        "Imports photos and movies from files, folders, exports and an Immich server into the queue.",
        """
        Files are copied unchanged, and read once; on file systems such as XFS and Btrfs the copy shares the \
        original's blocks. A photo and a movie of the same name are a Live Photo; a photo and its raw file of the same \
        name are one photo. Known files are recognised by their bytes, so the same folder can be imported repeatedly, \
        and from several boxes. Files that this box imported and that look unchanged (name, length, times, inode; on \
        cards and network shares also the first and last bytes) are not even read again, except with --checksum. \
        IMG_1.xmp, IMG_1.JPG.xmp or IMG_1.AAE beside a photo is imported with it. Empty or truncated files are \
        reported and do not stop the rest. If the queue is full, the result so far is reported before the error. The \
        import can run beside the service, which then sends at once.

        \(ImportHelp.sources) Of a photo's albums the first is imported.
        """,
        examples: [
            "tintype-agent import /media/card/DCIM",
            "tintype-agent import ~/Downloads/takeout-*.zip --dry-run",
            "tintype-agent import holiday.jpg holiday.mov",
            "tintype-agent import ~/Pictures --albums-from-folders",
            "tintype-agent import https://immich.example --key-file ./immich.key",
            "tintype-agent import /mnt/archive --checksum",
            "tintype-agent import /srv/incoming --move --sync",
        ],
        exitStatuses: [
            0: "all photos and movies are in the queue now, or were known; with --sync they are in the library, too",
            1: "a file was not taken, taken up or removed (each is named), or --link or --move met another file system",
            3: "with --sync: all came in, and a part was sent", 4: "with --sync: all came in, and is held",
            64: "the command line is wrong, or there is no key of Immich's API",
            69: "Immich cannot be reached, or with --sync the library",
            73: "the queue takes no more; the rest was not tried",
            77: "this box is being retired and takes nothing new, Immich rejects the key, or --sync is not allowed",
            78: "a setting is missing or wrong, or with --sync no library was asked yet",
            130: "interrupted; what is in the queue so far is kept, and the same again goes on from there",
        ]
    )

    @Argument(help: "Files, folders, ZIP archives, or the address of an Immich server.")
    var paths: [String]

    @Option(help: ArgumentHelp("The file with Immich's API key.", valueName: "file"), completion: .file())
    var keyFile: String?

    @Flag(help: "Shows what would be imported, without importing it.")
    var dryRun = false

    @Flag(inversion: .prefixedNo, help: "Whether assets join the first album of their source.")
    var albums = true

    @Flag(help: "Puts assets into an album named after their folder.")
    var albumsFromFolders = false

    @Flag(help: "Reads all files, even those unchanged since their import.")
    var checksum = false

    @Flag(help: "Links instead of copying. The files must never change again. Same file system only.")
    var link = false

    @Flag(help: "Moves new files into the queue: each leaves its folder once it is safe. Same file system only.")
    var move = false

    @Flag(help: "Sends the queue while reading the rest, and ends once nothing is left to do soon.")
    var sync = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if link, move { throw ValidationError("--link and --move exclude each other") }
        if paths.contains(where: Self.isAddress) {
            guard paths.count == 1, ServerOrigin.foreign(paths[0]) != nil else {
                throw ValidationError("name one server, https://host[:port] or http://host[:port], and nothing else")
            }
            guard !link, !move, !checksum, !albumsFromFolders else {
                throw ValidationError("--link, --move, --checksum and --albums-from-folders are for files")
            }
        } else if keyFile != nil {
            throw ValidationError("--key-file is for an Immich server: add its address")
        }
        if sync, dryRun { throw ValidationError("--sync and --dry-run exclude each other") }
    }

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let options = try options(agent.settings)
        let take = try source(of: agent)
        let run = ImportRun(agent: agent, options: options, isSyncing: sync && !agent.store.isGuest)
        if run.isSyncing { try agent.checkSyncing() }
        if sync, agent.store.isGuest { Console.note("The running service sends it: tintype-agent status") }
        let result: ImportRun.Result
        do {
            result = try await run.run(showsBars: common.showsProgress, take)
        } catch let error as ImmichError {
            throw AgentError(error)
        }
        try agent.store.settle()
        try await agent.wakeService()
        let ending = try result.sync.map { try SyncEnding($0, of: agent) }
        try show(result.outcome, ending)
        if result.isInterrupted { ImportRun.endInterrupted() }
        if let error = result.outcome.error { throw error }
        let report = result.outcome.report
        let isWhole = [report.failed, report.late, report.unreadable, report.notRemoved].allSatisfy(\.isEmpty)
        if !isWhole { Console.end(.failed) }
        // The queue stays open to the end, as after a sync.
        if let ending { withExtendedLifetime(agent) { Console.end(ending.outcome.exit) } }
    }

    private static func isAddress(_ path: String) -> Bool {
        ["http://", "https://"].contains { path.lowercased().hasPrefix($0) }
    }

    /// The import of everything named.
    private func source(
        of agent: Agent
    ) throws -> @Sendable (Importer, @escaping ImportRun.Progress) async throws -> Importer.Outcome {
        guard let address = paths.first, Self.isAddress(address), let (origin, trust) = ServerOrigin.foreign(address)
        else {
            let paths = paths.map { Path($0) }
            return { importer, progress in try await agent.pool.run { try importer.run(paths, progress: progress) } }
        }
        var key = ProcessInfo.processInfo.environment["IMMICH_API_KEY"] ?? ""
        if let keyFile {
            guard let bytes = try ArgumentFile.read(keyFile, maximumByteCount: 4096) else {
                throw AgentError(.usage, "there is no file \(Console.visible(keyFile))")
            }
            key = String(decoding: bytes, as: UTF8.self)
        }
        return { [key] importer, _ in
            let transport = try CurlTransport(CurlSettings(origin: origin, trust: trust))
            let folder = Path(agent.settings.path)
            let immich = try ImmichLibrary(transport, origin, key: key, in: folder)
            return try await ImmichIntake.run(immich, importer, on: agent.pool)
        }
    }

    private func options(_ settings: AgentSettings) throws -> Importer.Options {
        if settings.isQueueEncrypted, link || move {
            throw AgentError(
                .usage,
                "the queue is encrypted (queue.encryption), so files cannot join it unchanged: "
                    + "leave out \(link ? "--link" : "--move")"
            )
        }
        var options = Importer.Options()
        options.isDryRun = dryRun
        options.keepsAlbums = albums
        options.makesAlbumsOfFolders = albumsFromFolders
        options.readsEverything = checksum
        options.transfer = link ? .link : move ? .move : .copy
        // The queue owns fetched files.
        if paths.contains(where: Self.isAddress) { options.transfer = .moveOrCopy }
        return options
    }

    private func show(_ outcome: Importer.Outcome, _ ending: SyncEnding?) throws {
        let report = outcome.report
        if common.json {
            return Console.print(try JSONText.text(ImportDocument(report: report, sync: ending?.document)))
        }
        // After an early end it is unknown which damaged files were imported.
        let isTaken = !outcome.isStopped && outcome.obstacle == nil
        let taken = !isTaken ? "" : dryRun ? "; it would be imported anyway" : "; imported anyway"
        tell("not taken", report.failed)
        tell("damaged", report.damaged.map { $0 + taken })
        tell("not removed", report.notRemoved)
        tell("by itself", report.separate)
        tell("not taken up", report.late + report.unreadable)
        tell("without a photo", report.orphans)
        tell("left behind", report.leftBehind)
        if report.links > 0 {
            Console.note("\(Wording.count(report.links, "link was", plural: "links were")) not followed")
        }
        if report.specialFiles > 0 {
            let (one, more) = ("FIFO, socket or device was", "FIFOs, sockets or devices were")
            Console.note("\(Wording.count(report.specialFiles, one, plural: more)) passed over")
        }
        Console.print(report.summary(isDryRun: dryRun))
        if let ending { Console.print(ending.words) }
    }

    private func tell(_ label: String, _ remarks: [String]) {
        for remark in remarks { Console.note("\(label): \(Console.visible(remark))") }
    }
}

extension Importer.Report {
    /// The last line: the main counts, and every other count that is not zero.
    func summary(isDryRun: Bool) -> String {
        let live = livePhotos > 0 ? " (\(Wording.count(livePhotos, "Live Photo")))" : ""
        var parts = ["\(added) \(isDryRun ? "would be new" : "new")\(live)", "\(known) known", "\(skipped) no media"]
        func add(_ count: Int, _ words: String) {
            if count > 0 { parts.append("\(count) \(words)") }
        }
        add(sidecars, "\(sidecars == 1 ? "sidecar" : "sidecars") \(isDryRun ? "would be " : "")taken up")
        add(damaged.count, isDryRun ? "damaged (would be imported anyway)" : "damaged (imported anyway)")
        add(failed.count, "not taken")
        add(late.count + unreadable.count, "not taken up")
        add(orphans.count, "without a photo")
        return parts.joined(separator: ", ") + "."
    }
}

/// An import's report as JSON; with `--sync` it includes the sync's.
private struct ImportDocument: Encodable {
    let report: Importer.Report
    let sync: SyncDocument?

    private enum CodingKeys: CodingKey {
        case sync
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(sync, forKey: .sync)
    }
}
