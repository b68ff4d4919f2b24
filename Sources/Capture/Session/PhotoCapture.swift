package import PhotoModel
import SystemPackage

/// One shot under way: what AVFoundation's photo capture delegate is told, as a sequence.
package struct PhotoCapture: Sendable {
    /// What was wanted.
    package let settings: CapturePhotoSettings
    /// What it will be.
    package let resolved: ResolvedPhotoSettings
    let bootID: BootID?
    /// What happens to it, up to and with `finished`; one reader.
    package let events: AsyncStream<PhotoCaptureEvent>

    /// Reads the events to their end and puts the outcome together, instead of reading ``events``.
    ///
    /// - Parameter onEvent: told each event as it happens.
    /// - Returns: a still, with its movie if one was wanted and made.
    /// - Throws: why there is no still. A movie that failed throws nothing: it is told by ``CaptureResult/movieError``.
    package func result(
        onEvent: (PhotoCaptureEvent) -> Void = { _ in }
    ) async throws(CaptureError) -> CaptureResult {
        var chosen: ChosenFrame?
        var still: RecordedStill?
        var movie: RecordedMovie?
        var recordingEnd: FeedEnd?
        var failure: CaptureError?
        for await event in events {
            onEvent(event)
            switch event {
            case .willBegin, .willCapture: break
            case .didCapture(let frame): chosen = frame
            case .photo(let recorded): still = recorded
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
            movie: movie,
            recordingEnd: recordingEnd,
            movieError: failure
        )
    }
}

/// A shot that is over: files that are durable, and everything that is known of them.
package struct CaptureResult: Sendable {
    /// One file of the shot.
    package struct Resource: Hashable, Sendable {
        /// What part it plays in the asset.
        package let type: AssetResourceType
        /// The file.
        package let file: RecordedFile
        /// The name to show to people; the files of a pair share it but for the extension.
        package let originalFilename: FileName?
    }

    /// What is to be said of a Live Photo that is not all it could be.
    package enum Flag: String, Hashable, Sendable, CaseIterable {
        /// A movie was wanted, and there is none.
        case liveIncomplete
        /// The movie is silent, since there was no microphone.
        case audioAbsent
        /// The movie has silence where the microphone gave nothing.
        case audioGap
        /// The movie ends before the post-roll was over.
        case movieCutShort
    }

    /// Names the shot and the asset that it becomes.
    package let id: AssetID
    /// What it was to be.
    package let resolved: ResolvedPhotoSettings
    /// What made the shutter fall.
    package let trigger: Trigger
    /// The chosen frame: its time with the evidence, and how far from the moment asked for it was.
    package let frame: ChosenFrame
    /// The still.
    package let still: RecordedStill
    /// The movie; nil for a still alone, or when it failed.
    package let movie: RecordedMovie?
    /// How recording the movie ended; nil for a still alone.
    package let recordingEnd: FeedEnd?
    /// Why there is no movie though one was wanted.
    package let movieError: CaptureError?

    /// Joins still and movie; nil when there is no movie.
    package var contentIdentifier: ContentIdentifier? {
        movie == nil ? nil : ContentIdentifier(rawValue: id.rawValue)
    }

    /// What is to be said of a Live Photo that is not all it could be.
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
        let photo = Resource(type: .photo, file: still.file, originalFilename: FileName("\(stem).\(ending)"))
        guard let movie else { return [photo] }
        return [photo, Resource(type: .pairedVideo, file: movie.file, originalFilename: FileName(stem + ".MOV"))]
    }

    /// `IMG_20260102_030405_678`, by the clock on the wall.
    package static func stem(of time: CaptureTime) -> String {
        let local = CivilTime(time.wall, utcOffsetSeconds: time.utcOffsetSeconds ?? 0)
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = digits(local.year, 4) + digits(local.month, 2) + digits(local.day, 2)
        let time = digits(local.hour, 2) + digits(local.minute, 2) + digits(local.second, 2)
        return "IMG_\(date)_\(time)_\(digits(local.microsecond / 1000, 3))"
    }
}

extension CaptureSession {
    /// Takes a shot and waits for its files: ``capturePhoto(with:)``, then ``PhotoCapture/result(onEvent:)``.
    ///
    /// - Parameter settings: what is wanted.
    /// - Returns: durable files and what is known of them.
    /// - Throws: why the shot was not begun, or why there is no still.
    package func capture(_ settings: CapturePhotoSettings) async throws(CaptureError) -> CaptureResult {
        try await capturePhoto(with: settings).result()
    }
}
