import AgentStore
import LibraryAPI
package import LibraryClient
package import Persistence
package import PhotoModel

extension PhotoLibrary {
    /// A size of thumbnails.
    package enum ThumbnailSize: String, CaseIterable, Sendable {
        /// For grids: the longer side has 256 pixels.
        case small
        /// For a screen: the longer side has 1,024 pixels.
        case large

        /// The longer side, in pixels.
        var side: Int {
            switch self {
            case .small: 256
            case .large: 1024
            }
        }
    }

    /// The file of a resource (PhotoKit's `PHAssetResourceManager.requestData`): from the queue, from the cache, or from the
    /// library; verified by its digest, and never changed by the reader.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - asset: its asset, which has to be in the view.
    ///   - progress: told how many bytes are here, on the transport's thread; cancelling the task ends the transfer.
    /// - Returns: a file that stays at least until more is loaded.
    /// - Throws: `notFound`, `notAuthorized`, `library`, `damaged`, `storage`, `CancellationError`.
    package func file(
        of resource: AssetResource,
        in asset: AssetID,
        progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> Path {
        let part = "\(resource.digest)"
        if let here = try await cached(part, of: asset, resource) {
            progress?(LoadingProgress(completedBytes: resource.byteCount, totalBytes: resource.byteCount))
            return here
        }
        let source = FileDownload.Source(
            endpoint: .resource,
            values: [asset.description, resource.id.description],
            digest: resource.digest,
            byteCount: resource.byteCount
        )
        return try await fetch(source, as: part, of: asset, progress)
    }

    /// A thumbnail's file: from the cache, or from the library.
    ///
    /// - Parameters:
    ///   - asset: an asset of the view.
    ///   - size: how large.
    /// - Returns: a picture that stays at least until more is loaded.
    /// - Throws: as ``file(of:in:progress:)`` does.
    package func thumbnail(of asset: AssetID, size: ThumbnailSize = .small) async throws -> Path {
        let part = "thumbnail-\(size.rawValue)"
        if let here = try await cached(part, of: asset, nil) { return here }
        let source = FileDownload.Source(
            endpoint: .thumbnail,
            values: [asset.description],
            query: [(name: "size", value: "\(size.side)")]
        )
        return try await fetch(source, as: part, of: asset, nil)
    }

    private func cached(_ part: String, of asset: AssetID, _ resource: AssetResource?) async throws -> Path? {
        try await local { store in
            if let resource, let entry = try store.entry(asset), entry.state != .freed,
                entry.manifest.resources.contains(where: { $0.digest == resource.digest })
            {
                return store.file(of: resource, in: asset)
            }
            return try store.cache.file(part, of: asset)
        }
    }

    private func fetch(
        _ source: FileDownload.Source,
        as part: String,
        of asset: AssetID,
        _ progress: (@Sendable (LoadingProgress) -> Void)?
    ) async throws -> Path {
        let folder = store.cache.folder
        let fetched = try await FileDownload(client: client, pool: pool).run(
            source,
            into: folder,
            named: SafeFileName(nil, identifier: asset, contentType: nil),
            progress: progress
        )
        return try await local { [cacheByteLimit] store in
            try store.cache.take(fetched, as: part, of: asset, limit: cacheByteLimit)
        }
    }
}
