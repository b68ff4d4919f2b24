import CFFmpeg
import Capture
import MediaFormats
import PhotoModel
import SystemPackage

/// Encodes the pictures and sound of one Live Photo's movie, on a thread that may be kept busy.
///
/// Sound is short and cheap: it is encoded at the end, when the movie's length is known, so that both tracks end
/// together.
actor MovieEncoder {
    private let executor: QueueExecutor
    private let request: MovieRequest
    private let path: FilePath
    private let encoders: [VideoEncoder]
    private var tracks: Tracks?
    private var start: MonotonicTime?
    private var lastTicks: Int64 = -1

    /// The two encoders and the file, created with the first picture.
    private final class Tracks {
        let size: PixelSize
        let video: CodecContext
        let videoTrack: Int32
        let audio: AudioEncoder?
        var muxer: MovieMuxer

        init(
            _ size: PixelSize,
            _ request: MovieRequest,
            _ path: FilePath,
            encoders: [VideoEncoder]
        ) throws(MediaEncodingError) {
            let video = try CodecContext.video(
                request.codec,
                size: size,
                frameInterval: request.frameInterval,
                encoders: encoders
            )
            var muxer = try MovieMuxer(path)
            videoTrack = try muxer.addTrack(video)
            try muxer.setMatrix(request.description.orientation.trackMatrix(size: size), ofTrack: videoTrack)
            if let sound = request.audio {
                audio = try AudioEncoder(sound.format, muxer: muxer)
            } else {
                audio = nil
            }
            try muxer.writeHeader()
            self.size = size
            self.video = video
            self.muxer = muxer
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Creates an encoder that writes to `path`, with the first of the encoders that opens.
    init(_ request: MovieRequest, to path: FilePath, encoders: [VideoEncoder], on executor: QueueExecutor) {
        self.request = request
        self.path = path
        self.encoders = encoders
        self.executor = executor
    }

    /// The properties of the finished movie.
    struct Summary: Sendable {
        let duration: Duration
        let photoDisplayTime: Duration
        let pixelSize: PixelSize
        let silence: Duration?
    }

    /// Encodes a picture; nil and pictures of another size are skipped, so the previous one is shown longer.
    func append(_ picture: CodecFrame?) throws(MediaEncodingError) {
        guard let picture else { return }
        let start = start ?? picture.timestamp
        let ticks = MovieTime.ticks(picture.timestamp.duration(since: start))
        guard ticks > lastTicks else { return }
        let opened: Tracks
        if let tracks {
            opened = tracks
        } else {
            opened = try Tracks(picture.size, request, path, encoders: encoders)
            tracks = opened
        }
        guard opened.size == picture.size else { return }
        let interval = MovieTime.ticks(request.frameInterval.duration)
        try unsafe opened.video.send(picture, presentationTime: ticks) { packet throws(MediaEncodingError) in
            unsafe packet.pointee.duration = interval
            try unsafe opened.muxer.write(packet, track: opened.videoTrack, from: opened.video)
        }
        self.start = start
        lastTicks = ticks
    }

    /// Encodes what the encoder still holds, after the last picture.
    ///
    /// - Throws: `damagedInput` if there was no frame; errors of codecs and container.
    func flush() throws(MediaEncodingError) {
        guard let opened = tracks else {
            throw MediaEncodingError(.damagedInput, "a movie without a frame")
        }
        try unsafe opened.video.send(nil, presentationTime: 0) { packet throws(MediaEncodingError) in
            try unsafe opened.muxer.write(packet, track: opened.videoTrack, from: opened.video)
        }
    }

    /// Encodes the movie's part of the sound and finishes the file, after ``flush()``.
    ///
    /// - Throws: `damagedInput` if there was no frame; errors of codecs and container.
    func finish(_ chunks: [AudioChunk]) throws(MediaEncodingError) -> Summary {
        guard let opened = tracks, let start else {
            throw MediaEncodingError(.damagedInput, "a movie without a frame")
        }
        let ticks = lastTicks + MovieTime.ticks(request.frameInterval.duration)
        let duration = Duration.nanoseconds(ticks * 1_000_000_000 / Int64(MovieTime.timescale))
        var silence: Duration?
        if let format = request.audio?.format {
            let timeline = AudioTimeline(chunks, format: format, start: start, duration: duration)
            try opened.audio?.encode(timeline, to: opened.muxer)
            silence = timeline.silence
        }
        let summary = Summary(
            duration: duration,
            photoDisplayTime: min(max(.zero, request.stillTime.duration(since: start)), duration),
            pixelSize: opened.size,
            silence: silence
        )
        try opened.muxer.finish()
        tracks = nil
        return summary
    }
}
