import Synchronization

extension MetricsRegistry {
    /// The media type of ``exposition``.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Every series in Prometheus' text format (version 0.0.4), sorted by name and labels.
    ///
    /// Described metrics without series still get their `# HELP` line, so that the first scrape shows all names.
    package var exposition: String {
        let (series, help, dropped) = state.withLock { ($0.series, $0.help, $0.droppedSeries) }
        var text = ""
        let byName = Dictionary(grouping: series, by: \.key.name)
        for name in Set(byName.keys).union(help.keys).sorted() {
            let members = byName[name] ?? []
            let safeName = Self.safeName(name)
            if let meaning = help[name] { text += "# HELP \(safeName) \(Self.escaped(meaning))\n" }
            guard let kind = members.first?.value.kind else { continue }
            text += "# TYPE \(safeName) \(kind.rawValue)\n"
            var lines: [String] = []
            for (key, series) in members.sorted(by: { $0.key.labels.description < $1.key.labels.description }) {
                let fixed = key.labels.map { ($0.name, $0.value) }
                for sample in series.samples {
                    lines.append(
                        "\(safeName)\(sample.suffix)\(Self.labelText(fixed + sample.labels)) \(sample.value)\n"
                    )
                }
            }
            text += lines.joined()
        }
        text += "# HELP tintype_metrics_dropped_series_total Series that were over the registry's limit.\n"
        text += "# TYPE tintype_metrics_dropped_series_total counter\n"
        return text + "tintype_metrics_dropped_series_total \(dropped)\n"
    }

    private static func labelText(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let parts = labels.map { "\(safeName($0.0))=\"\(escaped($0.1).replacing("\"", with: "\\\""))\"" }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func safeName(_ name: String) -> String {
        let allowed = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber || character == "_" || character == ":")
        }
        let safe = String(name.map { allowed($0) ? $0 : "_" })
        return safe.first?.isNumber == true ? "_" + safe : safe
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }
}
