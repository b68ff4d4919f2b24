import CoreMetrics
import Synchronization

/// The metric types of Prometheus.
enum MetricKind: String {
    case counter, gauge, histogram
}

/// One time series, updated from any thread and read at each scrape.
protocol MetricSeries: AnyObject, Sendable {
    var kind: MetricKind { get }
    /// The lines of the series: name suffix, additional labels and value.
    var samples: [(suffix: String, labels: [(String, String)], value: String)] { get }
}

/// A whole number that only grows.
final class CounterSeries: MetricSeries, CounterHandler {
    private let value = Atomic<Int64>(0)

    var kind: MetricKind { .counter }

    var samples: [(suffix: String, labels: [(String, String)], value: String)] {
        [("", [], "\(value.load(ordering: .relaxed))")]
    }

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        value.store(0, ordering: .relaxed)
    }
}

/// A number that is set, raised and lowered.
final class GaugeSeries: MetricSeries, MeterHandler, FloatingPointCounterHandler, RecorderHandler {
    let kind: MetricKind
    private let value = Mutex(0.0)

    init(kind: MetricKind) {
        self.kind = kind
    }

    var samples: [(suffix: String, labels: [(String, String)], value: String)] {
        [("", [], "\(value.withLock { $0 })")]
    }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func reset() { set(0.0) }
}

/// The count and sum of values, and how many fell below each bound.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
    /// From half a millisecond to half a minute, in seconds.
    static let secondBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// Powers of four up to 4 GiB.
    static let sizeBounds = (0...16).map { Double(1 << (2 * $0)) }

    private struct State {
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let scale: Double
    private let state: Mutex<State>

    /// - Parameters:
    ///   - bounds: the upper bounds of the buckets, ascending.
    ///   - scale: the divisor of recorded values.
    init(bounds: [Double], scale: Double) {
        self.bounds = bounds
        self.scale = scale
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var kind: MetricKind { .histogram }

    var samples: [(suffix: String, labels: [(String, String)], value: String)] {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total = 0
        var samples: [(suffix: String, labels: [(String, String)], value: String)] = []
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
            total += count
            samples.append(("_bucket", [("le", bound)], "\(total)"))
        }
        return samples + [("_sum", [], "\(sum)"), ("_count", [], "\(total)")]
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let scaled = value / scale
        let bucket = bounds.firstIndex { scaled <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += scaled
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
}
