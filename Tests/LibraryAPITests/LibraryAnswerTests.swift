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

    @Test("T99: a change that describes an asset or album as another one is refused")
    func otherEntities() throws {
        let time = CaptureTime(wall: WallTime(microsecondsSince1970: 0), source: .deviceClock, isSynchronized: true)
        let asset = Asset(id: AssetID(rawValue: 1), mediaType: .image, captureTime: time)
        let other = AssetID(rawValue: 2)
        for entity in [
            EntityReference.asset(other), .album(AlbumID(rawValue: 1)),
            .membership(album: AlbumID(rawValue: 1), asset: asset.id),
        ] {
            let bytes = try JSONEncoder().encode(EntityChange(.inserted, entity, asset: asset))
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(EntityChange.self, from: bytes) }
        }
        let own = EntityChange(.inserted, .asset(asset.id), asset: asset)
        #expect(try JSONDecoder().decode(EntityChange.self, from: JSONEncoder().encode(own)) == own)
    }
}
