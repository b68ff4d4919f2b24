import Hummingbird
import LibraryAPI
import LibraryStore
import Observability

/// The monitoring routes, which require an operator's credential.
struct MonitoringRoutes {
    let metrics: ServerMetrics
    let library: LibraryMetrics
    let active: ActiveRequests
    let places: DevicePlaces
    let precedence: UploadPriority
    let signals: any LibrarySignals

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.metrics) { [metrics, library, active, places, precedence, signals] _, _ in
            try await library.refresh()
            if let counts = signals.counts { metrics.record(counts) }
            let text = metrics.exposition(
                activeRequests: active.deviceCount,
                waitingRequests: places.count,
                activeUploads: precedence.uploads
            )
            return .text(text, contentType: MetricsRegistry.contentType)
        }
    }
}
