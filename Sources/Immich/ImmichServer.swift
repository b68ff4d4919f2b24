import FoundationEssentials
import LibraryAPI
package import LibraryClient
import Persistence
import PhotoModel
import Synchronization

/// The part of Immich's HTTP API that an import needs; all calls only read.
///
///     GET  /api/albums                     the key owner's albums; since Immich 3 also those shared with them
///     GET  /api/albums?shared=true         shared albums
///     GET  /api/albums/{id}                an album with its assets; since Immich 3 without them
///     POST /api/search/metadata            assets by page, of one album or of all
///     GET  /api/assets/{id}                one asset
///     GET  /api/assets/{id}/original       its bytes
package struct ImmichServer {
    struct Album: Decodable {
        let id: String
        let albumName: String
        let description: String?
        fileprivate let assetCount: Int?
        fileprivate let assets: [Member]?
    }

    fileprivate struct Member: Decodable {
        let id: String
    }

    private struct Page: Decodable {
        struct Assets: Decodable {
            let items: [ImmichAsset]
            /// A number; some versions write it as a string.
            let nextPage: Number?
        }

        struct Number: Decodable {
            let value: Int?

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                let number = try? container.decode(Int.self)
                value = try number ?? Int(container.decode(String.self))
            }
        }

        let assets: Assets
    }

    private struct Search: Encodable {
        var page = 1
        let size = 500
        let withExif = true
        let withPeople = true
        let order = "asc"
        var albumIds: [String]?
        /// Which assets to find; nil finds those of the timeline, and since Immich 3 all but the locked ones.
        var visibility: String?
        /// For Immich up to 1.132, which ignores `visibility`: also archived assets, but not the movies of Live Photos.
        let withArchived = true
        let isVisible = true
    }

    /// The most bytes a list may have.
    private static let listByteLimit = 64 << 20
    /// The last page that is requested.
    private static let maximumPage = 100_000
    /// How often room is made, in bytes.
    private static let roomStep: Int64 = 16 << 20
    private static let timeout = Duration.seconds(120)

    private let transport: any Transport
    private let key: String

    /// A server, read with an API key of the person whose photos are imported.
    ///
    /// - Throws: `noKey` if the key is malformed.
    package init(_ transport: any Transport, key: String) throws(ImmichError) {
        self.transport = transport
        self.key = String(key.filter { !$0.isWhitespace })
        guard 1...1024 ~= self.key.utf8.count, self.key.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw ImmichError(
                code: .noKey,
                message: "An API key of Immich is required.",
                next: "create one in Immich (Account Settings, API Keys), and pass its file with --key-file"
            )
        }
    }

    /// Every album that the person can see, without its assets.
    func albums() async throws -> [Album] {
        var albums: [Album] = try await get("/api/albums")
        albums += try await get("/api/albums?shared=true") as [Album]
        var seen: Set<String> = []
        return albums.filter { seen.insert($0.id).inserted }
    }

    /// The identifiers of an album's assets.
    func members(of album: Album) async throws -> [String] {
        let whole: Album = try await get("/api/albums/\(PercentEncoding.encode(album.id))?withoutAssets=false")
        // Versions whose search ignores albums would find the whole library in an empty one.
        if whole.assetCount == 0 { return [] }
        if let assets = whole.assets, !assets.isEmpty { return assets.map(\.id) }
        var members: [String] = []
        try await assets(in: album.id) { members += $0.map(\.id) }
        return members
    }

    /// Calls back with every asset, or those in an album, archived ones included, page after page.
    func assets(in album: String? = nil, _ body: ([ImmichAsset]) async throws -> Void) async throws {
        // Depending on its version, Immich lists archived assets in either search, or in both.
        var seen: Set<String> = []
        for visibility in [nil, "archive"] {
            var search = Search(albumIds: album.map { [$0] }, visibility: visibility)
            while search.page <= Self.maximumPage {
                let page = try await page(search)
                try await body(page.items.filter { seen.insert($0.id).inserted })
                guard !page.items.isEmpty, let next = page.nextPage?.value, next > search.page else { break }
                search.page = next
            }
        }
    }

    private func page(_ search: Search) async throws -> Page.Assets {
        var request = TransportRequest("POST", "/api/search/metadata", answerByteLimit: Self.listByteLimit)
        request.fields = [("Content-Type", "application/json")]
        request.body = .bytes(Array(try JSONEncoder().encode(search)))
        return try decode(try await send(request), as: Page.self).assets
    }

    /// One asset; throws `notFound` if it does not exist.
    func asset(_ id: String) async throws -> ImmichAsset { try await get("/api/assets/\(PercentEncoding.encode(id))") }

    /// Writes the bytes of an asset into a new file, and no more than Immich says it has, making room before each
    /// further 16 MiB.
    ///
    /// - Throws: `damaged` if their number or Immich's checksum does not match; no response, or a refusal; what
    ///   `makeRoom` throws.
    func download(
        _ asset: ImmichAsset,
        to path: Path,
        in fileSystem: any FileSystem,
        makeRoom: @escaping @Sendable (Int64) throws -> Void
    ) async throws {
        let file = try fileSystem.open(path, .create)
        let limit = asset.byteCountLimit
        let rest = Mutex(limit)
        // The transport replaces what its sink throws.
        let obstacle = Mutex<(any Error)?>(nil)
        var request = TransportRequest("GET", "/api/assets/\(PercentEncoding.encode(asset.id))/original")
        request.timeout = nil
        request.sink = { bytes in
            try rest.withLock { rest in
                let offset = limit - rest
                rest -= Int64(bytes.count)
                guard rest >= 0 else { throw Self.otherBytes(asset) }
                if (limit - rest) / Self.roomStep > offset / Self.roomStep {
                    do {
                        try makeRoom(max(Int64(bytes.count), Self.roomStep))
                    } catch {
                        obstacle.withLock { $0 = error }
                        throw error
                    }
                }
                try file.write(bytes[...], at: offset)
            }
        }
        do {
            _ = try await send(request)
        } catch {
            if let obstacle = obstacle.withLock(\.self) { throw obstacle }
            throw rest.withLock { $0 < 0 } ? Self.otherBytes(asset) : error
        }
        try file.close()
        guard let checksum = asset.checksum.flatMap({ Data(base64Encoded: $0) }), !checksum.isEmpty else { return }
        guard try ContentHasher.sha1(path, in: fileSystem) == Array(checksum) else { throw Self.otherBytes(asset) }
    }

    private static func otherBytes(_ asset: ImmichAsset) -> PersistenceError {
        PersistenceError(.damaged, "fetch", asset.originalFileName ?? asset.id, "Immich sent other bytes than it has")
    }

    private func get<Answer: Decodable>(_ target: String) async throws -> Answer {
        var request = TransportRequest("GET", target, answerByteLimit: Self.listByteLimit)
        request.timeout = Self.timeout
        return try decode(try await send(request), as: Answer.self)
    }

    private func decode<Answer: Decodable>(_ answer: TransportResponse, as type: Answer.Type) throws -> Answer {
        do {
            return try JSONDecoder().decode(type, from: Data(answer.body))
        } catch {
            throw ImmichError(
                code: .notUnderstood,
                message: "Immich's answer was not understood: \(error)",
                next: "check the address: it must be Immich's, without a path"
            )
        }
    }

    private func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.fields += [("x-api-key", key), ("Accept", request.sink == nil ? "application/json" : "*/*")]
        let answer: TransportResponse
        do throws(TransportError) {
            answer = try await transport.send(request)
        } catch {
            throw ImmichError(
                code: .unreachable,
                message: "Immich cannot be reached: \(error.message)",
                next: "check the address, and run the same command again: it resumes"
            )
        }
        switch answer.status {
        case 200..<300: return answer
        case 401, 403:
            throw ImmichError(
                code: .notAllowed,
                message: "Immich rejected the key for \(request.target).",
                next: "create a key in Immich with the permissions album.read, asset.read and asset.download"
            )
        case 404, 400: throw PersistenceError(.notFound, "fetch", request.target, "Immich has no such asset")
        default:
            throw ImmichError(
                code: .unreachable,
                message: "Immich answered \(request.target) with status \(answer.status).",
                next: "run the same command again later: it resumes"
            )
        }
    }
}
