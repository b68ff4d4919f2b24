/// A bar that says how far a piece of work has come, how fast it goes, and how long the rest will take.
///
/// It is text of one line; who shows it replaces the line before by ``rewriting``.
package struct ProgressBar: Sendable {
    private static let width = 24
    /// Before so much time has passed, a rate is a guess.
    private static let settling = Duration.milliseconds(500)

    /// What begins a line that takes the place of the one before (ISO/IEC 6429: carriage return, erase in line).
    package static let rewriting = "\r\u{1B}[K"

    /// Bytes that are done.
    private let doneBytes: Int64
    /// Bytes in all.
    private let byteCount: Int64
    /// Things that are done, of how many; nil where only bytes are counted.
    private let things: (done: Int, count: Int, noun: String)?
    /// How long it took so far.
    private let elapsed: Duration

    /// Takes how far the work has come.
    ///
    /// - Parameters:
    ///   - doneBytes: bytes that are done.
    ///   - byteCount: bytes in all; 0 where nobody knows.
    ///   - things: things that are done, of how many, and what they are called.
    ///   - elapsed: how long it took so far.
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

    /// The line, cut to a terminal's columns.
    ///
    /// - Parameter columnCount: columns of the terminal; the bar itself is left out where there are few.
    /// - Returns: the line without a line feed.
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
        // The last column stays free: a full line would wrap and could not be replaced.
        return InertText(whole).width < columnCount ? whole : InertText(words).truncated(to: columnCount - 1)
    }

    /// Bytes a second, and the time that the rest will take at that rate.
    private var pace: [String] {
        let rate = Double(doneBytes) / max(0.001, elapsed / .seconds(1))
        guard rate >= 1 else { return [] }
        let rest = Double(max(0, byteCount - doneBytes)) / rate
        return [
            "\(Wording.byteCount(Int64(min(rate, 1e18))))/s", "\(Wording.span(.seconds(Int64(min(rest, 1e9))))) left",
        ]
    }
}
