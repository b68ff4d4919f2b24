import Testing

@testable import Terminal

struct InertTextTests {
    @Test(
        "T36, T42, T57: what a terminal would obey is shown as its number",
        arguments: [
            ("\u{1B}[2J\u{1B}]0;owned\u{7}", #"\u{1B}[2J\u{1B}]0;owned\u{7}"#),
            ("\u{9B}31mred", #"\u{9B}31mred"#),
            ("two\nlines\r\nand\ta tab", #"two\nlines\r\nand\ta tab"#),
            ("exe.\u{202E}gpj", #"exe.\u{202E}gpj"#),
            ("in\u{200B}visible\u{FEFF}", #"in\u{200B}visible\u{FEFF}"#),
            ("\u{2028}line\u{2029}", #"\u{2028}line\u{2029}"#),
            ("\u{E000}private", #"\u{E000}private"#),
            ("nul\u{0}del\u{7F}", #"nul\u{0}del\u{7F}"#),
            ("tag\u{E0041}", #"tag\u{E0041}"#),
        ]
    )
    func hostile(text: String, shown: String) {
        #expect(InertText(text).description == shown)
    }

    @Test(
        "ordinary text of every script stays as it is",
        arguments: ["Gate 7", "Haustür", "東京タワー", "Ворота", "e\u{301}", "👩‍👩‍👧", "🇩🇪", "❤️", ""]
    )
    func ordinary(text: String) {
        #expect(InertText(text).description == text)
    }

    @Test("no scalar of Unicode gets through that a terminal could obey")
    func everyScalar() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = InertText(String(scalar)).description
            let isObeyed = shown.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }
            #expect(!isObeyed && !shown.isEmpty, "U+\(String(value, radix: 16))")
        }
    }

    @Test("a pile of combining marks is cut, so that it stays on its line")
    func marks() {
        let shown = InertText("Z" + String(repeating: "\u{301}", count: 50)).description
        #expect(shown.unicodeScalars.count { $0 == "\u{301}" } == 4)
    }

    @Test(
        "the width is that of a terminal's columns",
        arguments: [
            ("", 0), ("Gate", 4), ("東京", 4), ("ｶﾒﾗ", 3), ("한국", 4), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2),
            ("\u{1B}", 6),
        ]
    )
    func width(text: String, columns: Int) {
        #expect(InertText(text).width == columns)
    }

    @Test(
        "a text is cut to columns, never through a character",
        arguments: [
            ("Gatehouse", 9, "Gatehouse"), ("Gatehouse", 5, "Gate…"), ("東京タワー", 5, "東京…"), ("東京タワー", 4, "東…"),
            ("👩‍👩‍👧 family", 3, "👩‍👩‍👧…"), ("x", 0, ""),
        ]
    )
    func truncation(text: String, columns: Int, cut: String) {
        let result = InertText(text).truncated(to: columns)
        #expect(result == cut)
        #expect(InertText(result).width <= columns)
    }
}
