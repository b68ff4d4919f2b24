package import MediaFormats
package import PhotoModel
package import SystemPackage

/// What is wanted of one shot; used once.
package struct CapturePhotoSettings: Sendable {
    /// Names the shot and the asset that it becomes.
    package var uniqueID: AssetID
    /// The folder that the files go to; made by the caller on the file system where they will stay.
    package var folder: FilePath
    /// The file format of the still; refused when the session's recorder does not write it.
    package var format = StillFormat.jpeg
    /// Whether a movie is recorded around the still.
    package var isLivePhoto = false
    /// What made the shutter fall.
    package var trigger = Trigger.command
    /// The moment wanted; nil for now.
    ///
    /// The ring reaches back, so that it may be a little while ago.
    package var requestedTime: MonotonicTime?
    /// Where the camera is; nil when unknown.
    package var location: Location?
    /// How the camera is mounted.
    package var orientation = ImageOrientation.up
    /// Whether the still holds a small picture of itself, for programs that show many at once.
    package var embedsThumbnail = false
    /// How the picture of a Live Photo's movie is compressed.
    package var livePhotoVideoCodec = MovieCodec.h264

    /// Wants a still; the rest is set as needed.
    package init(uniqueID: AssetID, folder: FilePath) {
        self.uniqueID = uniqueID
        self.folder = folder
    }
}

/// What a shot will be, which may differ from what was wanted.
package struct ResolvedPhotoSettings: Hashable, Sendable {
    /// Names the shot.
    package let uniqueID: AssetID
    /// The size of the still.
    package let photoSize: PixelSize
    /// The largest size of the movie; nil when the shot is a still alone.
    package let livePhotoMovieSize: PixelSize?
    /// Whether the movie will have sound.
    package let hasAudio: Bool
    /// The moment asked for.
    package let requestedTime: MonotonicTime

    /// Whether a movie will come.
    package var isLivePhoto: Bool { livePhotoMovieSize != nil }
}
