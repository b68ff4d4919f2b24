import Hummingbird
import LibraryAPI
import LibraryStore
import Observability

/// What monitoring reads, with an operator's credential.
struct MonitoringRoutes {
    let store: LibraryStore
    let metrics: ServerMetrics
    let active: ActiveRequests

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.metrics) { [store, metrics, active] _, _ in
            let text = metrics.exposition(
                activeRequests: active.deviceCount,
                freeByteCount: try await store.blocking.run { [content = store.content] in
                    try content.freeByteCount()
                },
                journaledByteCount: store.content.journaledByteCount
            )
            return .text(text, contentType: MetricsRegistry.contentType)
        }
    }
}
