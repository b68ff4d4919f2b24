import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

/// Counts of lists: over time, with the library state from which changes can be followed, and on a map.
struct TimelineRoutes {
    let store: any ReadingStore
    let seal: ChangeTokenSeal

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.timeline) { call, admitted in
            try .list(await timeline(call.timelineQuery(), for: admitted), for: call)
        }
        try registry.on(.places) { [store] call, admitted in
            try .list(await store.places(call.placeQuery(), in: admitted.view), for: call)
        }
    }

    /// A caller's list, counted.
    func timeline(_ query: TimelineQuery, for admitted: AuthorizedCall) async throws -> Timeline {
        // The state is read before counting: changes in between are reported twice, never missed.
        let position = try await store.end(for: admitted.viewer)
        return Timeline(
            spans: try await store.spans(query.options, by: query.unit, in: admitted.view),
            access: admitted.view == .everything ? .full : .limited,
            token: try seal.token(of: position, for: admitted.tokenBearer),
            kinds: query.wantsKinds ? try await store.kinds(query.options, in: admitted.view) : nil
        )
    }
}

/// The query of `Endpoint.timeline`.
struct TimelineQuery {
    /// The length of a span.
    var unit = TimelineUnit.month
    /// The assets to count.
    var options: FetchOptions
    /// Whether to return the kinds among them too.
    var wantsKinds = false
}

extension Call {
    /// The list query items that a count accepts: it has one order and no pages.
    private static let countedItems: Set = ["filter", "hidden", "bursts", "trash"]

    /// The query of a timeline.
    ///
    /// - Throws: `request.malformed` naming an invalid or unsupported item.
    func timelineQuery() throws -> TimelineQuery {
        var items = try query()
        var wanted = TimelineQuery(options: FetchOptions())
        if let text = items.take("unit") {
            guard let known = TimelineUnit(rawValue: text) else {
                throw ProblemDetails(.malformedRequest, "The unit must be month, day or hour.", field: "unit")
            }
            wanted.unit = known
        }
        if let text = items.take("kinds") {
            guard let wantsKinds = Bool(text) else {
                throw ProblemDetails(.malformedRequest, "kinds must be true or false.", field: "kinds")
            }
            wanted.wantsKinds = wantsKinds
        }
        wanted.options = try Self.countedOptions(items)
        return wanted
    }

    /// The area, its grid, and the assets to count.
    ///
    /// - Throws: `request.malformed` naming an invalid or unsupported item.
    fileprivate func placeQuery() throws -> PlaceQuery {
        var items = try query()
        var query = PlaceQuery()
        let names = ["west", "south", "east", "north"]
        let edges = names.compactMap { name in items.take(name).map { Double($0) ?? .nan } }
        if !edges.isEmpty {
            guard edges.count == 4,
                let box = GeographicBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
            else { throw ProblemDetails(.malformedRequest, "An area has west, south, east and north.", field: "west") }
            query.box = box
        }
        if let text = items.take("columns") {
            guard let count = Int(text), PlaceQuery.columns ~= count else {
                let range = PlaceQuery.columns
                throw ProblemDetails(
                    .malformedRequest,
                    "A map has \(range.lowerBound) to \(range.upperBound) columns.",
                    field: "columns"
                )
            }
            query.columnCount = count
        }
        query.options = try Self.countedOptions(items)
        return query
    }

    private static func countedOptions(_ items: [(name: String, value: String)]) throws -> FetchOptions {
        if let item = items.first(where: { !countedItems.contains($0.name) }) {
            throw ProblemDetails.unexpectedItem(item.name)
        }
        return try AssetQuery(items: items) { text in try decode(Array(text.utf8), as: AssetFilter.self) }.options
    }
}

extension [(name: String, value: String)] {
    /// Removes an item and returns its value.
    fileprivate mutating func take(_ name: String) -> String? {
        firstIndex { $0.name == name }.map { remove(at: $0).value }
    }
}
