import Testing

@testable import Terminal

struct ProgressBarTests {
    @Test("a bar says how far, how fast, and how long the rest will take")
    func words() {
        let bar = ProgressBar(
            doneBytes: 50 << 20,
            of: 200 << 20,
            things: (5, 20, "asset"),
            elapsed: .seconds(10)
        )
        #expect(
            bar.line(columnCount: 120)
                == "██████░░░░░░░░░░░░░░░░░░ 25 %  5 of 20 assets  50.0 MiB of 200.0 MiB  5.0 MiB/s  30 s left"
        )
    }

    @Test("a line never fills the terminal, and the bar itself gives way first", arguments: [20, 40, 60, 80, 140])
    func narrow(columnCount: Int) {
        let bar = ProgressBar(doneBytes: 1, of: 3, things: (1, 3, "asset"), elapsed: .seconds(3600))
        let line = bar.line(columnCount: columnCount)
        #expect(InertText(line).width < columnCount)
        #expect(line.contains("█") || line.contains("░") || columnCount < 80)
    }

    @Test("numbers that nobody should give still make a line", arguments: [(-5, 0), (9, 3), (Int64.max, Int64.max)])
    func odd(done: Int64, count: Int64) {
        let line = ProgressBar(doneBytes: done, of: count, elapsed: .seconds(1)).line()
        #expect(line.contains(" %"))
    }

    @Test(
        "a length of time is told in its two largest units",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3600, "1 h"), (7500, "2 h 5 min"),
            (90_000, "1 d 1 h"), (86_460, "1 d"), (-5, "0 s"),
        ]
    )
    func spans(seconds: Int, words: String) {
        #expect(Wording.span(.seconds(seconds)) == words)
    }
}
