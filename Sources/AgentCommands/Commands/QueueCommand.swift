import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import Authorization
import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel
import Terminal

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "queue",
        "Shows and repairs this box's queue.",
        subcommands: [QueueListCommand.self, QueueShowCommand.self, QueueRetryCommand.self, QueueExportCommand.self]
    )
}

struct QueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists entries, oldest first.",
        examples: ["tintype-agent queue list", "tintype-agent queue list --state held --state deadLetter --json"]
    )

    static let stateNames = ["captured", "held", "uploading", "committed", "freed", "deadLetter"]

    @Option(
        help: "Only entries in this state (\(QueueListCommand.stateNames.joined(separator: ", "))); may be repeated."
    )
    var state: [String] = []

    @Option(help: "The maximum number of entries.")
    var limit = 1000

    @OptionGroup var common: CommonOptions

    func validate() throws {
        for name in state where !Self.stateNames.contains(name) {
            throw ValidationError("\(name) is not a state: use one of \(Self.stateNames.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let entries = try common.agent(isGuestWelcome: true).store.entries(states: state, limit: limit)
        if common.json { return Console.print(try JSONText.text(entries.map(EntryDocument.init))) }
        let rows = entries.map { entry in
            let document = EntryDocument(entry)
            return [
                entry.id.description, document.hold.map { "\(document.state) (\($0))" } ?? document.state,
                Console.size(entry.byteCount), "\(entry.manifest.captureTime.wall)",
                Console.visible(entry.fileName ?? ""), Console.visible(entry.albumName ?? ""),
                Console.visible(entry.problem ?? ""),
            ]
        }
        Console.print(Console.table(columns: Self.columns, rows, ifEmpty: "No entries."))
    }

    private static let columns: [Table.Column] = [
        .init("ASSET"), .init("STATE"), .init("SIZE", isNumeric: true), .init("CAPTURED", isOptional: true),
        .init("NAME", isFlexible: true), .init("ALBUM", isFlexible: true, isOptional: true),
        .init("PROBLEM", isFlexible: true),
    ]
}

struct QueueShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "show",
        "Shows one entry with its files.",
        examples: ["tintype-agent queue show 0198f3c2-4b1a"]
    )

    /// Fewer digits match every capture within a week.
    private static let minimumPrefixCount = 8

    @Argument(help: .init("The asset, or a unique prefix of it.", valueName: "asset"))
    var argument: String

    func validate() throws {
        let digits = argument.filter { $0 != "-" }
        guard digits.count >= Self.minimumPrefixCount, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw ValidationError(
                "“\(Console.visible(argument))” names no asset: type \(Self.minimumPrefixCount) or more of its digits, "
                    + "as tintype-agent queue list shows them"
            )
        }
    }

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let entry = try entry(in: agent.store)
        let document = EntryDocument(entry)
        if common.json { return Console.print(try JSONText.text(document)) }
        var lines = [
            ["asset", entry.id.description], ["state", document.state],
            ["captured", "\(entry.manifest.captureTime.wall)"],
            ["name", Console.visible(entry.fileName ?? "none")],
            ["album", Console.visible(entry.albumName ?? "none")],
            ["device", entry.deviceID?.description ?? "none yet"],
        ]
        if case .held(let reason) = entry.state {
            lines += [["hold", reason.words], ["next", agent.identity.naming(reason.nextStep)]]
        }
        if let problem = entry.problem { lines.append(["problem", Console.visible(problem)]) }
        if let receipt = entry.receipt {
            lines.append(["saved", "\(receipt.receipt.time), change \(receipt.receipt.changeNumber)"])
        }
        if entry.isIncompleteLivePhoto { lines.append(["live photo", "incomplete: its movie never came"]) }
        for resource in entry.manifest.resources {
            let place = try agent.store.place(of: resource, in: entry.id)
            let size = Console.size(resource.byteCount)
            lines.append(["file", "\(place.path) (\(size)\(place.isEncrypted ? ", encrypted" : ""))"])
        }
        Console.print(Console.table(lines))
    }

    /// The named entry, by its identifier or a prefix.
    private func entry(in store: AgentStore) throws -> QueueEntry {
        let found = try store.entries(beginningWith: argument.lowercased().filter { $0 != "-" })
        guard let entry = found.first else {
            throw AgentError(.failed, "there is no entry \(argument): see tintype-agent queue list")
        }
        guard found.count == 1 else {
            throw AgentError(.usage, "\(found.count) entries begin with \(argument): type more digits")
        }
        return entry
    }
}

struct QueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "retry",
        "Retries entries that were rejected, or that belong to a former identity of this box.",
        examples: [
            "tintype-agent queue retry 0198f3c2-…",
            "tintype-agent queue retry --all",
            "tintype-agent queue retry --all --adopt",
        ]
    )

    @Argument(help: "The assets.")
    var assets: [AssetArgument] = []

    @Flag(help: "Retries every dead letter, and with --adopt every held entry too.")
    var all = false

    @Flag(help: "Assigns the entries to this box's current device.")
    var adopt = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if assets.isEmpty != all { throw ValidationError("name assets, or use --all") }
    }

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let device = try agent.store.device()
        if adopt, device == nil { throw AgentError(.configuration, "this box is not a device: tintype-agent enroll") }
        let states = adopt ? ["deadLetter", "held", "captured"] : ["deadLetter"]
        let chosen = all ? try agent.store.entries(states: states, limit: .max).map(\.id) : assets.map(\.id)
        for asset in chosen { try agent.store.retry(asset, as: adopt ? device : nil) }
        try await agent.wakeService()
        Console.print(
            common.json ? try JSONText.text(["retried": chosen.count]) : "\(chosen.count) will be sent again."
        )
    }
}

struct QueueExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "export",
        "Copies assets that are not in the library yet into a folder, one folder per asset.",
        """
        Files keep their original names, byte for byte; those without share one stem per asset. Titles, captions, \
        keywords and stars are in XMP sidecars, so that the folder can be imported elsewhere; everything else that the \
        queue knows is in manifest.json. The queue is not changed.

        Every existing file is checked against its digest. One that differs, as after a stick was pulled out too \
        early, is rewritten and named. Files from an earlier version are renamed. Run again, it adds what is new.
        """,
        examples: [
            "tintype-agent queue export /media/stick/rescued",
            "tintype-agent import /media/stick/rescued",
            "    on another box",
        ],
        exitStatuses: [
            0: "everything is in the folder, whole", 1: "something is not; the error says what",
            64: "the command line is wrong", 73: "the folder has no room for the rest",
            78: "a setting is missing or wrong",
        ]
    )

    @Argument(help: "A folder; created if missing.")
    var destination: String

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let root = Path(destination)
        let entries = try agent.store.entries(states: ["captured", "held", "uploading", "deadLetter"], limit: .max)
        let store = agent.store
        let (report, obstacle) = try await agent.pool.run {
            var exporter = QueueExporter(store, into: root)
            do {
                for entry in entries { try exporter.export(entry) }
                return (exporter.report, nil as (any Error)?)
            } catch {
                return (exporter.report, error)
            }
        }
        if common.json {
            Console.print(try JSONText.text(report))
        } else {
            for failure in report.failed { Console.note("not exported: \(Console.visible(failure))") }
            for file in report.rewritten {
                Console.note("rewritten, since other bytes were there: \(Console.visible(file))")
            }
            Console.print("\(report.exported) exported to \(root).")
        }
        if let obstacle { throw obstacle }
        if !report.failed.isEmpty { Console.end(.failed) }
    }
}

extension QueueEntry {
    /// The original name of its picture, or else of its first file.
    fileprivate var fileName: String? { manifest.resources.lazy.compactMap { $0.originalFilename?.displayText }.first }

    /// The album it should join; nil for none.
    fileprivate var albumName: String? {
        switch manifest.desiredAlbum {
        case .title(let title): title
        case .id(let id): id.description
        case nil: nil
        }
    }
}

/// An entry as JSON.
struct EntryDocument: Encodable {
    let id: AssetID
    let state: String
    let hold: String?
    let manifest: AssetManifest
    let byteCount: Int64
    let isIncompleteLivePhoto: Bool
    let addedAt: WallTime
    let problem: String?
    let receipt: SignedReceipt?

    init(_ entry: QueueEntry) {
        id = entry.id
        state = entry.state.name
        hold = if case .held(let reason) = entry.state { reason.rawValue } else { nil }
        manifest = entry.manifest
        byteCount = entry.byteCount
        isIncompleteLivePhoto = entry.isIncompleteLivePhoto
        addedAt = entry.addedAt
        problem = entry.problem
        receipt = entry.receipt
    }
}

/// An asset on the command line.
struct AssetArgument: ExpressibleByArgument {
    let id: AssetID

    /// Parses the UUID form.
    init?(argument: String) {
        guard let id = AssetID(argument) else { return nil }
        self.id = id
    }
}
