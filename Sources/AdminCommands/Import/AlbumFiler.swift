import LibraryAPI
import LibraryClient
import MediaFiles
import PhotoModel
import Terminal

/// Puts imported assets into the albums of their source, many at once.
///
/// An album is found by its title, and created if there is none. An asset already in an album keeps its place, so
/// that imports can be repeated.
struct AlbumFiler {
    private let client: LibraryClient
    private var albums: [String: AlbumID]?
    private var waiting: [String: [AssetID]] = [:]
    private var waitingCount = 0

    init(_ client: LibraryClient) { self.client = client }

    /// Records an asset's albums, and sends them once enough have accumulated; `remarks` receives the failures.
    mutating func file(
        _ asset: AssetID,
        in titles: [String],
        _ remarks: inout [FileUploader.Report.Remark]
    ) async throws {
        for title in titles {
            waiting[title, default: []].append(asset)
            waitingCount += 1
        }
        if waitingCount >= APILimits.albumAdditionCount { try await finish(&remarks) }
    }

    /// Sends what has accumulated.
    mutating func finish(_ remarks: inout [FileUploader.Report.Remark]) async throws {
        for (title, assets) in waiting.sorted(by: { $0.key < $1.key }) {
            let album = try await album(titled: title)
            for start in stride(from: 0, to: assets.count, by: APILimits.albumAdditionCount) {
                let part = Array(assets[start...].prefix(APILimits.albumAdditionCount))
                if try await add(part, to: album) { continue }
                // A purged or trashed asset does not block the others.
                for asset in part where try await !add([asset], to: album) {
                    let reason = "the library does not show it, so it is not added to the album “\(title)”"
                    remarks.append(.init(path: "\(asset)", reason: reason))
                }
            }
        }
        waiting = [:]
        waitingCount = 0
    }

    /// Adds assets to an album; false if the library no longer has such an asset or album.
    private func add(_ assets: [AssetID], to album: AlbumID) async throws -> Bool {
        do {
            try await client.perform(.addToAlbum, [album], body: AlbumAddition(assets: assets))
            return true
        } catch let error where error.problem?.status == 404 {
            return false
        }
    }

    private mutating func album(titled title: String) async throws -> AlbumID {
        var known: [String: AlbumID]
        if let albums {
            known = albums
        } else {
            let entries = try await client.albums().map { ($0.album.title, $0.album.id) }
            known = Dictionary(entries) { first, _ in first }
        }
        if known[title] == nil {
            let made: Album = try await client.call(.createAlbum, body: AlbumEdit(title: title))
            known[title] = made.id
        }
        albums = known
        guard let album = known[title] else {
            throw AdminError("The album “\(title)” could not be created.", next: "tintypectl album list")
        }
        return album
    }
}
