import Foundation
import LibraryAPI
import Observability
import Testing

@testable import LibraryServer

/// docs/metrics.md, held to what the server says of itself.
struct MetricsTests {
    @Test("Every metric is documented with its type and unit, and nothing is documented that there is not")
    func documented() async throws {
        let documented = try Self.documented()
        try await RunningServer.run(flags: ["media.workers=1"]) { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                _ = try await client.save(try TestPhoto.random(byteCount: 100))
                _ = try await client.send("GET", "/v1/assets")
            }
            let text = try await server.withOperator { try await $0.send("GET", "/metrics").text }
            let described = server.environment.metrics.descriptions
            let dropped = "tintype_metrics_dropped_series_total"
            #expect(Set(documented.keys) == Set(described.keys).union([dropped]))
            for (name, meaning) in described { #expect(documented[name]?.meaning == meaning, "\(name)") }
            for line in text.split(separator: "\n") where line.hasPrefix("# TYPE ") {
                let parts = line.split(separator: " ").map(String.init)
                #expect(documented[parts[2]]?.type == parts[3], "\(parts[2])")
            }
        }
    }

    @Test("Names follow the rule: tintype, part, what, unit; counters end in _total")
    func names() throws {
        for (name, row) in try Self.documented() {
            #expect(name.wholeMatch(of: /tintype_(server|signals|library|media|metrics)(_[a-z]+)+/) != nil, "\(name)")
            #expect(name.hasSuffix("_total") == (row.type == "counter"), "\(name)")
            #expect(!row.unit.isEmpty)
            let base = name.hasSuffix("_total") ? String(name.dropLast(6)) : name
            if ["seconds", "bytes"].contains(row.unit) { #expect(base.hasSuffix("_\(row.unit)"), "\(name)") }
        }
    }

    private struct Documented {
        let type: String
        let unit: String
        let meaning: String
    }

    /// The rows of the page's table, by name.
    private static func documented() throws -> [String: Documented] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/metrics.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.count == 7 && cells[1].hasPrefix("`") ? cells : nil
        }
        return Dictionary(
            rows.map { cells in
                (cells[1].filter { $0 != "`" }, Documented(type: cells[2], unit: cells[3], meaning: cells[5]))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
