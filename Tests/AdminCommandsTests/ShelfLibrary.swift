import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import Synchronization

@testable import AdminCommands

/// A library in memory that takes in whatever comes.
final class ShelfLibrary: Transport {
    private struct State {
        var assets: [AssetID: Asset] = [:]
        var receipts: [AssetID: SignedReceipt] = [:]
        var albums: [AlbumID: Album] = [:]
        var members: [AlbumID: Set<AssetID>] = [:]
        var appendCount = 0
    }

    private let state = Mutex(State())
    /// Where it says that uploads stand before anything is sent.
    private let offset: Int64
    /// The offsets that it answers appends with, in turn, again and again; empty for the right ones.
    private let positions: [Int64]

    init(offset: Int64 = 0, positions: [Int64] = []) {
        self.offset = offset
        self.positions = positions
    }

    var appendCount: Int { state.withLock { $0.appendCount } }

    var assets: [Asset] { state.withLock { Array($0.assets.values) } }

    /// The assets of the albums, by the albums' titles.
    var albums: [String: Set<AssetID>] {
        state.withLock { state in
            let pairs = state.albums.map { ($0.value.title, state.members[$0.key] ?? []) }
            return Dictionary(pairs) { $0.union($1) }
        }
    }

    /// Gives every asset stars.
    func rate(_ rating: Rating) {
        state.withLock { state in
            for id in Array(state.assets.keys) { state.assets[id]?.rating = rating }
        }
    }

    /// Forgets every asset for good; receipts stay.
    func purge() { state.withLock { $0.assets = [:] } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        do {
            return try answer(to: request)
        } catch {
            throw TransportError(.localFailure, "\(error)")
        }
    }

    private func answer(to request: TransportRequest) throws -> TransportResponse {
        let path = request.target.split(separator: "/").dropFirst().map(String.init)
        if path.first == "albums" { return try answer(toAlbums: request, path) }
        let id = path.count > 1 ? AssetID(path[1]) : nil
        switch (request.method, path.count) {
        case ("PATCH", 2) where path[0] == "assets":
            guard let id, case .bytes(let bytes) = request.body else { return try Self.refusal() }
            let edit = try JSONDecoder().decode(AssetEdit.self, from: Data(bytes))
            return try state.withLock { state in
                state.assets[id]?.captureDateOverride = edit.captureDateOverride
                return try state.assets[id].map { try Self.json($0) } ?? Self.refusal()
            }
        case ("PATCH", 2):
            let count = state.withLock { state in
                state.appendCount += 1
                return state.appendCount - 1
            }
            let position = positions.isEmpty ? request.body.byteCount : positions[count % positions.count]
            let headers = UploadHeaders(offset: position, isComplete: positions.isEmpty)
            return TransportResponse(status: 204, fields: headers.fields)
        case ("POST", 1):
            guard case .bytes(let bytes) = request.body else { return try Self.refusal() }
            return try create(JSONDecoder().decode(AssetManifest.self, from: Data(bytes)))
        case ("POST", 3):
            guard let receipt = receipt(id) else { return try Self.refusal() }
            return try Self.json(CommitResponse(receipt: receipt))
        case ("GET", 2) where path[0] == "receipts":
            guard let receipt = receipt(id) else { return try Self.refusal() }
            return try Self.json(receipt)
        default:
            guard let id, let asset = state.withLock({ $0.assets[id] }) else { return try Self.refusal() }
            return try Self.json(asset)
        }
    }

    private func answer(toAlbums request: TransportRequest, _ path: [String]) throws -> TransportResponse {
        guard case .bytes(let bytes) = request.body else {
            let entries = state.withLock { $0.albums.values.map { AlbumPage.Entry(album: $0, assetCount: 0) } }
            return try Self.json(AlbumPage(albums: entries))
        }
        guard path.count > 1, let id = AlbumID(path[1]) else {
            let edit = try JSONDecoder().decode(AlbumEdit.self, from: Data(bytes))
            let title = edit.title ?? ""
            if let problem = edit.problem { return try Self.refusal(problem) }
            let album = state.withLock { state in
                let album = Album(id: AlbumID(rawValue: UInt128(state.albums.count + 1)), title: title)
                state.albums[album.id] = album
                return album
            }
            return try Self.json(album)
        }
        let added = try JSONDecoder().decode(AlbumAddition.self, from: Data(bytes)).assets
        return try state.withLock { state in
            guard added.allSatisfy({ state.assets[$0] != nil }) else { return try Self.refusal() }
            state.members[id, default: []].formUnion(added)
            return TransportResponse(status: 204)
        }
    }

    private func create(_ manifest: AssetManifest) throws -> TransportResponse {
        if let receipt = receipt(manifest.id) {
            return try Self.json(AssetCreationResponse(assetID: manifest.id, uploads: [], receipt: receipt))
        }
        let uploads = manifest.resources.map { resource in
            UploadStatus(
                id: UploadID(rawValue: resource.id.rawValue),
                resourceID: resource.id,
                offset: offset,
                length: resource.byteCount,
                isComplete: false,
                expires: Samples.now
            )
        }
        let receipt = Receipt(
            libraryID: LibraryID(rawValue: 1),
            libraryEpoch: LibraryEpoch(rawValue: 2),
            deviceID: nil,
            assetID: manifest.id,
            changeNumber: ChangeNumber(rawValue: 4),
            time: Samples.now,
            resources: manifest.resources.map { Receipt.Resource($0) }
        )
        state.withLock { state in
            state.assets[manifest.id] = manifest.asset
            state.receipts[manifest.id] = SignedReceipt(receipt: receipt, keyID: "", signature: [])
        }
        return try Self.json(AssetCreationResponse(assetID: manifest.id, uploads: uploads))
    }

    private func receipt(_ id: AssetID?) -> SignedReceipt? {
        id.flatMap { id in state.withLock { $0.receipts[id] } }
    }

    private static func json(_ value: some Encodable) throws -> TransportResponse {
        TransportResponse(status: 200, body: Array(try JSONEncoder().encode(value)))
    }

    private static func refusal(
        _ problem: ProblemDetails = ProblemDetails(.notFound, "There is no such asset.")
    ) throws -> TransportResponse {
        var answer = try json(problem)
        answer.status = problem.status
        answer.fields = [("Content-Type", ProblemDetails.contentType)]
        return answer
    }
}
