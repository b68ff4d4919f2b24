import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// Reading: lists, assets, the bytes of resources.
struct ReadingRoutes {
    let store: LibraryStore
    let media: Derivatives

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.assets) { [metadata = store.metadata] call, admitted in
            let page = try await metadata.encodedPage(call.assetQuery(), in: admitted.view)
            return .list(encoded: page, for: call)
        }
        try registry.on(.asset) { [metadata = store.metadata] call, admitted in
            try .json(await metadata.asset(call.parameter("id"), in: admitted.view).orNotFound())
        }
        try registry.on(.resource) { [store, media] call, admitted in
            let asset = try await store.metadata.asset(call.parameter("id"), in: admitted.view).orNotFound()
            let query = try call.query(as: ResourceQuery.self)
            let parts = query.stripped?.parts ?? []
            let isMade = query.format != nil || !parts.isEmpty
            let place = isMade ? try call.takePlace(.file) : nil
            if let format = query.format {
                return try await media.converted(to: format, without: parts, of: asset, for: call).keeping(place)
            }
            let open = try await store.open(call.parameter("resource"), of: asset)
            return try await call.answer(ServedFile(open).without(parts).named(without: parts)).keeping(place)
        }
        try registry.on(.superseded) { [metadata = store.metadata] call, admitted in
            let edits = try await metadata.supersededEdits(of: call.parameter("id"), in: admitted.view).orNotFound()
            return try .json(SupersededEdits(superseded: edits))
        }
        try registerExports(in: &registry)
        try registerAlbums(in: &registry)
    }

    private func registerAlbums(in registry: inout RouteRegistry) throws {
        try registry.on(.albums) { [metadata = store.metadata] call, admitted in
            let query = try call.query(as: ListPageQuery.self)
            let cursor = query.cursor.map(ListCursor.init(text:))
            let limit = query.limit ?? APILimits.defaultPageAssetCount
            let page = try await metadata.albums(in: admitted.view, limit: limit, cursor: cursor)
            return try .list(page, for: call)
        }
        try registry.on(.albumAssets) { [metadata = store.metadata] call, admitted in
            let album = try admitted.album(call.parameter("id"))
            let query = try call.query(as: ListPageQuery.self)
            let cursor = query.cursor.map(ListCursor.init(text:))
            let limit = query.limit ?? APILimits.defaultPageAssetCount
            let page = try await metadata.page(ofAlbum: album, limit: limit, cursor: cursor, in: admitted.view)
            return try .list(page, for: call)
        }
    }

    private func registerExports(in registry: inout RouteRegistry) throws {
        try registry.on(.livePhoto) { [store] call, admitted in
            let (still, movie, asset) = try await store.openPair(call.parameter("id"), in: admitted.view)
            let parts = try call.query(as: ExportQuery.self).stripped?.parts ?? []
            return try await call.answer(
                .livePhotoArchive(
                    of: ServedFile(still).without(parts).named(without: parts),
                    ServedFile(movie).without(parts),
                    from: asset.civilCaptureTime
                )
            )
        }
        try registry.on(.motionPhoto) { [store] call, admitted in
            let (still, movie, _) = try await store.openPair(call.parameter("id"), in: admitted.view)
            let parts = try call.query(as: ExportQuery.self).stripped?.parts ?? []
            return try await call.answer(.motionPhoto(of: still, movie, without: parts))
        }
    }
}

extension Call {
    /// The query of a list of assets.
    ///
    /// - Throws: `request.malformed` naming the invalid item.
    func assetQuery() throws -> AssetQuery {
        try AssetQuery(items: query()) { text in try Self.decode(Array(text.utf8), as: AssetFilter.self) }
    }
}

extension LibraryStore {
    /// Opens the still and the movie of a Live Photo in the caller's view.
    ///
    /// - Throws: `object.not_found`, also for an asset that is not a Live Photo.
    fileprivate func openPair(_ id: AssetID, in view: LibraryView) async throws -> (OpenResource, OpenResource, Asset) {
        guard let asset = try await metadata.asset(id, in: view),
            let still = asset.resources.first(where: { $0.type == .photo }),
            let movie = asset.resources.first(where: { $0.type == .pairedVideo })
        else { throw ProblemDetails.notFound }
        return (try await open(still.id, of: asset), try await open(movie.id, of: asset), asset)
    }
}
