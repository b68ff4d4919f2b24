import HTTPTypes
import Hummingbird
import LibraryAPI
import LibraryStore
import MediaWorker
import NIOCore
import Persistence
import PhotoModel

/// Serves thumbnails and conversions.
struct Derivatives: Sendable {
    /// How long a caller may keep a picture without asking again: what an asset shows can be edited.
    private static let cacheControl = "private, max-age=3600"
    /// Where a thumbnail that is not there yet will be, soon.
    private static let retrySeconds = 2

    let generator: DerivativeGenerator
    let notifier: ChangeNotifier

    /// A thumbnail of an asset.
    ///
    /// One that is not made yet is made before all others: `derivative.pending`, 404 with `Retry-After`, because there is
    /// nothing that could be shown, and a program that takes every 2xx for a picture must not be misled.
    ///
    /// - Throws: `derivative.pending`, `derivative.unavailable`.
    func thumbnail(of asset: Asset, side: Int?, for call: Call) async throws -> Response {
        guard let digest = asset.shownResource?.resource.digest else {
            throw ProblemDetails(.derivativeUnavailable, "Nothing of this asset can be shown as a picture.")
        }
        let kind = DerivativeKind.thumbnail(side: side)
        if let derivative = try await generator.store.metadata.derivative(digest) {
            if let response = try await kept(kind, of: derivative, for: call) { return response }
            if generator.store.metadata.duties.server != nil {
                // Another server made it, in a folder of its own.
                try await makeHere(of: asset, digest)
                if let response = try await kept(kind, of: derivative, for: call) { return response }
                throw ProblemDetails.noPicture
            }
            // The folder lost it: it is made again.
            try await generator.store.metadata.removeDerivatives([digest])
        }
        let job = try await generator.store.metadata.raiseJob(for: asset.id)
        guard generator.pool != nil, job?.state == .waiting else {
            throw ProblemDetails.noPicture
        }
        notifier.notify()
        throw ProblemDetails(
            .derivativePending,
            "The thumbnail is being made: ask again in a moment.",
            retryAfterSeconds: Self.retrySeconds
        )
    }

    /// A thumbnail that is in this server's folder, or 304 where the caller has it; nil if it is not there whole.
    private func kept(_ kind: DerivativeKind, of derivative: Derivative, for call: Call) async throws -> Response? {
        // Thumbnails of earlier versions are JPEG only.
        if kind == .small, call.names(type: ThumbnailFormat.webP.mediaType),
            let response = try await thumbnail(.smallWebP, of: derivative.digest, byteCount: nil, for: call)
        {
            return response
        }
        // What another version of the workers makes has other lengths.
        let isOwn = generator.store.metadata.duties.server == nil
        let byteCount = kind == .small ? derivative.byteCounts.first : derivative.byteCounts.last
        return try await thumbnail(kind, of: derivative.digest, byteCount: isOwn ? byteCount : nil, for: call)
    }

    private func makeHere(of asset: Asset, _ digest: ContentDigest) async throws {
        guard let pool = generator.pool, let content = try await generator.store.metadata.content(digest) else {
            throw ProblemDetails.noPicture
        }
        do {
            let isMovie = asset.shownResource?.isMovie ?? false
            _ = try await generator.makeThumbnails(of: content.address, isMovie: isMovie, with: pool)
        } catch let error as MediaWorkerError {
            throw ProblemDetails(error)
        }
    }

    /// A thumbnail that was made, or 304 where the caller has it; nil if it is not there whole.
    private func thumbnail(
        _ kind: DerivativeKind,
        of digest: ContentDigest,
        byteCount: Int64?,
        for call: Call
    ) async throws -> Response? {
        let tag = "\"\(digest)-\(kind.rawValue)\""
        var headers = Self.headers(tag, kind.format ?? .jpeg)
        headers[.vary] = "Accept"
        if call.knows(tag) { return Response(status: .notModified, headers: headers) }
        guard let bytes = try await generator.read(kind, of: digest, byteCount: byteCount) else { return nil }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The asset's resource that the call names, converted.
    ///
    /// - Throws: `object.not_found`, `derivative.unavailable`, `server.unavailable`.
    func converted(
        to format: ResourceQuery.Format,
        without parts: Set<MetadataPart>,
        of asset: Asset,
        for call: Call
    ) async throws -> Response {
        let id: ResourceID = try call.parameter("resource")
        guard let resource = asset.resources.first(where: { $0.id == id }) else { throw ProblemDetails.notFound }
        switch format {
        case .jpeg: return try await jpeg(of: resource, without: parts, for: call)
        }
    }

    /// A resource as a JPEG.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - parts: what is taken out of the JPEG.
    ///   - call: who asks.
    /// - Returns: the picture, or 304 where the caller has it.
    /// - Throws: `derivative.unavailable`, `server.unavailable`.
    func jpeg(of resource: AssetResource, without parts: Set<MetadataPart>, for call: Call) async throws -> Response {
        guard let content = try await generator.store.metadata.content(resource.digest) else {
            throw ProblemDetails.notFound
        }
        let tag = "\"\(resource.digest)-jpeg\(parts.tagSuffix)\""
        var headers = Self.headers(tag)
        headers[.contentDisposition] = Call.disposition(resource.jpegName(without: parts))
        if call.knows(tag) { return Response(status: .notModified, headers: headers) }
        let bytes = try await jpegBytes(of: resource, at: content.address, without: parts)
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The bytes of a resource as a JPEG.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - parts: what is taken out of the JPEG.
    /// - Returns: the picture, the same each time.
    /// - Throws: `object.not_found`, `derivative.unavailable`, `server.unavailable`.
    func jpegBytes(of resource: AssetResource, without parts: Set<MetadataPart>) async throws -> [UInt8] {
        guard let content = try await generator.store.metadata.content(resource.digest) else {
            throw ProblemDetails.notFound
        }
        return try await jpegBytes(of: resource, at: content.address, without: parts)
    }

    private func jpegBytes(
        of resource: AssetResource,
        at address: ContentAddress,
        without parts: Set<MetadataPart>
    ) async throws -> [UInt8] {
        guard let pool = generator.pool, !resource.contentType.hasPrefix("audio/") else {
            throw ProblemDetails(.derivativeUnavailable, "This resource cannot be converted here.")
        }
        if let job = try await generator.store.metadata.job(of: resource.digest), job.state != .waiting {
            throw ProblemDetails.noPicture
        }
        do {
            let isMovie = resource.contentType.hasPrefix("video/")
            let made = try await generator.makeJPEG(of: address, isMovie: isMovie, with: pool)
            return try ServedFile.bytes(made, of: "image/jpeg", without: parts)
        } catch let error as MediaWorkerError {
            throw ProblemDetails(error)
        }
    }

    private static func headers(_ tag: String, _ format: ThumbnailFormat = .jpeg) -> HTTPFields {
        [.contentType: format.mediaType, .eTag: tag, .cacheControl: cacheControl]
    }
}

extension ProblemDetails {
    /// What a decoder says is for operators, who find it in the list of jobs.
    fileprivate static let noPicture = ProblemDetails(
        .derivativeUnavailable,
        "No picture can be made of this file: it is damaged, or in a format that is not known here."
    )

    /// What a caller is told when workers give nothing.
    init(_ error: MediaWorkerError) {
        switch error.code {
        case .refused: self = .noPicture
        case .died, .timedOut, .protocolBroken:
            self.init(.derivativeUnavailable, "No picture can be made of this file: it is too large or damaged.")
        case .notStarted, .backingOff, .systemFailed:
            self.init(.unavailable, "Nothing is converted just now: try again.", retryAfterSeconds: 10)
        }
    }
}

extension AssetResource {
    /// The name of a JPEG that is made of it.
    fileprivate func jpegName(without parts: Set<MetadataPart>) -> String {
        let name = (originalFilename?.displayText ?? ServedFile.baseName(of: nil)).withExtension("jpg")
        return parts.contains(.location) ? name.withoutLocation : name
    }
}
