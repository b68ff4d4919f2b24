import AgentService
import Foundation
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

    @Test("T105: a reason that the library gave for an album is quoted in a status without controlling a terminal")
    func foreignReasons() throws {
        let text = #"{"queue":{},"waitingBytes":0,"holds":{},"freeBytes":0,"deferredAlbums":{"x\u001b[2J\u000a":1}}"#
        let status = try JSONDecoder().decode(StatusDocument.self, from: Data(text.utf8))
        #expect(status.explanations.count == 1)
        #expect(status.explanations[0].contains(#"(x\u{1B}[2J\n)"#))
    }

    @Test("T105: a picker's link and code, and errors that quote a library, write no line and control no terminal")
    func foreignTexts() {
        #expect(
            Console.lines("error: a\u{1B}]0;x\u{7}\u{9B}2J\n  b\r\u{202E}c") == #"""
                error: a\u{1B}]0;x\u{7}\u{9B}2J
                  b\r\u{202E}c
                """#
        )
        let lines = PickCommand.invitation("https://box/pick#1\u{1B}[2K\nChoose here: x", "AB\u{1B}[8m-CD")
        #expect(
            lines == [
                #"Choose here: https://box/pick#1\u{1B}[2K\nChoose here: x"#,
                #"The page should show this code: AB\u{1B}[8m-CD"#,
            ]
        )
    }

    @Test("JSON that is printed controls no terminal, and is the same value")
    func json() throws {
        #expect(try JSONText.text(["b": "\u{9B}2J/", "a": "é"]) == #"{"a":"é","b":"\u009b2J/"}"#)
    }
}
