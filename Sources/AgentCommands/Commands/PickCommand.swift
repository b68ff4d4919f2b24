import AgentCapture
import AgentService
import ArgumentParser
import Authorization
import BoxIdentity
import FoundationEssentials
import Glibc
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import Terminal
import UnixSignals

struct PickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "pick",
        "Lets a person choose from the library, and downloads exactly what was chosen.",
        """
        Needs no access to the library: a person opens the link, compares the code, and chooses. Locations are \
        stripped from the files unless --keep-location is given. With --json two lines are printed: the session as \
        soon as it is open, and the files at the end.

        With --continuous each photo is downloaded when chosen, and deleted when deselected; with --json a line is \
        printed each time, and the last one is the result. Ctrl-C ends the session.
        """,
        examples: [
            #"tintype-agent pick ~/badge --purpose "A picture for the badge""#,
            #"tintype-agent pick wall --count 20 --ordered --filter livePhotos --purpose "The lobby's wall""#,
            #"tintype-agent pick . --filter '{"all":["images",{"rating":4}]}' --purpose "Print" --json"#,
            "tintype-agent pick wall --continuous --count 0 --encoding compatible \\",
            #"  --disable search --purpose "The lobby's wall""#,
        ],
        exitStatuses: [
            0: "downloaded, or the person cancelled: then there are no files",
            5: "nobody was done in time, or the session was ended", 69: "unreachable", 77: "not allowed",
        ]
    )

    @Argument(help: "The destination folder; created if missing.")
    var folder: String

    @Option(help: "Why, for the person choosing.")
    var purpose: String

    @Option(help: "How many may be chosen, 1 to \(APILimits.pickCount), or 0 for the maximum.")
    var count = 1

    @Flag(help: "Keeps the order of choosing.")
    var ordered = false

    @Option(
        help: """
            What may be chosen: \(AssetFilter.Kind.allCases.map(\.rawValue).joined(separator: ", ")), or a filter as \
            JSON; several mean any of them.
            """
    )
    var filter: [FilterArgument] = []

    @Flag(help: "Downloads each photo as soon as it is chosen, and deletes it if it is deselected.")
    var continuous = false

    @Option(
        help: """
            The form of the files: current or automatic (as edited), compatible (as edited, as JPEG where few programs read the \
            format, movies with H.264), or original (before any edit; needs readWrite for the whole library).
            """,
        transform: named
    )
    var encoding = PickerConfiguration.Representation.current

    @Option(
        help: """
            What the person is not offered: \(PickerConfiguration.Capability.allCases.map(\.rawValue).joined(separator: ", ")); may be \
            repeated. Without selectionActions the session ends with this command, so --continuous is needed.
            """,
        transform: named
    )
    var disable: [PickerConfiguration.Capability] = []

    @Flag(help: "Keeps the location in the files.")
    var keepLocation = false

    @Flag(help: "Strips titles, captions and keywords from the files.")
    var stripCaptions = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard 0...APILimits.pickCount ~= count else {
            throw ValidationError("--count is 1 to \(APILimits.pickCount), or 0 for the maximum")
        }
        guard continuous || !disable.contains(.selectionActions) else {
            throw ValidationError("--disable selectionActions leaves nobody to finish: add --continuous")
        }
        if let problem = UsageText.problem(in: purpose) {
            throw ValidationError("--purpose \(problem.rawValue): say in one line what the picture is for")
        }
    }

    func run() async throws {
        // Only the identity: the service may have the queue open, and picking does not need it.
        let settings = try common.settings()
        let identity = IdentityFolder(in: Path(settings.path))
        guard try identity.device() != nil, let pinned = try identity.pinned() else {
            throw AgentError(.configuration, "this box is not a device yet: tintype-agent enroll URL --token TOKEN")
        }
        let picker = PhotoPicker(
            client: LibraryClient(try CurlTransport(identity.curlSettings(proxy: settings.proxy))),
            pool: BlockingPool(width: 2),
            origin: pinned.url
        )
        // Before a person is asked: the choice needs a destination.
        let made = try makeFolder()
        // Trapped before there is a session to end.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        do {
            let session = try await picker.open(configuration)
            do {
                try await until(signals) { try await pick(session, picker) }
            } catch let error as PhotoLibraryError where error.code == .pickerEnded {
                throw AgentError(.nothingChosen, "\(error)")
            } catch {
                // Nobody will fetch from the session any more; if ending it fails too, it expires.
                try? await picker.end(session)
                throw error
            }
        } catch {
            remove(made)
            throw error
        }
        remove(made)
    }

    /// Removes created folders that are still empty.
    private func remove(_ made: [Path]) {
        for folder in made.reversed() { try? PosixFileSystem().removeDirectory(folder) }
    }

    private func pick(_ session: PhotoPicker.Session, _ picker: PhotoPicker) async throws {
        try announce(session)
        var files = PickedFiles(folder: URL(filePath: folder), isQuiet: !common.showsProgress)
        if continuous {
            try await picker.follow(session, clock: ContinuousClock()) { items in
                try await files.become(items, of: session, by: picker)
                if common.json { Console.print(try JSONText.text(Result(items: files.items))) }
            }
        } else {
            let items = try await picker.result(of: session, clock: ContinuousClock()) { count in
                common.showProgress("waiting, \(count) chosen …")
            }
            try await files.become(items, of: session, by: picker)
            if common.json { Console.print(try JSONText.text(Result(items: files.items))) }
        }
        if !common.json {
            common.showProgress("")
            for file in files.items.flatMap(\.files) { Console.print(Console.visible(file)) }
            if files.items.isEmpty { Console.note("Nothing was chosen.") }
        }
        try await picker.end(session)
    }

    /// Creates the folder; returns the ones that were missing, outermost first.
    private func makeFolder() throws -> [Path] {
        let fileSystem = PosixFileSystem()
        var missing: [Path] = []
        var place = Path(URL(filePath: folder).path)
        while try fileSystem.status(place) == nil, place.parent != place {
            missing.append(place)
            place = place.parent
        }
        guard unsafe access(place.text, W_OK | X_OK) == 0 else {
            throw AgentError(.failed, "this user cannot write to \(place): choose another folder")
        }
        if let innermost = missing.first { try fileSystem.createDirectories(innermost) }
        return missing.reversed()
    }

    /// Runs work until a signal stops it.
    private func until(
        _ signals: UnixSignalsSequence,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in signals {
                    throw AgentError(.interrupted, "interrupted: the session is over")
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private var configuration: PickerConfiguration {
        var configuration = PickerConfiguration(purpose: purpose)
        configuration.selectionLimit = count
        configuration.selectionBehavior =
            switch (continuous, ordered) {
            case (false, false): .standard
            case (false, true): .ordered
            case (true, false): .continuous
            case (true, true): .continuousAndOrdered
            }
        configuration.representation = encoding
        configuration.disabledCapabilities = Set(disable)
        configuration.stripping = keepLocation ? [] : [.location]
        if stripCaptions { configuration.stripping.insert(.captions) }
        let filters = filter.map(\.filter)
        configuration.filter = filters.count > 1 ? .any(filters) : filters.first
        return configuration
    }

    private func announce(_ session: PhotoPicker.Session) throws {
        if common.json {
            return Console.print(
                try JSONText.text(
                    Announcement(
                        session: session.wire.id,
                        link: session.link,
                        code: session.code,
                        expires: session.expires
                    )
                )
            )
        }
        for line in Self.invitation(session.link, session.code) { Console.note(line) }
    }

    /// What the person at the terminal reads; the library chooses both texts.
    static func invitation(_ link: String, _ code: String) -> [String] {
        ["Choose here: \(Console.visible(link))", "The page should show this code: \(Console.visible(code))"]
    }

    /// The first line for programs.
    private struct Announcement: Encodable {
        let session: PickerSessionID
        let link: String
        let code: String
        let expires: WallTime
    }

    /// The further lines for programs.
    private struct Result: Encodable {
        let items: [PickedFiles.Item]
    }
}

/// Parses a value by its name; an unknown name is refused with the valid ones.
private func named<Value: RawRepresentable<String> & CaseIterable>(_ text: String) throws -> Value {
    guard let value = Value(rawValue: text) else {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("“\(text)” is unknown: there are \(names)")
    }
    return value
}

/// The chosen files in a folder.
struct PickedFiles {
    struct Item: Encodable {
        let id: AssetID
        let files: [String]
    }

    let folder: URL
    let isQuiet: Bool
    private(set) var items: [Item] = []

    /// Fetches new files, and removes those from this session that were deselected.
    mutating func become(
        _ chosen: [PhotoPicker.Item],
        of session: PhotoPicker.Session,
        by picker: PhotoPicker
    ) async throws {
        let here = Dictionary(items.map { ($0.id, $0) }) { first, _ in first }
        let wanted = Set(chosen.map(\.id))
        for item in items where !wanted.contains(item.id) {
            for file in item.files { try PosixFileSystem().unlink(Path(file)) }
        }
        items.removeAll { !wanted.contains($0.id) }
        var files: [Item] = []
        for (index, item) in chosen.enumerated() {
            if let known = here[item.id] {
                files.append(known)
                continue
            }
            guard item.isAvailable else {
                Console.note("\(item.id) was deleted or hidden since")
                continue
            }
            let paths = try await picker.download(item, of: session, to: folder) { [isQuiet] progress in
                guard !isQuiet else { return }
                Console.overwrite("\(index + 1) of \(chosen.count), \(Console.size(progress.completedBytes))")
            }
            files.append(Item(id: item.id, files: paths.map(\.path)))
        }
        items = files
    }
}

/// A filter on the command line: a kind, or a JSON tree.
struct FilterArgument: ExpressibleByArgument {
    let filter: AssetFilter

    /// Parses a kind's name or JSON.
    init?(argument: String) {
        if let kind = AssetFilter.Kind(rawValue: argument) {
            filter = .kind(kind)
        } else if let tree = try? JSONDecoder().decode(AssetFilter.self, from: Data(argument.utf8)) {
            filter = tree
        } else {
            return nil
        }
    }
}
