import ArgumentParser
import Authorization
import FoundationEssentials
import Glibc
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import UnixSignals

struct PickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick",
        abstract: "Lets a person choose from the library, and downloads exactly what was chosen.",
        discussion: """
            Needs no access to the library: a person opens the link, compares the code, and chooses. The files come \
            without the place where they were taken, unless --keep-location is given. With --json two lines are \
            printed: the session as soon as it is open, and the files at the end.

            EXAMPLES
              tintype-agent pick ~/badge --purpose "A picture for the badge"
              tintype-agent pick wall --count 20 --ordered --filter livePhotos \\
                --purpose "The lobby's wall"
              tintype-agent pick . --filter '{"all":["images",{"rating":4}]}' \\
                --purpose "Print" --json

            EXIT STATUS
              0   downloaded
              5   nothing was chosen, or not in time
              69  unreachable
              77  not allowed
            """
    )

    @Argument(help: "The folder that the files go into; made when missing.")
    var folder: String

    @Option(help: "Why, for the person who chooses.")
    var purpose: String

    @Option(help: "How many may be chosen, 1 to \(APILimits.pickCount).")
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

    @Flag(help: "Takes the bytes as they were captured, not as they were edited.")
    var original = false

    @Flag(help: "Leaves the place in the files.")
    var keepLocation = false

    @Flag(help: "Takes titles, captions and keywords out of the files.")
    var stripCaptions = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard 1...APILimits.pickCount ~= count else {
            throw ValidationError("--count is 1 to \(APILimits.pickCount)")
        }
        if let problem = UsageText.problem(in: purpose) {
            throw ValidationError("--purpose \(problem.rawValue): say in one line what the picture is for")
        }
    }

    func run() async throws {
        // The identity alone: the queue may be open in the service, and picking does not need it.
        let settings = try common.settings()
        let identity = IdentityFolder(in: Path(settings.path))
        guard try identity.device() != nil, let pinned = try identity.pinned() else {
            throw AgentError(.configuration, "this box is no device yet: tintype-agent enroll URL --token TOKEN")
        }
        let picker = PhotoPicker(
            client: LibraryClient(try CurlTransport(identity.curlSettings(proxy: settings.proxy))),
            pool: BlockingPool(width: 2),
            origin: pinned.url
        )
        // Before a person is asked: what they choose has to go somewhere.
        let made = try makeFolder()
        // Trapped before there is a session to end.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        do {
            let session = try await picker.open(configuration)
            do {
                try await until(signals) { try await pick(session, picker) }
            } catch let error as PhotoLibraryError where error.code == .cancelled || error.code == .pickerEnded {
                throw AgentError(.nothingChosen, "\(error)")
            } catch {
                // Nobody will fetch from it any more; it ends by its own time should this fail too.
                try? await picker.end(session)
                throw error
            }
        } catch {
            // As it was, where nothing came into them.
            for folder in made.reversed() { try? PosixFileSystem().removeDirectory(folder) }
            throw error
        }
    }

    private func pick(_ session: PhotoPicker.Session, _ picker: PhotoPicker) async throws {
        try announce(session)
        let items = try await picker.result(of: session, clock: ContinuousClock()) { count in
            if Console.isErrorTerminal, !common.json { Console.overwrite("waiting, \(count) chosen …") }
        }
        try await download(items, of: session, by: picker)
        try await picker.end(session)
    }

    /// Makes the folder; those that were missing, from the outermost on.
    private func makeFolder() throws -> [Path] {
        let fileSystem = PosixFileSystem()
        var missing: [Path] = []
        var place = Path(URL(filePath: folder).path)
        while try fileSystem.status(place) == nil, place.parent != place {
            missing.append(place)
            place = place.parent
        }
        guard unsafe access(place.text, W_OK | X_OK) == 0 else {
            throw AgentError(.failed, "this user may not write into \(place): choose another folder")
        }
        if let innermost = missing.first { try fileSystem.createDirectories(innermost) }
        return missing.reversed()
    }

    /// Does something until a signal stops it.
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
        configuration.selectionBehavior = ordered ? .ordered : .standard
        configuration.representation = original ? .original : .current
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
        Console.note("Choose here: \(session.link)")
        Console.note("The page should show this code: \(session.code)")
    }

    private func download(
        _ items: [PhotoPicker.Item],
        of session: PhotoPicker.Session,
        by picker: PhotoPicker
    ) async throws {
        var files: [Result.Item] = []
        for (index, item) in items.enumerated() {
            guard item.isAvailable else {
                Console.note("\(item.id) was deleted or hidden since")
                continue
            }
            let paths = try await picker.download(item, of: session, to: URL(filePath: folder)) { progress in
                guard Console.isErrorTerminal, !common.json else { return }
                Console.overwrite("\(index + 1) of \(items.count), \(Console.size(progress.completedBytes))")
            }
            files.append(Result.Item(id: item.id, files: paths.map(\.path)))
        }
        if Console.isErrorTerminal, !common.json { Console.overwrite("") }
        if common.json { return Console.print(try JSONText.text(Result(items: files))) }
        for file in files.flatMap(\.files) { Console.print(Console.visible(file)) }
    }

    /// The first line for programs.
    private struct Announcement: Encodable {
        let session: PickerSessionID
        let link: String
        let code: String
        let expires: WallTime
    }

    /// The second line for programs.
    private struct Result: Encodable {
        struct Item: Encodable {
            let id: AssetID
            let files: [String]
        }

        let items: [Item]
    }
}

/// A filter as it is named on the command line: a kind, or a tree as JSON.
struct FilterArgument: ExpressibleByArgument {
    let filter: AssetFilter

    /// Reads a kind's name or JSON.
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
