import AgentStore
import ArgumentParser
import Authorization
import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Shows and mends what this box holds.",
        subcommands: [QueueListCommand.self, QueueShowCommand.self, QueueRetryCommand.self, QueueExportCommand.self]
    )
}

struct QueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists entries, oldest first.",
        discussion: """
            EXAMPLES
              tintype-agent queue list
              tintype-agent queue list --state held --state deadLetter --json
            """
    )

    static let stateNames = ["captured", "held", "uploading", "committed", "freed", "deadLetter"]

    @Option(
        help: "Only entries in this state (\(QueueListCommand.stateNames.joined(separator: ", "))); may be repeated."
    )
    var state: [String] = []

    @Option(help: "How many at most.")
    var limit = 1000

    @OptionGroup var common: CommonOptions

    func validate() throws {
        for name in state where !Self.stateNames.contains(name) {
            throw ValidationError("\(name) is no state: write one of \(Self.stateNames.joined(separator: ", "))")
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
                Console.visible(entry.problem ?? ""),
            ]
        }
        Console.print(Console.table([["ASSET", "STATE", "SIZE", "CAPTURED", "PROBLEM"]] + rows))
    }
}

struct QueueShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows one entry with its files.")

    @Argument(help: .init("The asset.", valueName: "asset"))
    var argument: AssetArgument

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let asset = argument.id
        guard let entry = try agent.store.entry(asset) else {
            throw AgentError(.failed, "there is no entry \(asset): see tintype-agent queue list")
        }
        let document = EntryDocument(entry)
        if common.json { return Console.print(try JSONText.text(document)) }
        var lines = [
            ["asset", entry.id.description], ["state", document.state],
            ["captured", "\(entry.manifest.captureTime.wall)"],
            ["device", entry.deviceID?.description ?? "none yet"],
        ]
        if case .held(let reason) = entry.state {
            lines += [["hold", reason.words], ["next", reason.nextStep]]
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
}

struct QueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Sends entries again that were refused, or that belong to a former identity of this box.",
        discussion: """
            EXAMPLES
              tintype-agent queue retry 0198f3c2-…
              tintype-agent queue retry --all
              tintype-agent queue retry --all --adopt
            """
    )

    @Argument(help: "The assets.")
    var assets: [AssetArgument] = []

    @Flag(help: "Takes every dead letter, and with --adopt every held entry too.")
    var all = false

    @Flag(help: "Makes the entries belong to the device that this box is now.")
    var adopt = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if assets.isEmpty != all { throw ValidationError("name assets, or say --all") }
    }

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let device = try agent.store.device()
        if adopt, device == nil { throw AgentError(.configuration, "this box is no device yet: tintype-agent enroll") }
        let states = adopt ? ["deadLetter", "held", "captured"] : ["deadLetter"]
        let chosen = all ? try agent.store.entries(states: states, limit: .max).map(\.id) : assets.map(\.id)
        for asset in chosen { try agent.store.retry(asset, as: adopt ? device : nil) }
        try await agent.wakeService()
        Console.print(common.json ? "{\"retried\":\(chosen.count)}" : "\(chosen.count) will be sent again.")
    }
}

struct QueueExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copies what is not in the library yet into a folder, one folder an asset.",
        discussion: """
            EXAMPLE
              tintype-agent queue export /media/stick/rescued
            """
    )

    @Argument(help: "A folder; made when missing.")
    var destination: String

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let fileSystem = PosixFileSystem()
        let root = Path(destination)
        let entries = try agent.store.entries(states: ["captured", "held", "uploading", "deadLetter"], limit: .max)
        var report = Report()
        for entry in entries {
            do {
                let folder = root.appending(entry.id.description)
                try fileSystem.createDirectories(folder)
                for resource in entry.manifest.resources {
                    let name = agent.store.file(of: resource, in: entry.id).name
                    try Self.copy(resource, of: entry.id, in: agent.store, to: folder.appending(name), fileSystem)
                }
                try fileSystem.writeAtomically(folder.appending("manifest.json"), JSONText.bytes(entry.manifest))
                report.exported += 1
            } catch let error as Persistence.PersistenceError where error.code == .noSpace {
                throw error
            } catch {
                // One that cannot be read keeps no other from being rescued.
                report.failed.append("\(entry.id): \(error)")
            }
        }
        if common.json {
            Console.print(try JSONText.text(report))
        } else {
            for failure in report.failed { Console.note("not exported: \(Console.visible(failure))") }
            Console.print("\(report.exported) exported to \(root).")
        }
        if !report.failed.isEmpty { Console.end(.failed) }
    }

    private struct Report: Encodable {
        var exported = 0
        var failed: [String] = []
    }

    private static func copy(
        _ resource: AssetResource,
        of asset: AssetID,
        in store: AgentStore,
        to destination: Path,
        _ fileSystem: PosixFileSystem
    ) throws {
        if try fileSystem.status(destination) != nil { return }
        let temporary = destination.parent.appending(".\(destination.name).part")
        if try fileSystem.status(temporary) != nil { try fileSystem.unlink(temporary) }
        let output = try fileSystem.open(temporary, .create)
        var offset: Int64 = 0
        while true {
            let bytes = try store.read(resource, of: asset, at: offset, count: 1 << 20)
            if bytes.isEmpty { break }
            try output.write(bytes[...], at: offset)
            offset += Int64(bytes.count)
        }
        try output.synchronize()
        try output.close()
        try fileSystem.rename(temporary, to: destination)
        try fileSystem.synchronizeDirectory(destination.parent)
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

/// An asset as it is named on the command line.
struct AssetArgument: ExpressibleByArgument {
    let id: AssetID

    /// Reads the UUID form.
    init?(argument: String) {
        guard let id = AssetID(argument) else { return nil }
        self.id = id
    }
}
