import Hummingbird
import LibraryAPI
import Observability

/// What monitoring reads, with an operator's credential.
struct MonitoringRoutes {
    let metrics: ServerMetrics
    let active: ActiveRequests

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.metrics) { [metrics, active] _, _ in
            .text(metrics.exposition(activeRequests: active.deviceCount), contentType: MetricsRegistry.contentType)
        }
    }
}
