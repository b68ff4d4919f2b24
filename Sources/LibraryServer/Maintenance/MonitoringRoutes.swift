import Hummingbird
import LibraryAPI
import LibraryStore
import Observability

/// The monitoring routes, which require an operator's credential.
struct MonitoringRoutes {
    let metrics: ServerMetrics
    let library: LibraryMetrics
    let active: ActiveRequests
    let precedence: UploadPriority
    let signals: any LibrarySignals

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.metrics) { [metrics, library, active, precedence, signals] call, _ in
            try await library.refresh()
            if let counts = signals.counts { metrics.record(counts) }
            let text = metrics.exposition(
                activeRequests: active.deviceCount,
                waitingRequests: call.places.count(of: .wait),
                activeUploads: precedence.uploads
            )
            return .text(text, contentType: MetricsRegistry.contentType)
        }
    }
}
