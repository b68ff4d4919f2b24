import Foundation
import LibraryAPI
import PhotoModel
import Testing

/// Parts of answers that an honest library never sends.
struct LibraryAnswerTests {
    private func decode<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test("T98: a reason for an album that an asset did not join is a name, not a text of any length")
    func longReasons() throws {
        let longest = String(repeating: "x", count: APILimits.holdReasonByteCount)
        let outcome: AlbumOutcome = try decode(#"{"deferred":"\#(longest)"}"#)
        #expect(outcome == .deferred(.init(rawValue: longest)))
        #expect(throws: DecodingError.self) { try decode(#"{"deferred":"\#(longest)x"}"#, as: AlbumOutcome.self) }
    }
}
