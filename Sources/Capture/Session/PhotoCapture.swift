package import PhotoModel
import SystemPackage

/// A shot in progress: the callbacks of AVFoundation's photo capture delegate as a sequence.
package struct PhotoCapture: Sendable {
    /// The request.
    package let settings: CapturePhotoSettings
    /// The resolved settings.
    package let resolved: ResolvedPhotoSettings
    let bootID: BootID?
    /// Its events up to and including `finished`; one reader.
    package let events: AsyncStream<PhotoCaptureEvent>

    /// Consumes all events, instead of reading ``events``, and assembles the still, with its movie if one was requested
    /// and succeeded.
    ///
    /// - Throws: why there is no still. A failed movie does not throw, but sets ``CaptureResult/movieError``.
    package func result(onEvent: (PhotoCaptureEvent) -> Void = { _ in }) async throws(CaptureError) -> CaptureResult {
        var chosen: ChosenFrame?
        var still: RecordedStill?
        var raw: RecordedStill?
        var movie: RecordedMovie?
        var recordingEnd: FeedEnd?
        var failure: CaptureError?
        for await event in events {
            onEvent(event)
            switch event {
            case .willBegin, .willCapture: break
            case .didCapture(let frame): chosen = frame
            case .photo(let recorded): still = recorded
            case .rawPhoto(let recorded): raw = recorded
            case .movieRecordingStopped(let end): recordingEnd = end
            case .movie(let recorded): movie = recorded
            case .finished(let error): failure = error
            }
        }
        guard let chosen, let still else {
            throw failure ?? CaptureError(.cancelled, "the shot ended without a still")
        }
        return CaptureResult(
            id: settings.uniqueID,
            resolved: resolved,
            trigger: settings.trigger,
            frame: chosen,
            still: still,
            raw: raw,
            movie: movie,
            recordingEnd: recordingEnd,
            movieError: failure
        )
    }
}

/// A finished shot: its durable files and everything known about them.
package struct CaptureResult: Sendable {
    /// One file of the shot.
    package struct Resource: Hashable, Sendable {
        /// Its role in the asset.
        package let type: AssetResourceType
        /// The file.
        package let file: RecordedFile
        /// The display name; the files of a pair differ only in the extension.
        package let originalFilename: FileName?
    }

    /// A shortcoming of a Live Photo.
    package enum Flag: String, Hashable, Sendable, CaseIterable {
        /// A movie was requested, but there is none.
        case liveIncomplete
        /// The movie is silent, because there was no microphone.
        case audioAbsent
        /// The movie has silence where the microphone delivered nothing.
        case audioGap
        /// The movie ends before the end of the post-roll.
        case movieCutShort
    }

    /// Identifies the shot and the asset it becomes.
    package let id: AssetID
    /// The resolved settings.
    package let resolved: ResolvedPhotoSettings
    /// What triggered the shutter.
    package let trigger: Trigger
    /// The chosen frame: its time with the evidence, and its distance from the requested moment.
    package let frame: ChosenFrame
    /// The still.
    package let still: RecordedStill
    /// The sensor's raw samples of the same frame; nil unless they were asked for.
    package let raw: RecordedStill?
    /// The movie; nil for a plain still, or if it failed.
    package let movie: RecordedMovie?
    /// How the movie's recording ended; nil for a plain still.
    package let recordingEnd: FeedEnd?
    /// Why a requested movie is missing.
    package let movieError: CaptureError?

    /// Joins still and movie; nil without a movie.
    package var contentIdentifier: ContentIdentifier? {
        movie == nil ? nil : ContentIdentifier(rawValue: id.rawValue)
    }

    /// The shortcomings of a Live Photo.
    package var flags: Set<Flag> {
        guard resolved.isLivePhoto else { return [] }
        var flags: Set<Flag> = []
        if movie == nil { flags.insert(.liveIncomplete) }
        if !resolved.hasAudio { flags.insert(.audioAbsent) }
        if let silence = movie?.silence, silence > .zero { flags.insert(.audioGap) }
        if recordingEnd != .complete { flags.insert(.movieCutShort) }
        return flags
    }

    /// The files, the still first.
    package var resources: [Resource] {
        let stem = Self.stem(of: frame.captureTime)
        let ending = still.file.path.extension?.uppercased() ?? "JPG"
        func resource(_ type: AssetResourceType, _ file: RecordedFile, _ ending: String) -> Resource {
            Resource(type: type, file: file, originalFilename: FileName("\(stem).\(ending)"))
        }
        return [resource(.photo, still.file, ending)]
            + (raw.map { [resource(.alternatePhoto, $0.file, "DNG")] } ?? [])
            + (movie.map { [resource(.pairedVideo, $0.file, "MOV")] } ?? [])
    }

    /// `IMG_20260102_030405_678`, in local time.
    package static func stem(of time: CaptureTime) -> String {
        let local = CivilTime(time.wall, utcOffsetSeconds: time.utcOffsetSeconds ?? 0)
        let date = local.year.digits(4) + local.month.digits(2) + local.day.digits(2)
        let time = local.hour.digits(2) + local.minute.digits(2) + local.second.digits(2)
        return "IMG_\(date)_\(time)_\((local.microsecond / 1000).digits(3))"
    }
}
