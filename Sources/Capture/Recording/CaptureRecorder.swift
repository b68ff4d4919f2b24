package import MediaFormats
package import PhotoModel
package import SystemPackage

/// Writes files from kept frames and sound; hides codecs and the disk.
package protocol CaptureRecorder: Sendable {
    /// The still formats it writes.
    var stillFormats: Set<StillFormat> { get }

    /// The H.264 encoder tried first for movies, by libavcodec's name; nil if unknown.
    func videoEncoderName() async -> String?

    /// Makes a still durable: the file's bytes and name now survive a power cut.
    ///
    /// - Throws: `noFrame` if the frame is damaged, `encodingFailed`, `storageFailed`.
    func recordStill(_ request: StillRequest) async throws(CaptureError) -> RecordedStill

    /// Makes a movie durable, processing frames as they arrive: the file's bytes and name now survive a power cut.
    ///
    /// - Throws: `encodingFailed`, `storageFailed`, `cancelled`; no file is left then.
    func recordMovie(_ request: MovieRequest) async throws(CaptureError) -> RecordedMovie
}

extension CaptureRecorder {
    /// JPEG only.
    package var stillFormats: Set<StillFormat> { [.jpeg] }

    /// Unknown.
    package func videoEncoderName() async -> String? { nil }
}

/// The metadata of a still and its movie.
package struct CaptureDescription: Sendable {
    /// The capture's identifier; stored in the still as its unique image ID.
    package var id: AssetID
    /// Joins still and movie; nil for a plain still.
    package var contentIdentifier: ContentIdentifier?
    /// The camera.
    package var camera: CaptureDevice
    /// When the chosen frame was taken.
    package var captureTime: CaptureTime
    /// Where it was taken.
    package var location: Location?
    /// How to rotate the picture upright.
    package var orientation: ImageOrientation
    /// Whether the still includes a thumbnail.
    package var hasThumbnail: Bool
    /// What triggered the shutter.
    package var trigger: Trigger
    /// How the exposure differs from the camera's own, in EV; nil outside a bracket.
    package var exposureBias: Double?
}

/// A still to write.
package struct StillRequest: Sendable {
    /// The chosen frame.
    package var frame: Frame
    /// The file's metadata.
    package var description: CaptureDescription
    /// The file format.
    package var format: StillFormat
    /// The path of the new file, whose name gets its digest.
    package var path: FilePath
}

/// A movie to write.
package struct MovieRequest: Sendable {
    /// The frames, in order of time.
    package var frames: AsyncStream<Frame>
    /// The sound; nil for a silent movie.
    package var audio: AudioTrackRequest?
    /// Earlier frames are dropped; the first one after it begins the movie.
    package var start: MonotonicTime
    /// The still's time, which lies among the frames.
    package var stillTime: MonotonicTime
    /// The time from one frame to the next, for the duration of the last one.
    package var frameInterval: FrameInterval
    /// The video codec.
    package var codec: MovieCodec
    /// The file's metadata.
    package var description: CaptureDescription
    /// The path of the new file, whose name gets its digest.
    package var path: FilePath
}

/// The sound of a movie to write.
package struct AudioTrackRequest: Sendable {
    /// The sound, in order of time; gaps become silence.
    package var chunks: AsyncStream<AudioChunk>
    /// The sample rate and channels.
    package var format: AudioFormat
}

/// A file whose bytes and name are durable.
package struct RecordedFile: Hashable, Sendable {
    /// Its path: the requested one, with the digest in its name (`ContentDigest.fileName`).
    package var path: FilePath
    /// Its length in bytes.
    package var byteCount: Int64
    /// SHA-256 of its bytes, computed while writing.
    package var digest: ContentDigest
    /// The IANA media type.
    package var contentType: String

    package init(path: FilePath, byteCount: Int64, digest: ContentDigest, contentType: String) {
        self.path = path
        self.byteCount = byteCount
        self.digest = digest
        self.contentType = contentType
    }
}

/// A durable still.
package struct RecordedStill: Hashable, Sendable {
    /// The file.
    package var file: RecordedFile
    /// The stored width and height.
    package var pixelSize: PixelSize

    package init(file: RecordedFile, pixelSize: PixelSize) {
        self.file = file
        self.pixelSize = pixelSize
    }
}

/// The durable photos of one frame.
struct RecordedPhotos: Hashable, Sendable {
    /// The still.
    let still: RecordedStill
    /// The sensor's raw samples; nil unless they were asked for.
    let raw: RecordedStill?
}

/// A Live Photo's durable movie.
package struct RecordedMovie: Hashable, Sendable {
    /// The file.
    package var file: RecordedFile
    /// Its duration.
    package var duration: Duration
    /// The still's time in it.
    package var photoDisplayTime: Duration
    /// Width and height.
    package var pixelSize: PixelSize
    /// The duration of silence inserted for missing samples; nil for a silent movie.
    package var silence: Duration?

    package init(
        file: RecordedFile,
        duration: Duration,
        photoDisplayTime: Duration,
        pixelSize: PixelSize,
        silence: Duration?
    ) {
        self.file = file
        self.duration = duration
        self.photoDisplayTime = photoDisplayTime
        self.pixelSize = pixelSize
        self.silence = silence
    }
}
