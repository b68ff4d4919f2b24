import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// Changing assets and albums.
struct EditingRoutes {
    let store: LibraryStore
    let notifier: ChangeNotifier

    func register(in registry: inout RouteRegistry) throws {
        try registerAssets(in: &registry)
        try registerAlbums(in: &registry)
    }

    /// Serves a change, and wakes those who wait for one.
    private func on(
        _ route: Endpoint,
        in registry: inout RouteRegistry,
        change: @escaping RouteRegistry.Handler
    ) throws {
        try registry.on(route) { [notifier] call, admitted in
            let answer = try await change(call, admitted)
            notifier.notify()
            return answer
        }
    }

    private func registerAssets(in registry: inout RouteRegistry) throws {
        let metadata = store.metadata
        try on(.editAsset, in: &registry) { call, admitted in
            let edit: AssetEdit = try await call.json()
            if let problem = edit.problem { throw problem }
            return try .json(
                await metadata.edit(call.parameter("id"), edit, in: admitted.view, by: admitted.storeCaller(for: call))
            )
        }
        try on(.editAssets, in: &registry) { call, admitted in
            let bulk: BulkEdit = try await call.json()
            if let problem = bulk.problem { throw problem }
            try call.count(changes: bulk.assets.count)
            let results = try await metadata.edit(bulk, in: admitted.view, by: admitted.storeCaller(for: call))
            return try .json(
                BulkEditResponse(
                    outcomes: zip(bulk.assets, results).map { id, result in
                        switch result {
                        case .success(let asset): .init(id: id, asset: asset)
                        case .failure(let error): .init(id: id, problem: ProblemDetails(answering: error))
                        }
                    }
                )
            )
        }
        try on(.trashAsset, in: &registry) { call, admitted in
            _ = try await metadata.trash(call.parameter("id"), in: admitted.view, by: admitted.storeCaller(for: call))
            return .noContent
        }
        try registry.on(.addAdjustment) { [store, notifier] call, admitted in
            let answer = try await store.adjust(
                call.parameter("id"),
                in: admitted.view,
                by: admitted.storeCaller(for: call),
                call.json(limit: APILimits.manifestByteCount)
            )
            if answer.asset != nil { notifier.notify() }
            return try .json(answer)
        }
        try on(.removeAdjustment, in: &registry) { [store] call, admitted in
            try .json(await store.revert(call.parameter("id"), in: admitted.view, by: admitted.storeCaller(for: call)))
        }
        try on(.purgeAsset, in: &registry) { [store] call, admitted in
            try await store.purge(call.parameter("id"), by: admitted.storeCaller(for: call))
            return .noContent
        }
    }

    private func registerAlbums(in registry: inout RouteRegistry) throws {
        let metadata = store.metadata
        try on(.createAlbum, in: &registry) { call, admitted in
            let album = try await metadata.createAlbum(call.json(), by: admitted.storeCaller(for: call))
            return try .json(album, status: .created)
        }
        try on(.editAlbum, in: &registry) { call, admitted in
            try .json(await metadata.editAlbum(call.parameter("id"), call.json(), by: admitted.storeCaller(for: call)))
        }
        try on(.deleteAlbum, in: &registry) { call, admitted in
            try await metadata.deleteAlbum(call.parameter("id"), by: admitted.storeCaller(for: call))
            return .noContent
        }
        try registry.on(.addToAlbum) { [metadata, notifier] call, admitted in
            let album = try admitted.album(call.parameter("id"))
            let addition: AlbumAddition = try await call.json()
            guard addition.assets.count <= APILimits.albumAdditionCount else {
                throw ProblemDetails(.tooLarge, "Add at most \(APILimits.albumAdditionCount) assets at once.")
            }
            try call.count(changes: addition.assets.count)
            // Additions of earlier transactions stay, even if a later one fails.
            defer { notifier.notify() }
            try await metadata.add(addition.assets, to: album, in: admitted.view, by: admitted.storeCaller(for: call))
            return .noContent
        }
        try on(.moveInAlbum, in: &registry) { call, admitted in
            let album = try admitted.album(call.parameter("id"))
            let move: AlbumMove = try await call.json()
            guard 1...APILimits.albumAdditionCount ~= move.assets.count else {
                throw ProblemDetails(.tooLarge, "Move 1 to \(APILimits.albumAdditionCount) assets at once.")
            }
            try call.count(changes: move.assets.count)
            try await metadata.move(
                inAlbum: album,
                behind: move.behind,
                move.assets,
                in: admitted.view,
                by: admitted.storeCaller(for: call)
            )
            return .noContent
        }
        try on(.removeFromAlbum, in: &registry) { call, admitted in
            try await metadata.remove(
                call.parameter("asset"),
                from: admitted.album(call.parameter("id")),
                in: admitted.view,
                by: admitted.storeCaller(for: call)
            )
            return .noContent
        }
    }
}

extension AuthorizedCall {
    /// An album that the caller may access.
    ///
    /// - Throws: `object.not_found` for an album not granted, as for one that does not exist.
    func album(_ id: AlbumID) throws -> AlbumID {
        if scope == .grantedAlbums, record?.selection.grantedAlbums.contains(id) != true {
            throw ProblemDetails.notFound
        }
        return id
    }
}
