import ArgumentParser
import FoundationEssentials
import LibraryAPI
import LibraryClient
import PhotoModel

/// Conditions on assets, as flags or as the API's filter tree.
struct AssetConditions: ParsableArguments {
    @Option(
        help: .value(
            "kind",
            "Only this kind: images, videos, livePhotos, screenshots, panoramas, timelapses, favorites …"
        ),
        transform: choice
    )
    var type: [AssetFilter.Kind] = []

    @Option(
        help: .value(
            "time",
            "Captured since: a day or local time at the place of capture, a time with an offset, or how long ago (7d)."
        )
    )
    var since: TimeArgument?

    @Option(help: .value("time", "Captured before."))
    var until: TimeArgument?

    @Option(help: .value("album", "In this album: its identifier, or its title if that is unique."))
    var album: String?

    @Option(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var device: DeviceReference?

    @Option(help: .value("words", "Words, or their prefixes, in title, caption, keywords or names."))
    var text: String?

    @Option(help: .value("word", "With this keyword."))
    var keyword: String?

    @Option(help: .value("stars", "With at least this many stars, 1 to 5."))
    var rating: Int?

    @Flag(help: "Only favourites.")
    var favourite = false

    @Option(help: .value("json", "The API's filter tree."), transform: AssetFilter.init(argument:))
    var filter: AssetFilter?

    func validate() throws {
        if let rating, !(1...5).contains(rating) { throw ValidationError("--rating takes 1 to 5 stars.") }
    }

    /// All conditions combined into one filter; nil without conditions.
    ///
    /// - Parameters:
    ///   - client: resolves albums and devices.
    ///   - now: what "ago" counts from.
    /// - Returns: the filter.
    /// - Throws: for an unknown album or device, and a filter beyond the limits.
    func filter(client: LibraryClient, now: WallTime) async throws -> AssetFilter? {
        var parts = type.map(AssetFilter.kind)
        if since != nil || until != nil {
            parts.append(.captured(.init(from: since?.bound(now: now), until: until?.bound(now: now))))
        }
        if let album { parts.append(.album(try await client.album(named: album))) }
        if let device { parts.append(.device(try await client.device(device).id)) }
        if let text { parts.append(.text(text)) }
        if let keyword { parts.append(.keyword(try Self.keyword(keyword))) }
        if let rating = rating.flatMap(Rating.init(rawValue:)) { parts.append(.rating(atLeast: rating)) }
        if favourite { parts.append(.favorites) }
        if let filter { parts.append(filter) }
        guard let first = parts.first else { return nil }
        let whole = parts.count == 1 ? first : AssetFilter.all(parts)
        do {
            try whole.validate()
        } catch {
            throw AdminError(.usage, "\(error)", next: "the same command with fewer conditions")
        }
        return whole
    }

    private static func keyword(_ text: String) throws -> Keyword {
        guard let keyword = Keyword(text) else {
            throw AdminError(.usage, "“\(text)” is not a keyword.", next: "tintypectl asset list --help")
        }
        return keyword
    }
}

extension AssetFilter {
    /// Reads the API's JSON.
    ///
    /// - Throws: what is wrong with it, for people.
    init(argument: String) throws {
        do {
            self = try JSONDecoder().decode(AssetFilter.self, from: Data(argument.utf8))
        } catch let DecodingError.dataCorrupted(context) {
            throw ValidationError("The filter cannot be read: \(context.debugDescription).")
        } catch {
            throw ValidationError("The filter cannot be read: it is not the API's JSON, such as '\"livePhotos\"'.")
        }
    }
}
