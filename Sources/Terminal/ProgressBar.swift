/// A progress bar with the rate and the estimated time left.
///
/// It is one line of text; to update it, write ``rewriting`` first.
package struct ProgressBar: Sendable {
    private static let width = 24
    /// Before this much time has passed, a rate is a guess.
    private static let settling = Duration.milliseconds(500)

    /// Starts a line that replaces the previous one (ISO/IEC 6429: carriage return, erase in line).
    package static let rewriting = "\r\u{1B}[K"

    private let doneBytes: Int64
    /// Total bytes.
    private let byteCount: Int64
    /// Items done and in total; nil if only bytes are counted.
    private let things: (done: Int, count: Int, noun: String)?
    private let elapsed: Duration

    /// Describes the progress in bytes, of 0 if the total is unknown, and in items done, their total and their noun.
    package init(
        doneBytes: Int64,
        of byteCount: Int64,
        things: (done: Int, count: Int, noun: String)? = nil,
        elapsed: Duration
    ) {
        self.doneBytes = max(0, doneBytes)
        self.byteCount = max(0, byteCount)
        self.things = things
        self.elapsed = elapsed
    }

    /// The line without a line feed, fitted to a terminal's columns; the bar itself is omitted if there are few.
    package func line(columnCount: Int = 80) -> String {
        let part = byteCount > 0 ? min(1, Double(doneBytes) / Double(byteCount)) : 0
        let filled = Int(part * Double(Self.width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        var parts = ["\(Int(part * 100)) %"]
        if let things { parts.append("\(things.done) of \(Wording.count(things.count, things.noun))") }
        parts.append("\(Wording.byteCount(doneBytes)) of \(Wording.byteCount(byteCount))")
        if elapsed >= Self.settling { parts += pace }
        let words = parts.joined(separator: "  ")
        let whole = "\(bar) \(words)"
        // The last column stays free: a full line would wrap and could not be rewritten.
        return InertText(whole).width < columnCount ? whole : InertText(words).truncated(to: columnCount - 1)
    }

    /// Bytes per second, and the time left at that rate.
    private var pace: [String] {
        let rate = Double(doneBytes) / max(0.001, elapsed / .seconds(1))
        guard rate >= 1 else { return [] }
        let rest = Double(max(0, byteCount - doneBytes)) / rate
        return [
            "\(Wording.byteCount(Int64(min(rate, 1e18))))/s", "\(Wording.span(.seconds(Int64(min(rest, 1e9))))) left",
        ]
    }
}
