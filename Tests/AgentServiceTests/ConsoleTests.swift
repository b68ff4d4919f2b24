import Testing

@testable import AgentCapture
@testable import AgentCommands

struct ConsoleTests {
    @Test("Columns align by what a terminal shows, and foreign text stays on its line")
    func table() {
        let rows = [["NAME", "STATE"], ["日本", "held"], ["a", "sent"]]
        #expect(Console.table(rows) == "NAME  STATE\n日本  held\na     sent")
        #expect(Console.table([["a\u{1B}[2J", "b\nc"]]) == "a\\u{1B}[2J  b\\nc")
        #expect(Console.table([["a", ""], ["", "b"]]) == "a\n   b")
        #expect(Console.table([]) == "")
    }

    @Test("JSON that is printed controls no terminal, and is the same value")
    func json() throws {
        #expect(try JSONText.text(["b": "\u{9B}2J/", "a": "é"]) == #"{"a":"é","b":"\u009b2J/"}"#)
    }
}
