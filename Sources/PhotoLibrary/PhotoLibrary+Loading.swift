import AgentStore
public import FoundationEssentials
import LibraryAPI
import Persistence
public import PhotoModel

extension PhotoLibrary {
    /// Far more than any thumbnail has, in bytes.
    private static let thumbnailByteLimit: Int64 = 16 << 20

    /// A size of thumbnails.
    public enum ThumbnailSize: String, CaseIterable, Sendable {
        /// For grids: at most 256 pixels on the longer side.
        case small
        /// For a screen: at most 1,024 pixels on the longer side.
        case large

        /// The longer side, in pixels.
        var side: Int {
            switch self {
            case .small: 256
            case .large: 1024
            }
        }
    }

    /// The file of a resource (PhotoKit's `PHAssetResourceManager.requestData`): from the queue, the cache, or the
    /// library; verified by its digest; do not modify it.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - asset: its asset, which must be in the view.
    ///   - progress: receives the number of bytes, on the transport's thread; cancelling the task ends the transfer.
    /// - Returns: a file that remains at least until more is loaded, or captures need its space.
    /// - Throws: `notFound`, `notAuthorized`, `library`, `damaged`, `storage`, `CancellationError`.
    public func file(
        of resource: AssetResource,
        in asset: Asset,
        progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> URL {
        let part = "\(resource.digest)"
        let asset = asset.id
        if let here = try await cached(asset, part, resource) {
            progress?(LoadingProgress(completedBytes: resource.byteCount, totalBytes: resource.byteCount))
            return URL(filePath: here.text)
        }
        let source = FileDownload.Source(
            endpoint: .resource,
            values: [asset.description, resource.id.description],
            digest: resource.digest,
            byteCount: resource.byteCount
        )
        return URL(filePath: try await fetch(asset, source, as: part, progress).text)
    }

    /// A thumbnail file, from the cache or the library.
    ///
    /// - Parameters:
    ///   - asset: an asset of the view.
    ///   - size: the size.
    /// - Returns: a picture that remains at least until more is loaded, or captures need its space.
    /// - Throws: as ``file(of:in:progress:)``.
    public func thumbnail(of asset: AssetID, size: ThumbnailSize = .small) async throws -> URL {
        let part = "thumbnail-\(size.rawValue)"
        if let here = try await cached(asset, part, nil) { return URL(filePath: here.text) }
        let source = FileDownload.Source(
            endpoint: .thumbnail,
            values: [asset.description],
            query: ThumbnailQuery(size: size.side).items,
            byteLimit: Self.thumbnailByteLimit
        )
        return URL(filePath: try await fetch(asset, source, as: part, nil).text)
    }

    private func cached(_ asset: AssetID, _ part: String, _ resource: AssetResource?) async throws -> Path? {
        try await local { [self] store in
            if let resource, let entry = try store.entry(asset), entry.state != .freed,
                entry.manifest.resources.contains(where: { $0.digest == resource.digest })
            {
                let place = try store.place(of: resource, in: asset)
                guard place.isEncrypted else { return place.path }
                return try store.cache.file(part, of: asset) ?? decrypt(resource, of: asset, as: part, store)
            }
            return try store.cache.file(part, of: asset)
        }
    }

    /// Decrypts a file of the queue into the cache, where it is as readable as files from the library.
    private func decrypt(
        _ resource: AssetResource,
        of asset: AssetID,
        as part: String,
        _ store: AgentStore
    ) throws -> Path {
        let name = SafeFileName(nil, identifier: asset, contentType: nil)
        let file = try PartFile(name, in: store.cache.folder)
        do {
            while file.byteCount < resource.byteCount {
                let bytes = try store.read(resource, of: asset, at: file.byteCount, count: 1 << 20)
                guard !bytes.isEmpty else { throw PhotoLibraryError(.damaged, "a file of the queue ended early") }
                _ = try file.append(bytes)
            }
            let whole = try file.publish(named: name, in: store.cache.folder)
            return try store.cache.take(whole, as: part, of: asset, limit: cacheByteLimit)
        } catch {
            // The leftover is useless, and the original error is more informative.
            try? file.discard()
            throw error
        }
    }

    private func fetch(
        _ asset: AssetID,
        _ source: FileDownload.Source,
        as part: String,
        _ progress: (@Sendable (LoadingProgress) -> Void)?
    ) async throws -> Path {
        let folder = store.cache.folder
        let spare = SpaceLimits(reserveByteCount: limits.reserveByteCount)
        let download = FileDownload(client: client, pool: pool) { [store] in try store.makeSpace(for: $0, spare) }
        let fetched = try await download.run(
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
