import Capture
import MediaFormats
import PhotoModel
import SystemPackage

/// The two threads for one movie, so that two cores share its work.
struct MovieQueues: Sendable {
    /// Decodes the camera's frames.
    let decoding: QueueExecutor
    /// Encodes, and writes the file.
    let encoding: QueueExecutor

    /// Creates a pair, named for debuggers.
    init(number: Int) {
        decoding = QueueExecutor(label: "tintype.movie.\(number).decode")
        encoding = QueueExecutor(label: "tintype.movie.\(number).encode")
    }
}

/// Writes one Live Photo's movie: decodes and encodes as frames arrive, finishes, makes it durable.
struct MovieWriter {
    /// The widest movie; frames of larger cameras are scaled down while their JPEGs are decoded.
    static let maximumWidth = 1920

    private let request: MovieRequest
    private let software: String
    private let mayUseHardware: Bool
    private let queues: MovieQueues

    /// Creates a writer for one movie.
    init(_ request: MovieRequest, software: String, mayUseHardware: Bool, on queues: MovieQueues) {
        self.request = request
        self.software = software
        self.mayUseHardware = mayUseHardware
        self.queues = queues
    }

    /// Encodes until frames and sound end.
    ///
    /// While one picture is encoded, the next frame is decoded.
    func write() async throws -> RecordedMovie {
        let file = MovieFile(at: request.path, on: queues.encoding)
        let decoder = try FrameDecoder(maximumWidth: Self.maximumWidth, on: queues.decoding)
        let encoder = MovieEncoder(
            request,
            to: try await file.temporaryPath(),
            mayUseHardware: mayUseHardware,
            on: queues.encoding
        )
        var waiting: CodecFrame?
        for await frame in request.frames where frame.timestamp >= request.start {
            let decoded = waiting
            async let encoding: Void = encoder.append(decoded)
            waiting = try await decoder.picture(of: frame)
            try await encoding
        }
        try await encoder.append(waiting)
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

/// A movie's file under construction; removed if abandoned.
actor MovieFile {
    /// The offset in `ftyp` of the brand's minor version, which libavformat sets and Apple's movies leave at 0.
    private static let minorVersionOffset = 12

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
            try file.replace(at: Self.minorVersionOffset, with: [0, 0, 0, 0])
        }
        let (byteCount, digest) = try file.commit()
        return RecordedFile(path: path, byteCount: byteCount, digest: digest, contentType: "video/quicktime")
    }
}
