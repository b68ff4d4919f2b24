/// A length of time on the command line: a number and `s`, `m` or `min`, `h`, `d` or `w`.
package struct TimeSpan: Hashable, Sendable {
    private static let units: [(name: String, seconds: Int64)] = [
        ("min", 60), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800),
    ]

    /// Whole seconds, at least 1.
    package let seconds: Int64

    /// What help shows as a default.
    package var defaultValueDescription: String {
        seconds % 3600 == 0 ? "\(seconds / 3600)h" : seconds % 60 == 0 ? "\(seconds / 60)min" : "\(seconds)s"
    }

    /// This many seconds.
    package init(seconds: Int64) { self.seconds = seconds }

    /// Parses for example `90s`, `5min` or `7d`; nil for anything else.
    package init?(argument: String) {
        guard let unit = Self.units.first(where: { argument.hasSuffix($0.name) }) else { return nil }
        let digits = argument.dropLast(unit.name.count)
        guard digits.allSatisfy(\.isASCII), let count = Int64(digits), count > 0 else { return nil }
        let (seconds, overflowed) = count.multipliedReportingOverflow(by: unit.seconds)
        guard !overflowed else { return nil }
        self.seconds = seconds
    }
}
