public import FoundationEssentials
import LibraryAPI
public import PhotoModel

/// Both halves of a Live Photo (PhotoKit's `PHLivePhoto`), for whatever plays them.
public struct LivePhoto: Hashable, Sendable {
    /// The still.
    public let photo: URL
    /// The movie around it.
    public let pairedVideo: URL
}

/// How a picture fits its target (PhotoKit's `PHImageContentMode`).
public enum ImageContentMode: Hashable, Sendable {
    /// The whole picture fits into the target.
    case aspectFit
    /// The picture covers the target.
    case aspectFill
}

/// The version of an edited asset (PhotoKit's `PHImageRequestOptionsVersion`).
public enum ImageVersion: Hashable, Sendable {
    /// As edited.
    case current
    /// As captured, before any edit.
    case original
}

extension PhotoLibrary {
    /// A picture of at least a size (PhotoKit's `PHImageManager.requestImage` with a fast resize mode).
    ///
    /// It is the smallest thumbnail that is large enough, or else the whole picture.
    ///
    /// - Parameters:
    ///   - asset: an asset of the view; a movie has only thumbnails.
    ///   - targetSize: the displayed size in pixels; nil for the whole picture (`PHImageManagerMaximumSize`).
    ///   - contentMode: whether the picture fits into the target, or covers it.
    ///   - version: thumbnails show the current one only; the original is always the whole picture.
    ///   - progress: receives the number of bytes.
    /// - Returns: a file, at least as large as requested, or as large as the picture or a movie's thumbnail is; it
    ///   remains at least until more is loaded, or captures need its space. Thumbnails are JPEG, whole pictures have the
    ///   format of the capture.
    /// - Throws: `invalid` for a target without pixels, and as ``file(of:in:progress:)`` does.
    public func requestImage(
        for asset: Asset,
        targetSize: PixelSize?,
        contentMode: ImageContentMode = .aspectFit,
        version: ImageVersion = .current,
        progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> URL {
        if let targetSize, targetSize.width < 1 || targetSize.height < 1 {
            throw PhotoLibraryError(.invalid, "a picture of \(targetSize) has no pixels: set a width and a height")
        }
        let picture = asset.picture(version)
        let thumbnail = asset.thumbnail(for: targetSize, contentMode, hasPicture: picture != nil)
        if version == .current, let thumbnail {
            return try await self.thumbnail(of: asset.id, size: thumbnail)
        }
        guard let picture else {
            throw PhotoLibraryError(.notFound, "\(asset.id) has no picture of its own: ask for its current version")
        }
        return try await file(of: picture, in: asset, progress: progress)
    }

    /// Both halves of a Live Photo (PhotoKit's `PHImageManager.requestLivePhoto`).
    ///
    /// - Parameters:
    ///   - asset: a Live Photo of the view.
    ///   - version: as edited, if both halves were, or as captured.
    ///   - progress: receives the number of bytes of both.
    /// - Returns: files that remain at least until more is loaded, or captures need their space.
    /// - Throws: `invalid` unless it is a Live Photo with its movie, and as ``file(of:in:progress:)``.
    public func requestLivePhoto(
        for asset: Asset,
        version: ImageVersion = .current,
        progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> LivePhoto {
        guard let (still, movie) = asset.livePhotoResources(version) else {
            throw PhotoLibraryError(
                .invalid,
                "\(asset.id) has no paired movie: it is not a Live Photo, or an incomplete one"
            )
        }
        let total = still.byteCount + movie.byteCount
        let photo = try await file(of: still, in: asset) { part in
            progress?(LoadingProgress(completedBytes: part.completedBytes, totalBytes: total))
        }
        let pairedVideo = try await file(of: movie, in: asset) { part in
            let completed = still.byteCount + part.completedBytes
            progress?(LoadingProgress(completedBytes: completed, totalBytes: total))
        }
        return LivePhoto(photo: photo, pairedVideo: pairedVideo)
    }
}

extension Asset {
    /// The first resource of the types, in their order.
    func resource(_ types: AssetResourceType...) -> AssetResource? {
        types.lazy.compactMap { type in resources.first { $0.type == type } }.first
    }

    fileprivate func picture(_ version: ImageVersion) -> AssetResource? {
        version == .current ? resource(.fullSizePhoto, .photo) : resource(.photo)
    }

    /// The smallest thumbnail that is large enough; nil if the whole picture is needed and exists.
    fileprivate func thumbnail(
        for target: PixelSize?,
        _ mode: ImageContentMode,
        hasPicture: Bool
    ) -> PhotoLibrary.ThumbnailSize? {
        guard let target else { return hasPicture ? nil : .large }
        let needed = longerSide(for: target, mode)
        return PhotoLibrary.ThumbnailSize.allCases.first { $0.side >= needed } ?? (hasPicture ? nil : .large)
    }

    /// The pixels needed on the picture's longer side for a target.
    private func longerSide(for target: PixelSize, _ mode: ImageContentMode) -> Int {
        let longer = Double(max(target.width, target.height))
        guard let size = pixelSize, size.width > 0, size.height > 0 else { return Int(longer) }
        let scales = [Double(target.width) / Double(size.width), Double(target.height) / Double(size.height)]
        // Nothing is larger than the picture itself.
        let scale = min((mode == .aspectFit ? scales.min() : scales.max()) ?? 1, 1)
        return Int((Double(max(size.width, size.height)) * scale).rounded(.up))
    }

    /// Still and movie; an edit counts only if it has both, or neither.
    fileprivate func livePhotoResources(_ version: ImageVersion) -> (still: AssetResource, movie: AssetResource)? {
        if version == .current, let still = resource(.fullSizePhoto), let movie = resource(.fullSizePairedVideo) {
            return (still, movie)
        }
        guard let still = resource(.photo), let movie = resource(.pairedVideo) else { return nil }
        return (still, movie)
    }
}
