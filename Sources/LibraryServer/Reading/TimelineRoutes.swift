import LibraryAPI
import LibraryStore
import PhotoModel

/// The timeline: how many assets there are, when, and from which state of the library on changes can be followed.
struct TimelineRoutes {
    let store: any MetadataStore
    let seal: ChangeTokenSeal

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.timeline) { call, admitted in
            let (unit, options) = try call.timelineQuery()
            return try .json(await timeline(options, by: unit, for: admitted))
        }
    }

    /// What a caller sees of a list, counted.
    func timeline(_ options: FetchOptions, by unit: TimelineUnit, for admitted: AuthorizedCall) async throws -> Timeline
    {
        // The state is read before the counting: what changes in between is told twice and never missed.
        let identity = try await store.identity()
        let position = ChangePosition(
            epoch: identity.epoch,
            viewVersion: admitted.viewer.grantVersion,
            number: identity.lastChange
        )
        let spans = try await store.spans(options, by: unit, in: admitted.view)
        let token = try seal.token(of: position, for: admitted.tokenBearer)
        return Timeline(spans: spans, access: admitted.view == .everything ? .full : .limited, token: token)
    }
}

extension Call {
    /// What a timeline takes of a list's query: it has one order and no pages.
    private static let timelineItems: Set = ["filter", "hidden", "bursts", "trash"]

    /// The unit, and what is counted.
    ///
    /// - Throws: `request.malformed` naming what cannot be read, or is not taken.
    func timelineQuery() throws -> (TimelineUnit, FetchOptions) {
        var items = try query()
        var unit = TimelineUnit.month
        if let index = items.firstIndex(where: { $0.name == "unit" }) {
            let text = items.remove(at: index).value
            guard let known = TimelineUnit(rawValue: text) else {
                throw ProblemDetails(.malformedRequest, "A unit is month, day or hour.", field: "unit")
            }
            unit = known
        }
        if let item = items.first(where: { !Self.timelineItems.contains($0.name) }) {
            throw ProblemDetails.unexpectedItem(item.name)
        }
        let query = try AssetQuery(items: items) { text in try Self.decode(Array(text.utf8), as: AssetFilter.self) }
        return (unit, query.options)
    }
}
