import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import MediaFormats
import MediaWorker
import PhotoModel

/// Movies for programs that play H.264 only.
extension Derivatives {
    /// The codes of H.264 in a movie's sample descriptions.
    private static let h264: Set<FourCharacterCode> = ["avc1", "avc3"]

    /// The movie with H.264 instead of a codec that few programs play, with its sound and Live Photo metadata.
    ///
    /// - Parameters:
    ///   - open: the original.
    ///   - parts: the metadata to strip from the movie.
    ///   - caller: who asks for it.
    ///   - tagged: the caller's form of the entity tag.
    ///   - call: the request.
    /// - Returns: the movie, a range of it, or 304 if the caller has it; nil for a file to send unchanged: one that is
    ///   not a movie, cannot be parsed, or is H.264 already.
    /// - Throws: `derivative.unavailable` if it cannot be made, `server.unavailable` if not now; what reading throws.
    func h264(
        of open: OpenResource,
        without parts: Set<MetadataPart>,
        by caller: Actor,
        tagged: @Sendable (String) -> String,
        for call: Call
    ) async throws -> Response? {
        let resource = open.resource
        guard resource.contentType.hasPrefix("video/"), let original = try await movie(open),
            let codec = original.videoTrack?.codec, !Self.h264.contains(codec)
        else { return nil }
        var file = ServedFile(
            pieces: [],
            tag: tagged("\(resource.digest)-h264\(parts.tagSuffix)"),
            contentType: ContentType.quickTimeMovie.mediaType,
            filename: resource.originalFilename?.displayText.withExtension("mov")
        ).named(without: parts)
        // No conversion for a caller that already has the result.
        guard !call.knows("\"\(file.tag)\"") else { return call.answer(file) }
        guard let pool = generator.pool, let content = try await generator.store.metadata.content(resource.digest)
        else {
            throw ProblemDetails(.derivativeUnavailable, "This movie cannot be converted here.")
        }
        let bytes: [UInt8]
        do {
            bytes = try await generator.makeMovie(of: content.address, for: caller, with: pool) { made in
                try Self.finishing(made, as: original)
            }
        } catch let error as MediaWorkerError {
            throw ProblemDetails(ofMovie: error)
        }
        file.pieces = [.bytes(try ServedFile.bytes(bytes, of: file.contentType, without: parts))]
        return call.answer(file)
    }

    /// A movie's header; nil if the file is not a movie.
    private func movie(_ open: OpenResource) async throws -> Movie? {
        try await open.parsing { read in
            do {
                return try Movie(StoredBytes(byteCount: Int(open.resource.byteCount), read: read))
            } catch is MediaFormatError {
                return nil
            }
        }
    }

    /// Marks the still of a Live Photo and restores the link to its photo.
    private static func finishing(_ made: [UInt8], as original: Movie) throws -> [UInt8] {
        guard let identifier = original.metadata.contentIdentifier,
            let stillTime = original.stillImageTime?.duration
        else { return made }
        var metadata = LivePhotoMovieMetadata(contentIdentifier: identifier)
        metadata.creationDate = original.creationDate
        metadata.make = original.metadata.make
        metadata.model = original.metadata.model
        metadata.software = original.metadata.software
        metadata.location = original.metadata.location
        metadata.isAutomatic = original.metadata.isAutomaticLivePhoto
        do {
            let length = try Movie(made).duration?.duration ?? .zero
            let ending = try LivePhotoMovie.finishing(made, stillTime: min(stillTime, length), metadata: metadata)
            return made[..<ending.offset] + ending.bytes
        } catch let error as MediaFormatError {
            throw ProblemDetails(.derivativeUnavailable, "This Live Photo cannot be converted: \(error.message).")
        }
    }
}

extension ProblemDetails {
    /// The response if workers cannot make a movie.
    fileprivate init(ofMovie error: MediaWorkerError) {
        switch error.code {
        case .refused, .died, .timedOut, .protocolBroken:
            self.init(
                .derivativeUnavailable,
                "This movie cannot be converted: it is too long, too large or damaged. Request the encoding current."
            )
        case .notStarted, .backingOff, .systemFailed: self.init(error)
        }
    }
}
