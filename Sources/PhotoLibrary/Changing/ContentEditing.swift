public import FoundationEssentials
import LibraryAPI
import LibraryClient
import MediaFormats
import Persistence
public import PhotoModel

/// How an edit was made, for the program that continues it (PhotoKit's `PHAdjustmentData`).
public struct AdjustmentData: Hashable, Sendable {
    /// The format's identifier and version.
    public let adjustment: Adjustment
    /// The adjustment data in that format.
    public let data: Data

    /// Adjustment data of a format.
    public init(_ adjustment: Adjustment, data: Data) {
        self.adjustment = adjustment
        self.data = data
    }
}

/// The result of an edit (PhotoKit's `PHContentEditingOutput`).
public struct ContentEditingOutput: Hashable, Sendable {
    /// How it was made.
    public var adjustmentData: AdjustmentData
    /// The edited picture or movie; its type is detected by content.
    public var renderedContentURL: URL
    /// A Live Photo's edited movie; nil if only the still was edited.
    public var renderedPairedVideoURL: URL?

    /// An edit of a photo or movie.
    public init(_ adjustmentData: AdjustmentData, renderedContentURL: URL) {
        self.adjustmentData = adjustmentData
        self.renderedContentURL = renderedContentURL
    }
}

extension PhotoLibrary {
    /// Bytes of a rendering sent at once.
    private static let pieceByteCount: Int64 = 4 << 20
    /// The maximum size of adjustment data.
    private static let adjustmentByteLimit: Int64 = 16 << 20

    /// How an asset was edited (PhotoKit's `requestContentEditingInput`); nil if it was not.
    ///
    /// To continue the edit, start from ``requestImage(for:targetSize:contentMode:version:progress:)`` with the
    /// original version.
    ///
    /// - Throws: `invalid` for adjustment data beyond 16 MiB, and as ``file(of:in:progress:)`` does.
    public func adjustmentData(of asset: Asset) async throws -> AdjustmentData? {
        guard let adjustment = asset.adjustment, let resource = asset.resource(.adjustmentData) else { return nil }
        guard resource.byteCount <= Self.adjustmentByteLimit else {
            throw PhotoLibraryError(.invalid, "the adjustment data of \(asset.id) is too long: load its file")
        }
        let url = try await file(of: resource, in: asset)
        let bytes = try await local { _ in try PosixFileSystem().readAll(Path(url.path)) }
        guard let bytes else {
            throw PhotoLibraryError(.storage, "the adjustment data of \(asset.id) left the cache: try again")
        }
        return AdjustmentData(adjustment, data: Data(bytes))
    }

    /// Replaces what an asset shows with an edit (PhotoKit's `contentEditingOutput`); its original stays.
    ///
    /// Unlike ``performChanges(_:)`` this needs the network: the renderings go to the library at once, and the edit is shown
    /// here after the agent's next sync. After an interruption the same call resumes.
    ///
    /// - Parameters:
    ///   - output: the result of the edit.
    ///   - asset: an asset of the view.
    /// - Returns: the edited asset.
    /// - Throws: `notAuthorized`, `notFound`, `invalid` for a rendering that is neither picture nor movie, `library`,
    ///   `storage`.
    @discardableResult
    public func applyEdit(_ output: ContentEditingOutput, to asset: AssetID) async throws -> Asset {
        let parts = try await local { _ in try Part.parts(of: output, for: asset) }
        let request = AdjustmentRequest(adjustment: output.adjustmentData.adjustment, resources: parts.map(\.resource))
        if let problem = request.problem { throw PhotoLibraryError(.invalid, problem.detail) }
        var answer = try await remote { client throws(LibraryClientError) in try await client.adjust(asset, request) }
        for upload in answer.uploads where !upload.isComplete {
            guard let part = parts.first(where: { $0.resource.id == upload.resourceID }) else { continue }
            try await send(part, upload)
        }
        if answer.asset == nil {
            answer = try await remote { client throws(LibraryClientError) in try await client.adjust(asset, request) }
        }
        guard let edited = answer.asset else {
            throw PhotoLibraryError(.library, "the library has not received all of the edit of \(asset): try again")
        }
        await wake()
        return edited
    }

    /// Reverts an edit (PhotoKit's `revertAssetContentToOriginal`); needs the network.
    ///
    /// - Throws: `notAuthorized`, `notFound`, `library`.
    @discardableResult
    public func revertToOriginal(_ asset: AssetID) async throws -> Asset {
        let original = try await remote { client throws(LibraryClientError) in try await client.revert(asset) }
        await wake()
        return original
    }

    private func send(_ part: Part, _ upload: UploadStatus) async throws {
        var offset = upload.offset
        while offset < part.resource.byteCount {
            let start = offset
            let count = min(Self.pieceByteCount, part.resource.byteCount - start)
            let bytes = try await local { _ in try part.read(Int(count), at: start) }
            let position = try await remote { client throws(LibraryClientError) in
                try await client.append(
                    to: upload.id,
                    at: start,
                    BodySource(bytes),
                    isLast: start + count == part.resource.byteCount,
                    digest: ContentHasher.digest(bytes)
                )
            }
            guard position.offset > start else {
                throw PhotoLibraryError(.library, "the library stopped accepting the edit: try again")
            }
            offset = position.offset
        }
    }
}

/// One file of an edit.
private struct Part: Sendable {
    let resource: AssetResource
    private let content: Content

    private enum Content: Sendable {
        case bytes([UInt8])
        case file(Path)
    }

    /// The adjustment data and the renderings; reads them.
    static func parts(of output: ContentEditingOutput, for asset: AssetID) throws -> [Part] {
        let data = Array(output.adjustmentData.data)
        var parts = [
            Part(
                .adjustmentData,
                "application/octet-stream",
                .bytes(data),
                Int64(data.count),
                ContentHasher.digest(data),
                asset
            )
        ]
        let rendering = Path(output.renderedContentURL.path)
        parts.append(try Part(rendering, for: asset) { $0.hasPrefix("video/") ? .fullSizeVideo : .fullSizePhoto })
        if let movie = output.renderedPairedVideoURL {
            parts.append(try Part(Path(movie.path), for: asset) { _ in .fullSizePairedVideo })
        }
        return parts
    }

    private init(
        _ type: AssetResourceType,
        _ contentType: String,
        _ content: Content,
        _ byteCount: Int64,
        _ digest: ContentDigest,
        _ asset: AssetID
    ) {
        // The same edit has the same identifiers, so that it resumes after an interruption.
        let name = ContentHasher.digest(asset.bytes + Array("\(type.rawValue) \(digest)".utf8))
        resource = AssetResource(
            id: .derived(from: name),
            type: type,
            digest: digest,
            byteCount: byteCount,
            contentType: contentType
        )
        self.content = content
    }

    private init(_ path: Path, for asset: AssetID, _ type: (String) -> AssetResourceType) throws {
        let file = try PosixFileSystem().open(path, .read)
        defer { try? file.close() }
        let head = try file.read(ContentType.sniffedByteCount, at: 0)
        let contentType = head.withBytes { ContentType(sniffing: $0) }.mediaType
        guard contentType.hasPrefix("image/") || contentType.hasPrefix("video/") else {
            throw PhotoLibraryError(.invalid, "\(path.name) is neither a picture nor a movie")
        }
        let (digest, byteCount) = try ContentHasher.digest(path, in: PosixFileSystem())
        self.init(type(contentType), contentType, .file(path), byteCount, digest, asset)
    }

    func read(_ count: Int, at offset: Int64) throws -> [UInt8] {
        switch content {
        case .bytes(let bytes): return Array(bytes[Int(offset)...].prefix(count))
        case .file(let path):
            let file = try PosixFileSystem().open(path, .read)
            defer { try? file.close() }
            let bytes = try file.read(count, at: offset)
            guard bytes.count == count else {
                throw PhotoLibraryError(.invalid, "\(path.name) was truncated while it was sent")
            }
            return bytes
        }
    }
}
