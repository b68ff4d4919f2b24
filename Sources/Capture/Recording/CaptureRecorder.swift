package import MediaFormats
package import PhotoModel
package import SystemPackage

/// Makes files of kept frames and sound; the codecs and the disk stand behind it.
package protocol CaptureRecorder: Sendable {
    /// The formats of stills that it writes.
    var stillFormats: Set<StillFormat> { get }

    /// Makes a still durable.
    ///
    /// - Parameter request: the frame and what the file says of it.
    /// - Returns: the file, which survives a power cut from now on.
    /// - Throws: `noFrame` when the frame is damaged, `encodingFailed`, `storageFailed`.
    func recordStill(_ request: StillRequest) async throws(CaptureError) -> RecordedStill

    /// Makes a movie durable; works on frames while they still arrive.
    ///
    /// - Parameter request: the frames and sound to come, and what the file says of them.
    /// - Returns: the file, which survives a power cut from now on.
    /// - Throws: `encodingFailed`, `storageFailed`, `cancelled`; then no file is left.
    func recordMovie(_ request: MovieRequest) async throws(CaptureError) -> RecordedMovie
}

extension CaptureRecorder {
    /// JPEG alone.
    package var stillFormats: Set<StillFormat> { [.jpeg] }
}

/// What a still and a movie say of themselves.
package struct CaptureDescription: Sendable {
    /// Names the capture; goes into the still as its unique picture number.
    package var id: AssetID
    /// Joins still and movie; nil for a still alone.
    package var contentIdentifier: ContentIdentifier?
    /// The camera.
    package var camera: CaptureDevice
    /// When the chosen frame was taken.
    package var captureTime: CaptureTime
    /// Where it was taken.
    package var location: Location?
    /// How to turn the picture to show it upright.
    package var orientation: ImageOrientation
    /// Whether the still holds a small picture of itself.
    package var hasThumbnail: Bool
    /// What made the shutter fall.
    package var trigger: Trigger
}

/// One still to be written.
package struct StillRequest: Sendable {
    /// The chosen frame.
    package var frame: Frame
    /// What the file says of it.
    package var description: CaptureDescription
    /// The file format.
    package var format: StillFormat
    /// Where the file goes; nothing is there yet.
    package var path: FilePath
}

/// One movie to be written.
package struct MovieRequest: Sendable {
    /// The frames in the order of time.
    package var frames: AsyncStream<Frame>
    /// The sound; nil for a silent movie.
    package var audio: AudioTrackRequest?
    /// Frames before this are left out; the first one after it begins the movie.
    package var start: MonotonicTime
    /// When the still was taken, which lies among the frames.
    package var stillTime: MonotonicTime
    /// The time from one frame to the next, for the length of the last.
    package var frameInterval: FrameInterval
    /// How the picture is compressed.
    package var codec: MovieCodec
    /// What the file says of itself.
    package var description: CaptureDescription
    /// Where the file goes; nothing is there yet.
    package var path: FilePath
}

/// The sound of a movie to be written.
package struct AudioTrackRequest: Sendable {
    /// The sound in the order of time; gaps become silence.
    package var chunks: AsyncStream<AudioChunk>
    /// Rate and channels.
    package var format: AudioFormat
}

/// A file that is durable.
package struct RecordedFile: Hashable, Sendable {
    /// Where it is.
    package var path: FilePath
    /// Its length in bytes.
    package var byteCount: Int64
    /// SHA-256 of its bytes, computed while they were written.
    package var digest: ContentDigest
    /// Media type as IANA names it.
    package var contentType: String

    /// Describes a file.
    package init(path: FilePath, byteCount: Int64, digest: ContentDigest, contentType: String) {
        self.path = path
        self.byteCount = byteCount
        self.digest = digest
        self.contentType = contentType
    }
}

/// A still that is durable.
package struct RecordedStill: Hashable, Sendable {
    /// The file.
    package var file: RecordedFile
    /// Width and height as stored.
    package var pixelSize: PixelSize

    /// Describes a still.
    package init(file: RecordedFile, pixelSize: PixelSize) {
        self.file = file
        self.pixelSize = pixelSize
    }
}

/// The movie of a Live Photo that is durable.
package struct RecordedMovie: Hashable, Sendable {
    /// The file.
    package var file: RecordedFile
    /// How long it plays.
    package var duration: Duration
    /// When in it the still is shown.
    package var photoDisplayTime: Duration
    /// Width and height.
    package var pixelSize: PixelSize
    /// How much of the sound is silence put in for samples that were missing; nil for a silent movie.
    package var silence: Duration?

    /// Describes a movie.
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
