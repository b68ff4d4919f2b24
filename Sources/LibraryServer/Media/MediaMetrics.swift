import CoreMetrics
import MediaWorker
import Observability

/// Metrics of work on originals.
struct MediaMetrics: Sendable {
    private let registry: MetricsRegistry

    init(registry: MetricsRegistry) {
        self.registry = registry
        registry.describe("tintype_media_jobs_total", "Jobs on originals that ended, by result.")
        registry.describe("tintype_media_job_duration_seconds", "Duration of a job on an original, without waiting.")
        registry.describe("tintype_media_workers_started", "Workers started since the server started.")
        registry.describe("tintype_media_workers_died", "Workers that died or were killed during a job.")
    }

    /// Counts a job's end.
    func record(_ result: String, duration: Duration) {
        Counter(label: "tintype_media_jobs_total", dimensions: [("result", result)], factory: registry).increment()
        Timer(label: "tintype_media_job_duration_seconds", factory: registry)
            .recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    /// Updates the worker counts.
    func record(_ counts: MediaWorkerPool.Counts) {
        Gauge(label: "tintype_media_workers_started", factory: registry).record(counts.started)
        Gauge(label: "tintype_media_workers_died", factory: registry).record(counts.died)
    }
}
