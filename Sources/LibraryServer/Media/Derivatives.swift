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
    /// Callers cache a thumbnail for an hour only, because the asset may be edited.
    private static let cacheControl = "private, max-age=3600"
    /// Seconds after which a pending thumbnail is worth another request.
    private static let retrySeconds = 2

    let generator: DerivativeGenerator
    let notifier: ChangeNotifier

    /// A thumbnail of an asset.
    ///
    /// One that does not exist yet is made before all others, and answered with `derivative.pending`: 404 with
    /// `Retry-After`, because a program may take any 2xx response for a picture.
    ///
    /// - Throws: `derivative.pending`, `derivative.unavailable`.
    func thumbnail(of asset: Asset, side: Int?, for call: Call) async throws -> Response {
        guard let digest = asset.shownResource?.resource.digest else {
            throw ProblemDetails(.derivativeUnavailable, "This asset has nothing to make a thumbnail of.")
        }
        let kind = DerivativeKind.thumbnail(side: side)
        if let derivative = try await generator.store.metadata.derivative(digest) {
            if let response = try await kept(kind, of: derivative, for: call) { return response }
            if generator.store.metadata.duties.server != nil {
                // Another server made it, in its own folder.
                try await makeHere(of: asset, digest, for: call)
                if let response = try await kept(kind, of: derivative, for: call) { return response }
                throw ProblemDetails.noPicture
            }
            // The file is gone: make it again.
            try await generator.store.metadata.removeDerivatives([digest])
        }
        let job = try await generator.store.metadata.raiseJob(for: asset.id)
        guard generator.pool != nil, job?.state == .waiting else { throw ProblemDetails.noPicture }
        notifier.notify()
        throw Self.pending
    }

    /// The response while a thumbnail is made, or waits to be.
    private static let pending = ProblemDetails(
        .derivativePending,
        "The thumbnail is being made: try again in a moment.",
        retryAfterSeconds: retrySeconds
    )

    /// A thumbnail from this server's folder, or 304 if the caller has it; nil if it is missing or incomplete.
    private func kept(_ kind: DerivativeKind, of derivative: Derivative, for call: Call) async throws -> Response? {
        // Thumbnails of earlier versions are JPEG only.
        if kind == .small, call.names(type: ThumbnailFormat.webP.mediaType),
            let response = try await thumbnail(.smallWebP, of: derivative.digest, byteCount: nil, for: call)
        {
            return response
        }
        // Lengths differ if another version of the workers made it.
        let isOwn = generator.store.metadata.duties.server == nil
        let byteCount = kind == .small ? derivative.byteCounts.first : derivative.byteCounts.last
        return try await thumbnail(kind, of: derivative.digest, byteCount: isOwn ? byteCount : nil, for: call)
    }

    /// Makes the thumbnails that this server lacks; a few at once for a device, since each keeps a worker busy.
    private func makeHere(of asset: Asset, _ digest: ContentDigest, for call: Call) async throws {
        guard let pool = generator.pool, let content = try await generator.store.metadata.content(digest) else {
            throw ProblemDetails.noPicture
        }
        let place: DevicePlaces.Place?
        do {
            place = try call.takePlace(.file)
        } catch {
            throw Self.pending
        }
        defer { withExtendedLifetime(place) {} }
        do {
            let isMovie = asset.shownResource?.isMovie ?? false
            _ = try await generator.makeThumbnails(of: content.address, isMovie: isMovie, with: pool)
        } catch let error as MediaWorkerError {
            throw ProblemDetails(error)
        }
    }

    /// A stored thumbnail, or 304 if the caller has it; nil if it is missing or incomplete.
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
        let resource = try asset.resources.first(where: { $0.id == id }).orNotFound()
        switch format {
        case .jpeg: return try await jpeg(of: resource, without: parts, for: call)
        }
    }

    /// A resource as a JPEG.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - parts: the metadata to strip from the JPEG.
    ///   - tagged: the caller's form of the entity tag.
    ///   - call: the request.
    /// - Returns: the picture, or 304 if the caller has it.
    /// - Throws: `derivative.unavailable`, `server.unavailable`.
    func jpeg(
        of resource: AssetResource,
        without parts: Set<MetadataPart>,
        tagged: @Sendable (String) -> String = { $0 },
        for call: Call
    ) async throws -> Response {
        let content = try await generator.store.metadata.content(resource.digest).orNotFound()
        let tag = "\"\(tagged("\(resource.digest)-jpeg\(parts.tagSuffix)"))\""
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
    ///   - parts: the metadata to strip from the JPEG.
    /// - Returns: the picture; every call returns the same bytes.
    /// - Throws: `object.not_found`, `derivative.unavailable`, `server.unavailable`.
    func jpegBytes(of resource: AssetResource, without parts: Set<MetadataPart>) async throws -> [UInt8] {
        let content = try await generator.store.metadata.content(resource.digest).orNotFound()
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
    /// The decoder's own message is for operators, in the list of jobs.
    fileprivate static let noPicture = ProblemDetails(
        .derivativeUnavailable,
        "No picture can be made of this file: it is damaged, or in an unsupported format."
    )

    /// The response if workers return nothing.
    init(_ error: MediaWorkerError) {
        switch error.code {
        case .refused: self = .noPicture
        case .died, .timedOut, .protocolBroken:
            self.init(.derivativeUnavailable, "No picture can be made of this file: it is too large or damaged.")
        case .notStarted, .backingOff, .systemFailed:
            self.init(.unavailable, "Conversion is unavailable at the moment: try again.", retryAfterSeconds: 10)
        }
    }
}

extension AssetResource {
    /// The file name of a JPEG made from it.
    fileprivate func jpegName(without parts: Set<MetadataPart>) -> String {
        let name = (originalFilename?.displayText ?? ServedFile.baseName(of: nil)).withExtension("jpg")
        return parts.contains(.location) ? name.withoutLocation : name
    }
}
