import Foundation
import LibraryAPI
import PhotoModel
import Testing

/// Numbers of the wire that nobody sends who keeps to the protocol.
struct WireNumberTests {
    private static let largest: Int64 = 64 << 30

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test(
        "an upload has from no bytes to those of the longest resource, whatever the library says",
        arguments: [(Int64.min, 0), (.max, largest), (-1, 0), (largest, largest), (largest + 1, largest), (7, 7)]
            as [(Int64, Int64)]
    )
    func uploads(number: Int64, counted: Int64) throws {
        let status = UploadStatus(
            id: UploadID(rawValue: 1),
            resourceID: ResourceID(rawValue: 2),
            offset: number,
            length: number,
            isComplete: false,
            expires: .earliest
        )
        let text = String(decoding: try JSONEncoder().encode(status), as: UTF8.self)
        let decoded = try decode(UploadStatus.self, text)
        #expect(decoded.offset == counted && decoded.length == counted)
        #expect(decoded.id == status.id && decoded.resourceID == status.resourceID && !decoded.isComplete)
    }

    @Test(
        "a problem makes nobody wait for more than 31 days, and no upload longer than a resource",
        arguments: [(Int.min, 0, 0), (.max, 2_678_400, Int(largest)), (-1, 0, 0), (17, 17, 17)] as [(Int, Int, Int)]
    )
    func problems(number: Int, seconds: Int, offset: Int) throws {
        let problem = try decode(
            ProblemDetails.self,
            #"{"retryAfterSeconds":\#(number),"expected-offset":\#(number),"provided-offset":\#(number)}"#
        )
        #expect(problem.retryAfterSeconds == seconds)
        #expect(problem.expectedOffset == Int64(offset) && problem.providedOffset == Int64(offset))
    }

    @Test(
        "a backup's counts are 0 to 2^53",
        arguments: [(Int64.min, 0), (.max, 1 << 53), (12, 12)] as [(Int64, Int64)]
    )
    func backups(number: Int64, counted: Int64) throws {
        let manifest = BackupManifest(
            libraryID: LibraryID(rawValue: 1),
            epoch: LibraryEpoch(rawValue: 2),
            lastChange: ChangeNumber(rawValue: 3),
            time: .earliest,
            databaseDigest: try #require(ContentDigest(bytes: [UInt8](repeating: 1, count: 32))),
            contents: Int(number),
            byteCount: number,
            missing: []
        )
        let text = String(decoding: try JSONEncoder().encode(manifest), as: UTF8.self)
        let decoded = try decode(BackupManifest.self, text)
        #expect(decoded.contents == Int(counted) && decoded.byteCount == counted)
        #expect(decoded.version == 1 && decoded.databaseDigest == manifest.databaseDigest)
    }
}
