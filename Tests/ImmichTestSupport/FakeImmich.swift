import Crypto
import Foundation
package import LibraryClient
import PhotoModel
import Synchronization

/// A small Immich: albums, a search by page, assets and their bytes, for whoever shows the key.
package final class FakeImmich: Transport {
    /// Immich's versions by what they list.
    package enum Version: CaseIterable, Sendable {
        /// Up to 1.132: archived assets only where asked for, movies of Live Photos unless told not to, and the library
        /// where an album is searched.
        case one
        /// Up to 2: the timeline, unless another visibility is asked for.
        case two
        /// From 3 on: whatever is not locked; albums come without their assets.
        case three
    }

    /// An asset with its bytes.
    package struct Asset: Sendable {
        let id: String
        let fields: String
        let bytes: [UInt8]
        let checksum: String

        /// An asset; the checksum is that of the bytes unless another one is named.
        package init(id: String, fields: String, bytes: [UInt8], checksum: String? = nil) {
            self.id = id
            self.fields = fields
            self.bytes = bytes
            self.checksum = checksum ?? Data(Insecure.SHA1.hash(data: bytes)).base64EncodedString()
        }
    }

    private struct State {
        var assets: [Asset] = []
        var albums: [(id: String, title: String, members: [String], isOthers: Bool)] = []
        var downloads: [String] = []
        var failingDownload: String?
    }

    /// The key that it accepts.
    package static let key = "a-key-of-immich"
    /// Assets on a page.
    private static let pageCount = 2

    private let state = Mutex(State())
    private let version: Version

    /// An empty one.
    package init(_ version: Version = .three) { self.version = version }

    /// What was downloaded, in order.
    package var downloads: [String] { state.withLock { $0.downloads } }

    /// Adds an asset.
    package func add(_ asset: Asset) { state.withLock { $0.assets.append(asset) } }

    /// Adds an album of assets, perhaps one that another person shares.
    package func addAlbum(_ title: String, _ members: [String], isOthers: Bool = false) {
        state.withLock { $0.albums.append(("album-\($0.albums.count)", title, members, isOthers)) }
    }

    /// Breaks the connection at one asset's download; nil lets all go through.
    package func breakDownload(of id: String?) { state.withLock { $0.failingDownload = id } }

    /// Answers a request.
    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.fields.contains(where: { $0 == ("x-api-key", Self.key) }) else {
            return TransportResponse(status: 401)
        }
        let path = request.target.prefix { $0 != "?" }.split(separator: "/").map { $0.removingPercentEncoding ?? "" }
        switch (request.method, path.count) {
        case ("GET", 2) where path[1] == "albums":
            return json(albums(isShared: request.target.hasSuffix("?shared=true")))
        case ("GET", 3) where path[1] == "albums": return json(album(path[2]))
        case ("POST", 3) where path[1] == "search": return json(search(request))
        case ("GET", 3): return asset(path[2]).map { json($0.json(version)) } ?? TransportResponse(status: 404)
        case ("GET", 4): return try download(path[2], request)
        default: return TransportResponse(status: 404)
        }
    }

    private func albums(isShared: Bool) -> String {
        state.withLock { state in
            let shown = state.albums.filter { version == .three || $0.isOthers == isShared }
            let albums = shown.map { #"{"id": "\#($0.id)", "albumName": "\#($0.title)", "description": ""}"# }
            return "[\(albums.joined(separator: ","))]"
        }
    }

    private func album(_ id: String) -> String {
        state.withLock { state in
            let album = state.albums.first { $0.id == id }
            let members = (album?.members ?? []).map { #"{"id": "\#($0)"}"# }
            let assets = version == .three ? "" : #", "assets": [\#(members.joined(separator: ","))]"#
            let count = #""assetCount": \#(members.count)"#
            return #"{"id": "\#(id)", "albumName": "\#(album?.title ?? "")", \#(count)\#(assets)}"#
        }
    }

    private func search(_ request: TransportRequest) -> String {
        struct Search: Decodable {
            let page: Int
            let albumIds: [String]?
            let visibility: String?
            let withArchived, isVisible: Bool?
        }
        guard case .bytes(let bytes) = request.body,
            let search = try? JSONDecoder().decode(Search.self, from: Data(bytes))
        else { return "{}" }
        return state.withLock { state in
            let members =
                version == .one
                ? nil
                : search.albumIds.map { ids in
                    state.albums.filter { ids.contains($0.id) }.flatMap(\.members)
                }
            let found = state.assets.filter { asset in
                guard members?.contains(asset.id) ?? true else { return false }
                return switch version {
                case .one:
                    (search.withArchived == true || asset.visibility != "archive")
                        && (search.isVisible != true || asset.visibility != "hidden")
                case .two: asset.visibility == search.visibility ?? "timeline"
                case .three: asset.visibility == search.visibility ?? asset.visibility
                }
            }
            let start = (search.page - 1) * Self.pageCount
            let page = found.dropFirst(start).prefix(Self.pageCount).map { $0.json(version) }.joined(separator: ",")
            let next = start + Self.pageCount < found.count ? "\"\(search.page + 1)\"" : "null"
            return #"{"albums": {}, "assets": {"items": [\#(page)], "nextPage": \#(next)}}"#
        }
    }

    private func asset(_ id: String) -> Asset? { state.withLock { $0.assets.first { $0.id == id } } }

    private func download(_ id: String, _ request: TransportRequest) throws(TransportError) -> TransportResponse {
        guard let asset = asset(id), let sink = request.sink else { return TransportResponse(status: 404) }
        let isFailing = state.withLock { state in
            state.downloads.append(id)
            return state.failingDownload == id
        }
        if isFailing { throw TransportError(.interrupted, "the connection broke") }
        do {
            let step = max(10, asset.bytes.count / 16)
            for start in stride(from: 0, to: asset.bytes.count, by: step) {
                try sink(Array(asset.bytes[start...].prefix(step)))
            }
        } catch {
            throw TransportError(.localFailure, "\(error)")
        }
        return TransportResponse(status: 200)
    }

    private func json(_ text: String) -> TransportResponse {
        TransportResponse(status: 200, fields: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
}

extension FakeImmich.Asset {
    fileprivate var visibility: String {
        ["archive", "hidden"].first { fields.contains(#""visibility": "\#($0)""#) } ?? "timeline"
    }

    fileprivate func json(_ version: FakeImmich.Version) -> String {
        let named = #""visibility": "\#(visibility)""#
        let archived = #""isArchived": \#(visibility == "archive")"#
        let known = version == .one ? fields.replacing(named, with: archived) : fields
        return #"{"id": "\#(id)", "checksum": "\#(checksum)", \#(known)}"#
    }
}

extension FakeImmich {
    /// The bytes of the photo of ``sample(_:)`` that is a Live Photo.
    package static let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    private static let movie = Array("\0\0\0\u{14}ftypisom\0\0\0\0isom".utf8)

    /// An archived Live Photo (`a` with the movie `m`) in two albums, a photo (`b`) in one of them, one in the trash
    /// (`t`), an album of nothing, and another person's with the photo.
    package static func sample(_ version: Version = .three) -> FakeImmich {
        let immich = FakeImmich(version)
        func add(_ id: String, _ fields: String, _ bytes: [UInt8]) {
            immich.add(Asset(id: id, fields: fields, bytes: bytes))
        }
        add(
            "a",
            """
            "type": "IMAGE", "originalFileName": "IMG_1.jpg", "isFavorite": true, "isTrashed": false,
            "visibility": "archive", "livePhotoVideoId": "m",
            "exifInfo": {"description": "By the lake", "latitude": 48.5, "longitude": 9.25, "rating": 4,
                         "dateTimeOriginal": "2023-07-31T09:00:00+00:00"},
            "people": [{"name": "Ada", "isHidden": false}, {"name": ""}], "tags": [{"value": "Travel/Lakes"}]
            """,
            photo
        )
        add("m", #""type": "VIDEO", "originalFileName": "IMG_1.mp4", "visibility": "hidden""#, movie)
        add("b", #""type": "IMAGE", "originalFileName": "IMG_2.jpg", "exifInfo": null"#, photo + [2])
        add("t", #""type": "IMAGE", "originalFileName": "IMG_3.jpg", "isTrashed": true"#, photo + [3])
        immich.addAlbum("Lake", ["a", "b"])
        immich.addAlbum("Best", ["a"])
        immich.addAlbum("Empty", [])
        immich.addAlbum("Outing", ["b", "another person's"], isOthers: true)
        return immich
    }
}
