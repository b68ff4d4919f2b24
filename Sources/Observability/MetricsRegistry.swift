package import CoreMetrics
import Synchronization

/// Stores counters, gauges and histograms, and exports them in Prometheus' text format.
///
/// It is a swift-metrics factory, passed to the parts that measure; nothing is bootstrapped globally, so that several
/// servers can run in one process. Timers become histograms of seconds, aggregating recorders histograms of their unit.
/// Names follow `tintype_<part>_<what>_<unit>`; labels have few values.
package final class MetricsRegistry: MetricsFactory {
    /// The most series kept; later ones are counted and dropped, so that a label with too many values cannot exhaust
    /// memory.
    package static let maximumSeriesCount = 10_000

    struct Key: Hashable {
        let name: String
        let labels: [Label]
    }

    struct Label: Hashable {
        let name: String
        let value: String
    }

    struct State {
        var series: [Key: any MetricSeries] = [:]
        var help: [String: String] = [:]
        var droppedSeries = 0
    }

    let state = Mutex(State())

    /// An empty registry.
    package init() {}

    /// Describes a metric; the text becomes its `# HELP` line.
    package func describe(_ name: String, _ help: String) {
        state.withLock { $0.help[name] = help }
    }

    /// The descriptions, by metric name.
    package var descriptions: [String: String] { state.withLock(\.help) }

    /// Creates a counter.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions) { CounterSeries() }
    }

    /// Creates a floating-point counter.
    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions) { GaugeSeries(kind: .counter) }
    }

    /// Creates a gauge.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions) { GaugeSeries(kind: .gauge) }
    }

    /// Creates a histogram, or a gauge of the latest value if aggregation is not requested.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return series(label, dimensions) { GaugeSeries(kind: .gauge) } }
        return series(label, dimensions) { HistogramSeries(bounds: HistogramSeries.sizeBounds, scale: 1) }
    }

    /// Creates a histogram of seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions) { HistogramSeries(bounds: HistogramSeries.secondBounds, scale: 1e9) }
    }

    /// Series stay until the process ends.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Series stay until the process ends.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Series stay until the process ends.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Series stay until the process ends.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Series stay until the process ends.
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The series with that name and labels; a detached new one if the name is used by another type.
    private func series<Series: MetricSeries>(
        _ name: String,
        _ dimensions: [(String, String)],
        make: () -> Series
    ) -> Series {
        let key = Key(name: name, labels: dimensions.map { Label(name: $0.0, value: $0.1) })
        return state.withLock { state in
            if let known = state.series[key] as? Series { return known }
            let made = make()
            if state.series[key] == nil, state.series.count < Self.maximumSeriesCount {
                state.series[key] = made
            } else {
                state.droppedSeries += 1
            }
            return made
        }
    }
}
