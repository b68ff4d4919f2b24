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

    /// Whether a file is a movie that few programs play: its pictures are not H.264.
    ///
    /// - Throws: what reading the file throws; a file that cannot be parsed needs no conversion, and gets none.
    func needsH264(_ open: OpenResource) async throws -> Bool {
        guard open.resource.contentType.hasPrefix("video/"), let codec = try await movie(open)?.videoTrack?.codec else {
            return false
        }
        return !Self.h264.contains(codec)
    }

    /// A movie with H.264, its sound as it was, and what makes it a Live Photo's.
    ///
    /// - Parameters:
    ///   - open: the original.
    ///   - parts: what is taken out of the movie.
    ///   - call: who asks.
    /// - Returns: the movie, a range of it, or 304 where the caller has it.
    /// - Throws: `derivative.unavailable` where it cannot be made, `server.unavailable` where not now.
    func h264(of open: OpenResource, without parts: Set<MetadataPart>, for call: Call) async throws -> Response {
        let resource = open.resource
        guard let pool = studio.pool, let content = try await studio.store.metadata.content(resource.digest) else {
            throw ProblemDetails(.derivativeUnavailable, "This movie cannot be converted here.")
        }
        let original = try await movie(open)
        let bytes: [UInt8]
        do {
            bytes = try await studio.makeMovie(of: content.address, with: pool) { made in
                try Self.finishing(made, as: original)
            }
        } catch let error as MediaWorkerError {
            throw ProblemDetails(ofMovie: error)
        }
        let name = resource.originalFilename?.displayText.withExtension("mov")
        let file = ServedFile(
            pieces: [.bytes(try ServedFile.bytes(bytes, without: parts))],
            tag: "\(resource.digest)-h264\(parts.tagSuffix)",
            contentType: ContentType.quickTimeMovie.mediaType,
            filename: name
        )
        return call.answer(file.named(without: parts))
    }

    /// A movie's header; nil for a file that is none.
    private func movie(_ open: OpenResource) async throws -> Movie? {
        try await open.parsing { read in
            do {
                return try Movie(StoredBytes(byteCount: Int(open.resource.byteCount), read: read))
            } catch is MediaFormatError {
                return nil
            }
        }
    }

    /// Marks the still of a Live Photo, and says again which photo the movie belongs to.
    private static func finishing(_ made: [UInt8], as original: Movie?) throws -> [UInt8] {
        guard let original, let identifier = original.metadata.contentIdentifier,
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
    /// What a caller is told when workers make no movie.
    fileprivate init(ofMovie error: MediaWorkerError) {
        switch error.code {
        case .refused, .died, .timedOut, .protocolBroken:
            self.init(
                .derivativeUnavailable,
                "This movie cannot be converted: it is too long, too large or damaged. Ask for the encoding current."
            )
        case .notStarted, .backingOff, .systemFailed:
            self.init(.unavailable, "Nothing is converted just now: try again.", retryAfterSeconds: 10)
        }
    }
}
