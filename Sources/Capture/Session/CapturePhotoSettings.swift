package import MediaFormats
package import PhotoModel
package import SystemPackage

/// The request for one shot; used once.
package struct CapturePhotoSettings: Sendable {
    /// Identifies the shot and the asset it becomes.
    package var uniqueID: AssetID
    /// The folder for the files; created by the caller on their final file system.
    package var folder: FilePath
    /// The still's file format; refused if the session's recorder does not write it.
    package var format = StillFormat.jpeg
    /// Whether the sensor's raw samples are also kept, as DNG (AVFoundation's RAW plus processed photo).
    package var includesRaw = false
    /// Whether a movie is recorded around the still.
    package var isLivePhoto = false
    /// What triggered the shutter.
    package var trigger = Trigger.command
    /// The requested moment; nil for now.
    ///
    /// The ring reaches back, so it may be slightly in the past.
    package var requestedTime: MonotonicTime?
    /// Where the camera is; nil if unknown.
    package var location: Location?
    /// How the camera is mounted.
    package var orientation = ImageOrientation.up
    /// Whether the still includes a thumbnail, for programs that show many at once.
    package var embedsThumbnail = false
    /// How the frame's exposure differs from the camera's own, in EV; nil outside a bracket.
    package var exposureBias: Double?
    /// The video codec of a Live Photo's movie.
    package var livePhotoVideoCodec = MovieCodec.h264

    /// Requests a still; the caller sets the rest.
    package init(uniqueID: AssetID, folder: FilePath) {
        self.uniqueID = uniqueID
        self.folder = folder
    }
}

/// The resolved settings of a shot, which may differ from the request.
package struct ResolvedPhotoSettings: Hashable, Sendable {
    /// Identifies the shot.
    package let uniqueID: AssetID
    /// The size of the still.
    package let photoSize: PixelSize
    /// The maximum size of the movie; nil for a plain still.
    package let livePhotoMovieSize: PixelSize?
    /// Whether the movie will have sound.
    package let hasAudio: Bool
    /// The requested moment.
    package let requestedTime: MonotonicTime

    /// Whether there will be a movie.
    package var isLivePhoto: Bool { livePhotoMovieSize != nil }
}
