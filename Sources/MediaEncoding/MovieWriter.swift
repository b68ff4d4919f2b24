import Capture
import MediaFormats
import PhotoModel
import SystemPackage

/// Writes the movie of one Live Photo: encodes, finishes, makes it durable.
struct MovieWriter {
    private let request: MovieRequest
    private let software: String
    private let executor: QueueExecutor

    /// A writer for one movie.
    init(_ request: MovieRequest, software: String, on executor: QueueExecutor) {
        self.request = request
        self.software = software
        self.executor = executor
    }

    /// Encodes until frames and sound end.
    func write() async throws(MediaEncodingError) -> RecordedMovie {
        let file = MovieFile(at: request.path, on: executor)
        let encoder = try MovieEncoder(request, to: try await file.temporaryPath(), on: executor)
        for await frame in request.frames where frame.timestamp >= request.start {
            try await encoder.append(frame)
        }
        var chunks: [AudioChunk] = []
        if let audio = request.audio {
            for await chunk in audio.chunks { chunks.append(chunk) }
        }
        guard !Task.isCancelled else { throw MediaEncodingError(.cancelled, "the movie was given up") }
        let summary = try await encoder.finish(chunks)
        let recorded = try await file.finish(stillTime: summary.photoDisplayTime, metadata: metadata)
        return RecordedMovie(
            file: recorded,
            duration: summary.duration,
            photoDisplayTime: summary.photoDisplayTime,
            pixelSize: summary.pixelSize,
            silence: summary.silence
        )
    }

    private var metadata: LivePhotoMovieMetadata? {
        guard let contentIdentifier = request.description.contentIdentifier else { return nil }
        let time = request.description.captureTime
        var metadata = LivePhotoMovieMetadata(contentIdentifier: contentIdentifier)
        metadata.creationDate = CivilTime(time.wall, utcOffsetSeconds: time.utcOffsetSeconds ?? 0)
        metadata.make = request.description.camera.manufacturer
        metadata.model = request.description.camera.model
        metadata.software = software
        metadata.location = request.description.location
        return metadata
    }
}

/// The file of a movie while it is made; removed when it is given up.
actor MovieFile {
    private let executor: QueueExecutor
    private let path: FilePath
    private var file: DurableFile?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(at path: FilePath, on executor: QueueExecutor) {
        self.path = path
        self.executor = executor
    }

    /// Creates the file that the encoder writes to.
    func temporaryPath() throws(MediaEncodingError) -> FilePath {
        let file = try DurableFile(at: path)
        let temporaryPath = file.temporaryPath
        self.file = consume file
        return temporaryPath
    }

    /// Marks the still, adds the metadata and makes the file durable.
    func finish(
        stillTime: Duration,
        metadata: LivePhotoMovieMetadata?
    ) throws(MediaEncodingError) -> RecordedFile {
        guard let file = file.take() else {
            throw MediaEncodingError(.fileFailed, "\(path) was never begun")
        }
        if let metadata {
            let ending: LivePhotoMovie.Ending
            do {
                ending = try LivePhotoMovie.finishing(try file.source(), stillTime: stillTime, metadata: metadata)
            } catch {
                throw MediaEncodingError(.containerFailed, "the movie cannot be marked: \(error)")
            }
            try file.replaceEnd(from: ending.offset, with: ending.bytes)
        }
        let (byteCount, digest) = try file.commit()
        return RecordedFile(path: path, byteCount: byteCount, digest: digest, contentType: "video/quicktime")
    }
}
