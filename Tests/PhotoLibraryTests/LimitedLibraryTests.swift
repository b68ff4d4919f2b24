import Authorization
import Foundation
import LibraryAPI
import LibraryClient
import PhotoLibrary
import PhotoModel
import Synchronization
import Testing

struct LimitedLibraryTests {
    private static let question = ExpansionID(rawValue: 77)

    /// An administrator who answers at the third look, or never.
    private static func bench(answers: Bool) throws -> LibraryBench {
        let looks = Mutex(0)
        let bench = try LibraryBench { (request: TransportRequest) throws(TransportError) -> TransportResponse in
            let count = looks.withLock(\.self)
            let isAnswered = answers && count >= 3
            switch (request.method, request.target) {
            case ("POST", "/v1/selection/expansions"):
                return .json(
                    #"""
                    {"id":"\#(question)","reason":"The hall","openedAt":"2026-01-01T00:00:00Z",
                    "expiresAt":"2026-01-08T00:00:00Z"}
                    """#,
                    status: 202
                )
            case ("GET", "/v1/selection"):
                let assets = (isAnswered ? [1, 2, 3] : [1] as [UInt128]).map { #""\#(AssetID(rawValue: $0))""# }
                let albums = isAnswered ? [#""\#(AlbumID(rawValue: 9))""#] : []
                let rules = isAnswered ? [#""favorites""#] : []
                return .json(
                    #"""
                    {"assets":[\#(assets.joined(separator: ","))],"rules":[\#(rules.joined(separator: ","))],
                    "grantedAlbums":[\#(albums.joined(separator: ","))]}
                    """#
                )
            default:
                looks.withLock { $0 += 1 }
                let open = answers && count + 1 >= 3 ? "" : #","expansion":"\#(question)""#
                return .json(
                    #"""
                    {"addOnly":"authorized","readWrite":"limited","legacy":"authorized","pending":[],"grantVersion":2,
                    "next":"","selection":{"count":1,"rules":0\#(open)}}
                    """#
                )
            }
        }
        try bench.grant(addOnly: .authorized, readWrite: .limited)
        return bench
    }

    @Test("004.70, 004.92: a question for more tells what an administrator added, once it was answered")
    func answered() async throws {
        let bench = try Self.bench(answers: true)
        let answer = try await bench.library.presentLimitedLibraryPicker(
            reason: "The hall",
            patience: .seconds(60),
            clock: SteppingClock()
        )
        #expect(answer.id == Self.question.description && !answer.isOpen)
        #expect(answer.addedAssets == [AssetID(rawValue: 2), AssetID(rawValue: 3)])
        #expect(answer.addedRules == [.kind(.favorites)] && answer.addedAlbums == [AlbumID(rawValue: 9)])
    }

    @Test("004.92: without patience, and when it is over, the question stays open; who is not limited asks nothing")
    func unanswered() async throws {
        let bench = try Self.bench(answers: false)
        let asked = try await bench.library.presentLimitedLibraryPicker(reason: "The hall")
        #expect(asked.isOpen && asked.addedAssets.isEmpty)
        #expect(bench.transport.requests == ["GET /v1/selection", "POST /v1/selection/expansions"])
        let waited = try await bench.library.presentLimitedLibraryPicker(
            reason: "The hall",
            patience: .seconds(6),
            clock: SteppingClock()
        )
        #expect(waited.isOpen && waited.addedAssets.isEmpty && waited.addedRules.isEmpty)
        try bench.grant(addOnly: .authorized, readWrite: .authorized)
        let count = bench.transport.requests.count
        let error = await #expect(throws: PhotoLibraryError.self) {
            try await bench.library.presentLimitedLibraryPicker(reason: "The hall")
        }
        #expect(error?.code == .invalid && bench.transport.requests.count == count)
    }
}
