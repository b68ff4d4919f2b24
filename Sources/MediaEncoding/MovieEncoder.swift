import CFFmpeg
import Capture
import MediaFormats
import PhotoModel
import SystemPackage

/// Encodes the frames and the sound of one Live Photo's movie, on a thread that may be kept busy.
///
/// Frames are decoded straight into the encoder's planes. Sound is short and cheap: it is encoded at the end, when the
/// movie's length is known, so that both tracks end together.
actor MovieEncoder {
    /// The widest movie; larger cameras are scaled down while their JPEGs are decoded.
    static let maximumWidth = 1920

    private let executor: QueueExecutor
    private let request: MovieRequest
    private let path: FilePath
    private let decoder: JPEGDecoder
    private var tracks: Tracks?
    private var converter = PixelConverter()
    private var planes: PlanarPicture?
    private var start: MonotonicTime?
    private var lastTicks: Int64 = -1

    /// The two encoders and the file, which begin with the first frame.
    private final class Tracks {
        let size: PixelSize
        let video: CodecContext
        let videoTrack: Int32
        let audio: AudioEncoder?
        var muxer: MovieMuxer

        init(_ size: PixelSize, _ request: MovieRequest, _ path: FilePath) throws(MediaEncodingError) {
            let video = try CodecContext.video(size: size, frameInterval: request.frameInterval)
            var muxer = try MovieMuxer(path)
            videoTrack = try muxer.addTrack(video)
            let shown = PixelSize(width: size.width & ~1, height: size.height & ~1)
            try muxer.setMatrix(request.description.orientation.trackMatrix(size: shown), ofTrack: videoTrack)
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

    /// An encoder that writes to `path`.
    init(_ request: MovieRequest, to path: FilePath, on executor: QueueExecutor) throws(MediaEncodingError) {
        self.request = request
        self.path = path
        self.executor = executor
        decoder = try JPEGDecoder()
    }

    /// What the finished movie is.
    struct Summary: Sendable {
        let duration: Duration
        let photoDisplayTime: Duration
        let pixelSize: PixelSize
        let silence: Duration?
    }

    /// Encodes a frame; one that cannot be decoded is left out, since the one before is then shown longer.
    func append(_ frame: Frame) throws(MediaEncodingError) {
        try frame.buffer.withBytes { bytes throws(MediaEncodingError) in
            guard let header = try? decoder.header(of: bytes), let sampling = header.sampling else { return }
            let size = JPEGDecoder.size(header.size, scaledDownTo: Self.maximumWidth)
            let start = start ?? frame.timestamp
            let ticks = MovieTime.ticks(frame.timestamp.duration(since: start))
            guard ticks > lastTicks else { return }
            let opened: Tracks
            if let tracks {
                opened = tracks
            } else {
                opened = try Tracks(size, request, path)
                tracks = opened
            }
            guard opened.size == size else { return }
            try opened.video.prepareFrame()
            do throws(MediaEncodingError) {
                try fill(opened.video, bytes, size, sampling)
            } catch {
                guard error.code == .damagedInput else { throw error }
                return
            }
            let interval = MovieTime.ticks(request.frameInterval.duration)
            try unsafe opened.video.send(presentationTime: ticks) { packet throws(MediaEncodingError) in
                unsafe packet.pointee.duration = interval
                try unsafe opened.muxer.write(packet, track: opened.videoTrack, from: opened.video)
            }
            self.start = start
            lastTicks = ticks
        }
    }

    /// Encodes the sound and ends the file.
    ///
    /// - Parameter chunks: the sound, of which the movie's part is taken.
    /// - Returns: what the movie is.
    /// - Throws: `damagedInput` when there was no frame, and what codecs and container throw.
    func finish(_ chunks: [AudioChunk]) throws(MediaEncodingError) -> Summary {
        guard let opened = tracks, let start else {
            throw MediaEncodingError(.damagedInput, "a movie without a frame")
        }
        try unsafe opened.video.send(presentationTime: nil) { packet throws(MediaEncodingError) in
            try unsafe opened.muxer.write(packet, track: opened.videoTrack, from: opened.video)
        }
        let ticks = lastTicks + MovieTime.ticks(request.frameInterval.duration)
        let duration = Duration.nanoseconds(ticks * 1_000_000_000 / Int64(MovieTime.timescale))
        let size = opened.size
        var silence: Duration?
        if let format = request.audio?.format {
            let timeline = AudioTimeline(chunks, format: format, start: start, duration: duration)
            try opened.audio?.encode(timeline, to: opened.muxer)
            silence = timeline.silence
        }
        let summary = Summary(
            duration: duration,
            photoDisplayTime: min(max(.zero, request.stillTime.duration(since: start)), duration),
            pixelSize: PixelSize(width: size.width & ~1, height: size.height & ~1),
            silence: silence
        )
        try opened.muxer.finish()
        tracks = nil
        return summary
    }

    /// Decodes a JPEG into the encoder's frame: at once when it is sampled as the encoder wants it, else by conversion.
    private func fill(
        _ video: borrowing CodecContext,
        _ bytes: RawSpan,
        _ size: PixelSize,
        _ sampling: ChromaSampling
    ) throws(MediaEncodingError) {
        let frame = unsafe video.frame.pointee
        let targets = unsafe [frame.data.0, frame.data.1, frame.data.2]
        let strides = unsafe [frame.linesize.0, frame.linesize.1, frame.linesize.2]
        guard sampling != .quarter else {
            return try unsafe decoder.decode(bytes, into: targets, strides: strides, size: size)
        }
        var picture: PlanarPicture
        if let kept = planes.take(), kept.size == size, kept.sampling == sampling {
            picture = kept
        } else {
            picture = PlanarPicture(size: size, sampling: sampling)
        }
        defer { planes = picture }
        let sourceStrides = picture.strides
        try unsafe picture.withMutablePlanes { planes throws(MediaEncodingError) in
            try unsafe decoder.decode(bytes, into: planes, strides: sourceStrides, size: size)
        }
        try unsafe picture.withPlanes { planes throws(MediaEncodingError) in
            try unsafe converter.convert(
                PixelConverter.Planes(
                    pointers: planes,
                    strides: sourceStrides,
                    format: sampling.pixelFormat,
                    isFullRange: true
                ),
                size: size,
                to: AV_PIX_FMT_YUV420P,
                targets,
                strides: strides
            )
        }
    }
}
