import Foundation
import LibraryAPI
import TestSupport
import Testing

@testable import LibraryServer

struct StrictJSONTests {
    @Test(
        "JSON is taken",
        arguments: [
            "{}", "[]", " 1 ", "-0.5e+3", "0", "\"\\u00e9\\ud83d\\ude00\"", "{\"a\":[1,{\"b\":null}],\"c\":true}",
            "[\n\t1 , 2 ]", "{\"\":{\"\":0}}", "10", "-0",
        ]
    )
    func good(text: String) throws {
        try StrictJSON.check(Array(text.utf8))
    }

    @Test(
        "T41: what is no JSON, or could be read in two ways, is refused",
        arguments: [
            "", "{", "}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "01", "-", "1.", "1e", "+1", "nul", "[1,]",
            "{\"a\" 1}", "{a:1}", "\"\u{01}\"", "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "1 2", "[1 2]", "'a'",
            "\"abc", "NaN", "-00", String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
            String(repeating: "9", count: 33), String(repeating: "[", count: 100_000), "\"\\u12\"", "\"a\\u0000b\"",
        ]
    )
    func bad(text: String) {
        #expect(throws: ProblemDetails.self) { try StrictJSON.check(Array(text.utf8)) }
    }

    @Test("T41: bytes that are no UTF-8 are refused", arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22]])
    func noUTF8(bytes: [UInt8]) {
        #expect(throws: ProblemDetails.self) { try StrictJSON.check(bytes) }
    }

    @Test(
        "A number that its field cannot hold is refused in words for it",
        arguments: ["9223372036854775808", "-9223372036854775809", "1e30"]
    )
    func numberOutOfRange(number: String) throws {
        let bytes = Array("{\"count\":\(number)}".utf8)
        let problem = try #require(throws: ProblemDetails.self) { try Call.decode(bytes, as: [String: Int64].self) }
        #expect(problem.detail.hasSuffix("a number that is out of range."), "\(problem.detail)")
    }

    @Test("A field of another type is named, in one sentence")
    func otherType() throws {
        let bytes = Array("{\"count\":\"1\"}".utf8)
        let problem = try #require(throws: ProblemDetails.self) { try Call.decode(bytes, as: [String: Int64].self) }
        #expect(problem.field == "count")
        #expect(problem.detail.hasPrefix("The body's field count is wrong: ") && !problem.detail.hasSuffix(".."))
    }

    @Test("Whatever passes is read by Foundation, and noise never traps")
    func agreesWithFoundation() {
        let alphabet = Array("{}[]\",:\\u0019e.-+ntrue \n".utf8)
        checkProperty("checked JSON is JSON", cases: 3000, maximumSize: 12) { generator, size in
            let bytes = (0..<size).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            guard (try? StrictJSON.check(bytes)) != nil else { return nil }
            let parsed = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            return parsed == nil ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }
}
