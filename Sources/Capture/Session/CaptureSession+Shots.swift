import PhotoModel
import SystemPackage

extension CaptureSession {
    /// The frames of a burst: 1 to 1,000 consecutive or every n-th from a moment on, none skipped; fewer if the camera
    /// ends.
    ///
    /// Frames are queued within the camera's memory budget.
    ///
    /// - Throws: `unsupported` for other numbers, `notRunning`.
    package func burst(count: Int, stride: Int = 1, from start: MonotonicTime) throws(CaptureError) -> BurstFrames {
        guard 1...1000 ~= count, stride >= 1 else {
            throw CaptureError(.unsupported, "a burst is 1 to 1000 shots, of every frame or fewer")
        }
        guard let camera else { throw CaptureError(.notRunning, "start the session first") }
        let interval = camera.stream.format.frameInterval.duration
        // Twice the expected duration, for a camera that is slower than it claims.
        let limit = start.advanced(by: interval * (count * stride * 2) + .seconds(2))
        let feed = camera.pipeline.ring.feed(from: start.advanced(by: .zero - interval / 2), through: limit)
        return BurstFrames(feed: feed, count: count, stride: stride)
    }

    /// Starts a shot of the frame nearest to the requested moment, or of a given one, such as one of a burst; without a
    /// moment, the frame's is used.
    ///
    /// - Throws: `notRunning` or why the camera ended, `reconfiguring`, `tooManyCaptures`, `livePhotoUnsupported`;
    ///   nothing was started then.
    package func capturePhoto(
        with settings: CapturePhotoSettings,
        of frame: Frame? = nil
    ) throws(CaptureError) -> PhotoCapture {
        guard !isChanging else {
            throw CaptureError(.reconfiguring, "the pipeline is being changed; try again")
        }
        guard let camera else {
            if case .failed(let error) = state { throw error }
            throw CaptureError(.notRunning, "start the session first")
        }
        try camera.input.consent.check(camera.input.source.device, is: .camera)
        if let interruption = camera.pipeline.interruption { throw interruption }
        let limit = configuration.photoOutput.maximumInFlight
        guard shots.activity.inFlightCount < limit else {
            throw CaptureError(.tooManyCaptures, "\(limit) shots are in progress; wait for one to finish")
        }
        guard !shots.contains(settings.uniqueID) else {
            throw CaptureError(.configurationFailed, "a shot with this identifier is in progress")
        }
        for format in [settings.format] + (settings.includesRaw ? [.dng] : [])
        where !recorder.stillFormats.contains(format) {
            let known = recorder.stillFormats.map(\.rawValue).sorted().joined(separator: ", ")
            throw CaptureError(.unsupported, "stills can be written as \(known), not as \(format.rawValue)")
        }
        try camera.checkFormat(settings.format)
        if settings.includesRaw { try camera.checkFormat(.dng) }
        let isLive = settings.isLivePhoto
        if isLive { try checkLivePhoto() }
        let size = camera.stream.format.size
        let resolved = ResolvedPhotoSettings(
            uniqueID: settings.uniqueID,
            photoSize: size,
            livePhotoMovieSize: isLive ? size : nil,
            hasAudio: isLive && microphone != nil,
            requestedTime: settings.requestedTime ?? frame?.timestamp ?? clock.reading().monotonic
        )
        // Everything is requested from the rings now: however late the shot's task runs, nothing it needs is gone.
        let interval = camera.stream.format.frameInterval.duration
        let target = resolved.requestedTime
        let shot = Shot(
            settings: settings,
            resolved: resolved,
            camera: camera,
            choice: frame.map { .frame($0) }
                ?? .nearest(
                    camera.pipeline.ring.feed(
                        from: target.advanced(by: .zero - interval * 2),
                        through: target.advanced(by: .seconds(1))
                    )
                ),
            movie: isLive ? movieFeeds(around: frame?.timestamp ?? target, camera, microphone) : nil,
            preRoll: configuration.photoOutput.preRoll
        )
        let events = shots.begin(resolved)
        spawn { await self.perform(shot) }
        changed()
        return PhotoCapture(settings: settings, resolved: resolved, bootID: clock.bootID, events: events)
    }

    /// Throws `livePhotoUnsupported` if the pipeline cannot take one.
    private func checkLivePhoto() throws(CaptureError) {
        let output = configuration.photoOutput
        guard output.isLivePhotoCaptureEnabled else {
            throw CaptureError(.livePhotoUnsupported, "Live Photos are not enabled in this session")
        }
        guard microphone != nil || output.audioPolicy == .optional else {
            throw CaptureError(
                .livePhotoUnsupported,
                "the microphone that Live Photos need is gone",
                deviceID: configuration.microphone?.source.device.id
            )
        }
    }
}

/// A shot with the devices it is taken from.
private struct Shot: Sendable {
    /// The source of the still.
    enum Choice: Sendable {
        /// Whichever of these is nearest to the requested moment.
        case nearest(MediaFeed<Frame>)
        /// This one.
        case frame(Frame)
    }

    let settings: CapturePhotoSettings
    let resolved: ResolvedPhotoSettings
    let camera: RunningCamera
    let choice: Choice
    /// The movie's sources; nil for a plain still.
    let movie: MovieFeeds?
    let preRoll: Duration

    var id: AssetID { settings.uniqueID }

    /// The identifier that joins still and movie: the same bits as the asset's, so that a pair can be identified from
    /// it.
    var contentIdentifier: ContentIdentifier? {
        resolved.isLivePhoto ? ContentIdentifier(rawValue: id.rawValue) : nil
    }
}

extension CaptureSession {
    private func perform(_ shot: Shot) async {
        report(.choosing, of: shot.id)
        let frame: Frame
        do throws(CaptureError) {
            frame = try await chooseFrame(for: shot)
        } catch {
            return report(.notChosen(error), of: shot.id)
        }
        let time = frame.info.clock.captureTime(of: frame.timestamp, bootID: clock.bootID)
        let lag = frame.timestamp.duration(since: shot.resolved.requestedTime)
        report(.chosen(ChosenFrame(info: frame.info, captureTime: time, lag: lag)), of: shot.id)
        let description = CaptureDescription(
            id: shot.id,
            contentIdentifier: shot.contentIdentifier,
            camera: shot.camera.input.source.device,
            captureTime: time,
            location: shot.settings.location,
            orientation: shot.settings.orientation,
            hasThumbnail: shot.settings.embedsThumbnail,
            trigger: shot.settings.trigger,
            exposureBias: shot.settings.exposureBias
        )
        await write(shot, frame, description)
    }

    /// Finds the frame nearest to the requested moment; frames more than a second later do not count.
    private func chooseFrame(for shot: Shot) async throws(CaptureError) -> Frame {
        let target = shot.resolved.requestedTime
        let interval = shot.camera.stream.format.frameInterval.duration
        let ring = shot.camera.pipeline.ring
        let feed: MediaFeed<Frame>
        switch shot.choice {
        case .frame(let frame): return frame
        case .nearest(let candidates): feed = candidates
        }
        defer { feed.finish(.complete) }
        var selector = StillSelector(target: target, interval: interval)
        for await frame in feed.items {
            let isNewest = ring.newest.map { $0.timestamp <= frame.timestamp } ?? true
            if let chosen = selector.offer(frame, isNewest: isNewest) { return chosen }
        }
        if Task.isCancelled { throw CaptureError(.cancelled, "the session was cancelled") }
        let deviceID = shot.camera.input.source.device.id
        if shot.camera.input.consent.isWithdrawn {
            throw CaptureError(.consentWithdrawn, "the permission was withdrawn before the shot", deviceID: deviceID)
        }
        guard let frame = selector.fallback else {
            let end = await feed.end()
            throw CaptureError(
                end == .deviceLost ? .deviceLost : .noFrame,
                "no frame near the requested moment (\(end.rawValue))",
                deviceID: deviceID
            )
        }
        return frame
    }

    /// The results of writing a shot's parts.
    private enum Part: Sendable {
        case still(Result<RecordedPhotos, CaptureError>)
        case recordingStopped(FeedEnd)
        case movie(Result<RecordedMovie, CaptureError>)
    }

    /// Writes still and movie concurrently; if the still fails, the movie is abandoned.
    private func write(_ shot: Shot, _ frame: Frame, _ description: CaptureDescription) async {
        let base = shot.settings.folder.appending(shot.id.description)
        let still = StillRequest(
            frame: frame,
            description: description,
            format: shot.settings.format,
            path: base.withExtension(shot.settings.format.fileExtension)
        )
        var raw: StillRequest?
        if shot.settings.includesRaw {
            raw = still
            raw?.format = .dng
            raw?.path = base.withExtension(StillFormat.dng.fileExtension)
        }
        await withTaskGroup(of: Part.self) { [recorder, raw] group in
            group.addTask {
                let photos = await Result.awaiting { () throws(CaptureError) in
                    let photo = try await recorder.recordStill(still)
                    guard let raw else { return RecordedPhotos(still: photo, raw: nil) }
                    return RecordedPhotos(still: photo, raw: try await recorder.recordStill(raw))
                }
                return .still(photos)
            }
            if let movie = shot.movie {
                let request = MovieRequest(
                    frames: movie.frames.items,
                    audio: movie.audio.map { AudioTrackRequest(chunks: $0.feed.items, format: $0.format) },
                    start: frame.timestamp.advanced(by: .zero - shot.preRoll),
                    stillTime: frame.timestamp,
                    frameInterval: shot.camera.stream.format.frameInterval,
                    codec: shot.settings.livePhotoVideoCodec,
                    description: description,
                    path: base.withExtension("mov")
                )
                group.addTask { .recordingStopped(await movie.end()) }
                group.addTask {
                    let recorded = await Result.awaiting { () throws(CaptureError) in
                        try await recorder.recordMovie(request)
                    }
                    return .movie(recorded)
                }
            }
            for await part in group {
                switch part {
                case .still(let result):
                    report(.still(result), of: shot.id)
                    if result.failure != nil { group.cancelAll() }
                case .recordingStopped(let end): report(.recordingStopped(end), of: shot.id)
                case .movie(let result): report(.movie(result), of: shot.id)
                }
            }
        }
    }

    /// Requests frames and sound from the pre-roll to the post-roll around a time.
    ///
    /// The still is up to half an interval away from that time, and the last frame is shown for one interval: sound
    /// covers both.
    private func movieFeeds(
        around time: MonotonicTime,
        _ camera: RunningCamera,
        _ microphone: RunningMicrophone?
    ) -> MovieFeeds {
        let output = configuration.photoOutput
        let interval = camera.stream.format.frameInterval.duration
        let start = time.advanced(by: .zero - output.preRoll - interval)
        let limit = time.advanced(by: max(output.postRoll, interval))
        let frames = camera.pipeline.ring.feed(from: start, through: limit)
        guard let microphone else { return MovieFeeds(frames: frames, audio: nil) }
        let audio = microphone.pipeline.ring.feed(
            from: start,
            through: limit.advanced(by: interval),
            overlap: AudioDeadline.grace
        )
        return MovieFeeds(frames: frames, audio: (audio, microphone.pipeline.format))
    }
}

/// A movie's sources during recording.
private struct MovieFeeds: Sendable {
    let frames: MediaFeed<Frame>
    let audio: (feed: MediaFeed<AudioChunk>, format: AudioFormat)?

    /// Waits for the end of the pictures, which also ends the sound unless all of it was delivered.
    func end() async -> FeedEnd {
        let end = await frames.end()
        if end != .complete { audio?.feed.finish(end) }
        return end
    }
}

extension FilePath {
    /// The path with an extension added to its last component.
    fileprivate func withExtension(_ name: String) -> FilePath {
        var path = self
        path.extension = name
        return path
    }
}

extension RunningCamera {
    /// Throws `unsupported` if its frames cannot become a still of this format.
    fileprivate func checkFormat(_ format: StillFormat) throws(CaptureError) {
        guard format.pixels != .any else { return }
        guard input.keepsSamples, format.pixels.accepts(input.format.pixelFormat) else {
            throw CaptureError(
                .unsupported,
                "frames in \(input.format.pixelFormat) cannot become \(format.rawValue) here: shot.format and "
                    + "shot.raw of a profile determine how its camera is opened",
                deviceID: input.source.device.id
            )
        }
    }
}
