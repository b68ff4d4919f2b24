import AgentStore
import Foundation
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import Replication

/// A photo library over a store of its own and a transport that a test answers.
final class LibraryBench {
    static let now = WallTime(microsecondsSince1970: 1_700_000_000_000_000)

    let folder: URL
    let store: AgentStore
    let transport: StubTransport
    let library: PhotoLibrary

    init(
        cacheByteLimit: Int64 = 1 << 30,
        limits: SpaceLimits = SpaceLimits(),
        _ answer: @escaping @Sendable (TransportRequest) throws(TransportError) -> TransportResponse = { _ in
            TransportResponse(status: 404)
        }
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tt-library-\(UUID().uuidString)")
        store = try AgentStore(root: Path(folder.path), now: Self.now)
        transport = StubTransport(answer)
        library = PhotoLibrary(
            client: LibraryClient(transport),
            store: store,
            pool: BlockingPool(width: 2),
            usage: UsageTexts(add: "Saves in tests", readWrite: "Edits in tests"),
            surroundings: .init(
                now: { Self.now },
                serverMilliseconds: { _ in 5000 },
                randomBits: { UInt64.random(in: 0 ... .max) }
            ),
            limits: limits,
            cacheByteLimit: cacheByteLimit
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A file beside the store.
    func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
        let file = folder.appending(path: name)
        try Data(bytes).write(to: file)
        return file
    }

    /// Grants what the library would have told.
    func grant(addOnly: AuthorizationResponse.Status, readWrite: AuthorizationResponse.Status) throws {
        let answer = AuthorizationResponse(
            addOnly: addOnly,
            readWrite: readWrite,
            legacy: readWrite,
            grantVersion: 1,
            next: ""
        )
        try store.setFact(.authorization, to: answer)
    }

    /// Puts an asset into the view, as a page of the feed does.
    func show(_ asset: Asset) throws {
        let change = EntityChange(.inserted, .asset(asset.id), asset: asset)
        let end = ChangeLine.PageEnd(token: ChangeToken(text: "t\(asset.id)"), hasMore: false)
        try store.apply(ChangeFeedPage(changes: [change], end: end))
    }

    static func asset(_ number: UInt128, resources: [AssetResource] = []) -> Asset {
        let time = CaptureTime(wall: now, source: .deviceClock, isSynchronized: true)
        return Asset(id: AssetID(rawValue: number), mediaType: .image, captureTime: time, resources: resources)
    }

    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + (0..<200).map { UInt8($0) }
    static let movie: [UInt8] = [0, 0, 0, 20] + Array("ftypqt  ".utf8) + [UInt8](repeating: 7, count: 100)
}
