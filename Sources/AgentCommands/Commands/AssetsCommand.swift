import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import Authorization
import FoundationEssentials
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import Terminal

struct AssetsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "assets",
        "Shows and changes this device's view of the library, even without a network.",
        subcommands: [
            AssetsListCommand.self, AssetsEditCommand.self, AssetsFetchCommand.self, RefusedChangesCommand.self,
        ]
    )
}

struct AssetsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists assets of this device's view, newest first, as this box knows them.",
        examples: ["tintype-agent assets list", "tintype-agent assets list --filter favorites --limit 20 --json"]
    )

    @Option(help: "Only these: a kind such as livePhotos, or a filter as JSON; several mean any of them.")
    var filter: [FilterArgument] = []

    @Option(help: "How many at most.")
    var limit = 100

    @Flag(help: "The trash instead.")
    var trash = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let filters = filter.map(\.filter)
        let options = FetchOptions(
            filter: filters.count > 1 ? .any(filters) : filters.first,
            fetchLimit: limit,
            showsTrash: trash
        )
        let agent = try common.agent(isGuestWelcome: true)
        let assets = try await agent.pool.run { [store = agent.store] in try store.fetchAssets(options) }
        let known = try agent.store.fact(.authorization)
        let status = known.map { AuthorizationStatus(untrusted: $0.readWrite.rawValue) }
        let revocation = try AgentError.revoked(agent)
        if assets.isEmpty, let revocation { throw revocation }
        if assets.isEmpty, status?.grantsAccess == false { throw AgentError.mayNot("read") }
        if let revocation {
            Console.note("This list is no longer updated: \(revocation)")
        } else if status == .limited {
            Console.note(
                "This device sees a selection of the library: tintype-agent selection expand --reason … asks for more."
            )
        }
        if common.json { return Console.print(try JSONText.text(assets)) }
        if assets.isEmpty, status == nil {
            return Console.note("Nothing is known of the library yet: tintype-agent sync --once asks it.")
        }
        let rows = assets.map { asset in
            [
                asset.id.description, "\(asset.civilCaptureTime)", asset.kindWords,
                asset.isFavorite ? "★" : "", Console.visible(asset.caption ?? asset.title ?? ""),
            ]
        }
        Console.print(Console.table(columns: Self.columns, rows, ifEmpty: "No assets."))
        guard assets.count == limit else { return }
        var unlimited = options
        unlimited.fetchLimit = nil
        let count = try await agent.pool.run { [store = agent.store, unlimited] in
            try store.fetchAssets(unlimited).count
        }
        if count > limit { Console.note("\(limit) of \(count): --limit \(count) lists all.") }
    }

    private static let columns: [Table.Column] = [
        .init("ASSET"), .init("CAPTURED"), .init("KIND"), .init(""), .init("CAPTION", isFlexible: true),
    ]
}

struct AssetsEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "edit",
        "Changes assets; without a network the change waits and merges later.",
        examples: [
            #"tintype-agent assets edit 0198f3c2-… --favorite --caption "First snow""#,
            "tintype-agent assets edit 0198f3c2-… 0198f3c3-… --album Winter",
            "tintype-agent assets edit 0198f3c2-… --trash",
        ]
    )

    @Argument(help: "The assets.")
    var assets: [AssetArgument]

    @Flag(inversion: .prefixedNo, help: "Whether they are favourites.")
    var favorite: Bool?

    @Option(help: "The title; empty removes it.")
    var title: String?

    @Option(help: "The caption; empty removes it.")
    var caption: String?

    @Option(help: "Stars, 0 to 5.")
    var rating: Int?

    @Option(help: "A keyword to add; may be repeated.")
    var keyword: [String] = []

    @Option(help: "A keyword to remove; may be repeated.")
    var removeKeyword: [String] = []

    @Option(help: "The title of an album to add them to; created if there is none.")
    var album: String?

    @Flag(help: "Puts them into the trash.")
    var trash = false

    @Flag(help: "Restores them from the trash.")
    var restore = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if trash, restore { throw ValidationError("say --trash or --restore, not both") }
        let isTextGiven = title != nil || caption != nil || album != nil || rating != nil || favorite != nil
        guard isTextGiven || !keyword.isEmpty || !removeKeyword.isEmpty || trash || restore else {
            throw ValidationError("say what to change, such as --favorite or --caption TEXT")
        }
        if let rating, Rating(rawValue: rating) == nil { throw ValidationError("--rating is 0 to 5") }
        for text in keyword + removeKeyword where Keyword(text) == nil {
            throw ValidationError("“\(Console.visible(text))” is no keyword")
        }
    }

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        if let revocation = try AgentError.revoked(agent) { throw revocation }
        let library = try agent.photoLibrary()
        let albums = try await library.fetchAlbums()
        let ids = assets.map(\.id)
        do {
            try await library.performChanges { changes in
                for id in ids { changes.editAsset(id) { edit in fill(&edit) } }
                if trash { changes.deleteAssets(ids) }
                if let album {
                    let known = albums.first { $0.title == album }?.id
                    changes.addAssets(ids, to: known ?? changes.createAlbum(titled: album))
                }
            }
        } catch let error as PhotoLibraryError where error.code == .notAuthorized && error.cause == nil {
            // The library's own words are for programs.
            throw AgentError.mayNot("change")
        }
        Console.print(
            common.json
                ? try JSONText.text(["changed": ids.count])
                : "\(ids.count) changed; goes to the library with the next sync."
        )
    }

    private func fill(_ edit: inout AssetChangeRequest) {
        edit.isFavorite = favorite
        edit.title = title
        edit.caption = caption
        edit.rating = rating.flatMap(Rating.init(rawValue:))
        edit.addedKeywords = Set(keyword.compactMap { Keyword($0) })
        edit.removedKeywords = Set(removeKeyword.compactMap { Keyword($0) })
        edit.restoresFromTrash = restore
    }
}

struct AssetsFetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "fetch",
        "Downloads the original files of assets to this box and prints their paths.",
        "What the box still has in its queue is not loaded again; what is loaded is kept below a limit.",
        examples: ["tintype-agent assets fetch 0198f3c2-…"]
    )

    @Argument(help: "The assets.")
    var assets: [AssetArgument]

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let library = try agent.photoLibrary()
        var files: [[String]] = []
        for argument in assets {
            guard let asset = try await library.asset(argument.id) else {
                let missing = "\(argument.id) is not in this device's view: tintype-agent assets list"
                throw try AgentError.revoked(agent) ?? AgentError(.failed, missing)
            }
            for resource in asset.resources {
                let file = try await library.file(of: resource, in: asset) { progress in
                    common.showProgress(Console.size(progress.completedBytes))
                }
                files.append([asset.id.description, file.path])
            }
        }
        common.showProgress("")
        if common.json { return Console.print(try JSONText.text(files.map { ["asset": $0[0], "file": $0[1]] })) }
        Console.print(Console.table(files))
    }
}

struct SelectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "selection",
        "Asks for more of the library to be selected for this device.",
        subcommands: [SelectionExpandCommand.self]
    )
}

struct SelectionExpandCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "expand",
        "Asks an administrator to select more assets for this limited device.",
        examples: [#"tintype-agent selection expand --reason "The frame in the hall shows the new year's photos""#]
    )

    @Option(help: "Why, for the person who decides.")
    var reason: String

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let problem = UsageText.problem(in: reason) { throw ValidationError("the reason \(problem.rawValue)") }
    }

    func run() async throws {
        let agent = try common.agent(isGuestWelcome: true)
        let library = try agent.photoLibrary()
        let id: String
        do {
            id = try await library.presentLimitedLibraryPicker(reason: reason).id
        } catch let error as PhotoLibraryError where error.code == .invalid {
            if let revocation = try AgentError.revoked(agent) { throw revocation }
            throw AgentError(
                .notAllowed,
                "\(error): see tintype-agent status; tintype-agent authorize --read-write asks for access"
            )
        }
        Console.print(
            common.json
                ? try JSONText.text(["asked": id])
                : "Asked (\(id)). What an administrator selects comes with the next sync."
        )
    }
}

extension AgentError {
    /// The refusal for a device that the library revoked; nil if it did not.
    fileprivate static func revoked(_ agent: Agent) throws -> AgentError? {
        let reason = HoldReason.revoked
        guard try agent.store.fact(.identityHold) == reason else { return nil }
        let words = reason.words(since: try agent.store.fact(.revocation))
        return AgentError(.notAllowed, "\(words). Next: \(agent.identity.naming(reason.nextStep))")
    }

    /// The refusal for a device that may not read or change the library.
    fileprivate static func mayNot(_ verb: String) -> AgentError {
        AgentError(
            .notAllowed,
            "this device may not \(verb) the library: tintype-agent authorize --read-write asks for that"
        )
    }
}

extension Asset {
    /// What it is, for people.
    fileprivate var kindWords: String {
        if isLivePhoto { return "live" }
        return captureFacts?.isLivePhotoIncomplete == true ? "live without movie" : mediaType.words
    }
}

extension MediaType {
    /// The type for people.
    fileprivate var words: String {
        switch self {
        case .image: "photo"
        case .video: "video"
        case .audio: "sound"
        default: "other"
        }
    }
}
