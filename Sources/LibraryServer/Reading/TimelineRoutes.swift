import LibraryAPI
import LibraryStore
import PhotoModel

/// The timeline: the number of assets over time, and the library state from which changes can be followed.
struct TimelineRoutes {
    let store: any MetadataStore
    let seal: ChangeTokenSeal

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.timeline) { call, admitted in
            let (unit, options) = try call.timelineQuery()
            return try .json(await timeline(options, by: unit, for: admitted))
        }
    }

    /// A caller's list, counted.
    func timeline(_ options: FetchOptions, by unit: TimelineUnit, for admitted: AuthorizedCall) async throws -> Timeline
    {
        // The state is read before counting: changes in between are reported twice, never missed.
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
    /// The list query items that a timeline accepts: it has one order and no pages.
    private static let timelineItems: Set = ["filter", "hidden", "bursts", "trash"]

    /// The unit, and the assets to count.
    ///
    /// - Throws: `request.malformed` naming an invalid or unsupported item.
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
