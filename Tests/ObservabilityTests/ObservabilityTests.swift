import CoreMetrics
import Logging
import Observability
import PhotoModel
import Synchronization
import Testing

struct LogFormatTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private func lines(_ format: LogFormat, log: (Logger) -> Void) -> [String] {
        let lines = Lines()
        let handler = LineLogHandler(
            label: "test",
            format: format,
            level: .info,
            now: { WallTime(microsecondsSince1970: 0) },
            sink: { line in lines.all.withLock { $0.append(line) } }
        )
        log(Logger(label: "test") { _ in handler })
        return lines.all.withLock { $0 }
    }

    @Test("T42: a line of text stays one line, whatever the metadata holds")
    func hostileMetadata() {
        let lines = lines(.text) { logger in
            logger.info("device seen", metadata: ["device.name": "a\r\n2026 error faked \u{1B}[31m \u{202E}x"])
        }
        #expect(
            lines == [
                "1970-01-01T00:00:00Z info     device seen "
                    + "device.name=\"a\\r\\n2026 error faked \\u001b[31m \\u202ex\"\n"
            ]
        )
    }

    @Test("JSON lines hold message, level and metadata, escaped")
    func json() {
        let lines = lines(.json) { logger in logger.warning("slow", metadata: ["route": "GET \"/\"", "n": "\(3)"]) }
        #expect(
            lines == [
                "{\"time\":\"1970-01-01T00:00:00Z\",\"level\":\"warning\",\"label\":\"test\",\"message\":\"slow\","
                    + "\"n\":\"3\",\"route\":\"GET \\\"/\\\"\"}\n"
            ]
        )
    }

    @Test("Levels below the chosen one are not written, and plain words need no quotes")
    func levels() {
        let lines = lines(.text) { logger in
            logger.debug("hidden")
            logger.error("shown", metadata: ["port": "8443", "empty": ""])
        }
        #expect(lines == ["1970-01-01T00:00:00Z error    shown empty=\"\" port=8443\n"])
    }
}

struct MetricsRegistryTests {
    @Test("Counters, gauges and timers are written in Prometheus' text format")
    func exposition() {
        let registry = MetricsRegistry()
        registry.describe("tintype_test_requests_total", "Requests by \"route\".")
        Counter(label: "tintype_test_requests_total", dimensions: [("route", "a\"b\n")], factory: registry)
            .increment(by: 2)
        Counter(label: "tintype_test_requests_total", dimensions: [("route", "a\"b\n")], factory: registry).increment()
        Gauge(label: "tintype_test_open_count", factory: registry).record(7)
        let timer = Timer(label: "tintype_test_duration_seconds", factory: registry)
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(60_000_000_000)
        let text = registry.exposition
        #expect(text.contains("# HELP tintype_test_requests_total Requests by \"route\".\n"))
        #expect(text.contains("# TYPE tintype_test_requests_total counter\n"))
        #expect(text.contains("tintype_test_requests_total{route=\"a\\\"b\\n\"} 3\n"))
        #expect(text.contains("tintype_test_open_count 7.0\n"))
        #expect(text.contains("tintype_test_duration_seconds_bucket{le=\"0.001\"} 0\n"))
        #expect(text.contains("tintype_test_duration_seconds_bucket{le=\"0.0025\"} 1\n"))
        #expect(text.contains("tintype_test_duration_seconds_bucket{le=\"30.0\"} 1\n"))
        #expect(text.contains("tintype_test_duration_seconds_bucket{le=\"+Inf\"} 2\n"))
        #expect(text.contains("tintype_test_duration_seconds_sum 60.002\n"))
        #expect(text.contains("tintype_test_duration_seconds_count 2\n"))
    }

    @Test("A label with too many values is bounded, and counted")
    func limit() {
        let registry = MetricsRegistry()
        for number in 0..<MetricsRegistry.maximumSeriesCount + 5 {
            Counter(label: "c", dimensions: [("n", "\(number)")], factory: registry).increment()
        }
        #expect(registry.exposition.contains("tintype_metrics_dropped_series_total 5\n"))
    }

    @Test("Increments from many tasks all count")
    func parallel() async {
        let registry = MetricsRegistry()
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { Counter(label: "c", factory: registry).increment() }
                }
            }
        }
        #expect(registry.exposition.contains("\nc 8000\n"))
    }
}
