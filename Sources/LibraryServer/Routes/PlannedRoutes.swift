import Hummingbird
import LibraryAPI

/// Declared routes that this version does not serve yet.
///
/// They stand behind the gate like all others, so that nobody learns more from them than their row allows, and answer
/// 501 (RFC 9110, section 15.6.2).
struct PlannedRoutes {
    static let endpoints: [Endpoint] = [
        .livePhoto, .motionPhoto, .addAdjustment, .removeAdjustment, .expandSelection, .createPicker,
        .picker, .editPicker, .endPicker, .pickedItems, .pickedItem, .adminCeilings, .adminSetCeilings,
    ]

    func register(in registry: inout RouteRegistry) throws {
        for endpoint in Self.endpoints {
            try registry.on(endpoint) { call, _ in
                var problem = ProblemDetails(.unavailable, "This version of the server does not serve \(call.route).")
                problem.status = 501
                problem.retry = .never
                throw problem
            }
        }
    }
}
