import CoreMetrics
import LibraryStore
import Observability

/// The server's request metrics.
struct ServerMetrics: Sendable {
    private let registry: MetricsRegistry

    init(registry: MetricsRegistry) {
        self.registry = registry
        registry.describe("tintype_server_requests_total", "Requests answered, by method, route and status.")
        registry.describe(
            "tintype_server_request_duration_seconds",
            "Time until the response's head was ready, by route."
        )
        registry.describe("tintype_server_denied_total", "Requests that the endpoint table refused, by problem.")
        registry.describe("tintype_server_received_bytes_total", "Bytes of resources that became durable.")
        registry.describe("tintype_server_active_device_requests", "Devices' requests in progress.")
        registry.describe("tintype_server_waiting_requests", "Devices' requests and streams that wait for changes.")
        registry.describe("tintype_server_active_uploads", "Requests in progress that upload bytes or commit them.")
        registry.describe(
            "tintype_signals_listening",
            "1 while notices from the library's other servers are received, else 0."
        )
        registry.describe("tintype_signals_sent_notices", "Notices sent to the other servers since the server started.")
        registry.describe(
            "tintype_signals_received_notices",
            "Notices received from the other servers since the server started."
        )
        registry.describe("tintype_signals_closures", "Callers whose requests another server's decision ended.")
    }

    /// Counts one response.
    func record(method: String, route: String, status: Int, duration: Duration) {
        Counter(
            label: "tintype_server_requests_total",
            dimensions: [("method", method), ("route", route), ("status", "\(status)")],
            factory: registry
        ).increment()
        Timer(
            label: "tintype_server_request_duration_seconds",
            dimensions: [("route", route)],
            factory: registry
        ).recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    /// Counts one refusal.
    func recordDenial(_ code: String) {
        Counter(label: "tintype_server_denied_total", dimensions: [("problem", code)], factory: registry).increment()
    }

    /// Counts newly durable bytes of resources.
    func recordReceived(byteCount: Int64) {
        Counter(label: "tintype_server_received_bytes_total", factory: registry).increment(by: byteCount)
    }

    /// Records the notices sent to the library's other servers, and received from them.
    func record(_ counts: SignalCounts) {
        Gauge(label: "tintype_signals_listening", factory: registry).record(counts.isListening ? 1 : 0)
        Gauge(label: "tintype_signals_sent_notices", factory: registry).record(counts.sent)
        Gauge(label: "tintype_signals_received_notices", factory: registry).record(counts.received)
        Gauge(label: "tintype_signals_closures", factory: registry).record(counts.closures)
    }

    /// Every metric in Prometheus' text format.
    func exposition(activeRequests: Int, waitingRequests: Int, activeUploads: Int) -> String {
        Gauge(label: "tintype_server_active_uploads", factory: registry).record(activeUploads)
        Gauge(label: "tintype_server_active_device_requests", factory: registry).record(activeRequests)
        Gauge(label: "tintype_server_waiting_requests", factory: registry).record(waitingRequests)
        return registry.exposition
    }
}
