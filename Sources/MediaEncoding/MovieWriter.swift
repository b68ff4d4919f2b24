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
///
/// If a hardware encoder fails, the movie is restarted with x264.
struct MovieWriter {
    /// The widest movie; frames of larger cameras are scaled down while their JPEGs are decoded.
    static let maximumWidth = 1920
    /// The bytes of frames kept for a restart: about five seconds of 1080p30.
    ///
    /// They count against the camera's memory until the movie ends; past this limit, a failure ends the movie.
    static let keptByteCount = 24 << 20

    let request: MovieRequest
    let software: String
    /// The encoders for H.264 in the order in which they are tried; the last is x264.
    let encoders: [VideoEncoder]
    let queues: MovieQueues

    /// Encodes until frames and sound end.
    func write() async throws -> RecordedMovie {
        var kept: [Frame]? = encoders.count > 1 ? [] : nil
        var keptByteCount = 0
        var attempt = try await MovieAttempt(request, encoders, queues)
        for await frame in request.frames where frame.timestamp >= request.start {
            keptByteCount += frame.buffer.byteCount + (frame.samples?.buffer.byteCount ?? 0)
            if keptByteCount > Self.keptByteCount { kept = nil }
            kept?.append(frame)
            do {
                try await attempt.append(frame)
            } catch {
                attempt = try await restarted(after: error, of: attempt, kept.take())
            }
        }
        do {
            try await attempt.end()
        } catch {
            attempt = try await restarted(after: error, of: attempt, kept.take())
            try await attempt.end()
        }
        var chunks: [AudioChunk] = []
        if let audio = request.audio {
            for await chunk in audio.chunks { chunks.append(chunk) }
        }
        guard !Task.isCancelled else { throw MediaEncodingError(.cancelled, "the movie was abandoned") }
        return try await attempt.finish(chunks, metadata)
    }

    /// Restarts with x264 at the point where an attempt failed, whose file is removed, with everything appended to it.
    ///
    /// The error is rethrown if another attempt would fail too, or the frames are no longer available.
    private func restarted(
        after error: any Error,
        of attempt: MovieAttempt,
        _ frames: [Frame]?
    ) async throws -> MovieAttempt {
        guard let frames, (error as? MediaEncodingError)?.code != .fileFailed, !Task.isCancelled else { throw error }
        await attempt.abandon()
        var second = try await MovieAttempt(request, [.software], queues)
        for frame in frames { try await second.append(frame) }
        return second
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

/// One attempt to write a movie; while one picture is encoded, the next frame is decoded.
private struct MovieAttempt {
    private let file: MovieFile
    private let decoder: FrameDecoder
    private let encoder: MovieEncoder
    private var waiting: CodecFrame?

    init(_ request: MovieRequest, _ encoders: [VideoEncoder], _ queues: MovieQueues) async throws {
        file = MovieFile(at: request.path, on: queues.encoding)
        decoder = try FrameDecoder(maximumWidth: MovieWriter.maximumWidth, on: queues.decoding)
        encoder = MovieEncoder(request, to: try await file.temporaryPath(), encoders: encoders, on: queues.encoding)
    }

    mutating func append(_ frame: Frame) async throws {
        let decoded = waiting
        async let encoding: Void = encoder.append(decoded)
        waiting = try await decoder.picture(of: frame)
        try await encoding
    }

    /// Encodes the last picture, and what the encoder still holds.
    mutating func end() async throws {
        try await encoder.append(waiting)
        waiting = nil
        try await encoder.flush()
    }

    /// Finishes the file after ``end()``.
    func finish(_ chunks: [AudioChunk], _ metadata: LivePhotoMovieMetadata?) async throws -> RecordedMovie {
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

    /// Removes the file.
    func abandon() async {
        await file.abandon()
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

    /// Removes the file.
    func abandon() {
        file = nil
    }

    /// Marks the still, adds the metadata and makes the file durable.
    func finish(stillTime: Duration, metadata: LivePhotoMovieMetadata?) throws(MediaEncodingError) -> RecordedFile {
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
        return try file.commit(contentType: "video/quicktime")
    }
}
