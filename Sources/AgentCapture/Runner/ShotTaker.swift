import AgentStore
package import Capture
import LibraryAPI
import MediaFormats
package import Persistence
package import PhotoLibrary
import PhotoModel

/// Takes one profile's shots from a running session, and files them.
package struct ShotTaker: Sendable {
    /// How many shots of a burst are written concurrently.
    static let burstWidth = 8

    let session: CaptureSession
    let camera: CaptureDevice
    let profile: CaptureProfile
    let destination: any CaptureDestination
    let clock: any CaptureClock
    let position: PositionSource
    let pool: BlockingPool
    let tally: CaptureTally
    /// Receives each shot's events.
    var report: @Sendable (CaptureEvent) -> Void = { _ in }

    /// Takes shots of a session's camera; `report` gets each shot's events.
    package init(
        session: CaptureSession,
        camera: CaptureDevice,
        profile: CaptureProfile,
        destination: any CaptureDestination,
        clock: any CaptureClock,
        position: PositionSource,
        pool: BlockingPool,
        tally: CaptureTally,
        report: @escaping @Sendable (CaptureEvent) -> Void = { _ in }
    ) {
        self.session = session
        self.camera = camera
        self.profile = profile
        self.destination = destination
        self.clock = clock
        self.position = position
        self.pool = pool
        self.tally = tally
        self.report = report
    }

    /// Takes and durably files a firing's shot, burst or bracket.
    ///
    /// - Throws: why nothing was taken; the shots of a burst or bracket that ended early are kept and counted.
    package func take(_ event: TriggerEvent) async throws -> [CapturedShot] {
        tally.skip(event.skippedCount)
        do {
            if let biases = profile.bracket { return try await bracket(of: biases, event) }
            return profile.count == 1 ? [try await single(event)] : try await burst(event)
        } catch {
            tally.fail(error)
            throw error
        }
    }

    private func single(_ event: TriggerEvent) async throws -> CapturedShot {
        let record = record(of: event)
        do {
            let settings = try await settings(record, event)
            return try await finish(try await session.capturePhoto(with: settings), record)
        } catch {
            await abandon(record, error)
            throw error
        }
    }

    /// Removes a failed shot's leftovers, and reports why it failed.
    func abandon(_ record: EntryRecord, _ error: any Error) async {
        try? await pool.uncancelled { [destination] in try destination.discard(record.manifest.id) }
        reporter(record).finish(error)
    }

    private func reporter(_ record: EntryRecord) -> ShotReporter {
        ShotReporter(record: record, profile: profileName, camera: camera, send: report)
    }

    private var profileName: String? { profile.name.isEmpty ? nil : profile.name }

    /// What is known of a shot before its shutter.
    func record(of event: TriggerEvent) -> EntryRecord {
        let reading = clock.reading()
        var generator = SystemRandomNumberGenerator()
        let id = AssetID.version7(unixMilliseconds: reading.wall.millisecondsSince1970, using: &generator)
        var manifest = AssetManifest(
            id: id,
            mediaType: .image,
            captureTime: reading.captureTime(of: event.time, bootID: clock.bootID),
            desiredAlbum: profile.album.map { .title($0) },
            resources: []
        )
        let mask = profile.mask?.text
        manifest.captureFacts = CaptureFacts(
            trigger: event.trigger.description,
            mask: mask,
            maskDigest: mask.map { ContentHasher.digest($0.utf8) }
        )
        manifest.location = position.location
        return EntryRecord(manifest, isIncompleteLivePhoto: profile.isLivePhoto)
    }

    func settings(_ record: EntryRecord, _ event: TriggerEvent) async throws -> CapturePhotoSettings {
        let folder = try await pool.run { [destination] in try destination.begin(record) }
        var settings = CapturePhotoSettings(uniqueID: record.manifest.id, folder: folder)
        settings.isLivePhoto = profile.isLivePhoto
        settings.format = profile.stillFormat
        settings.includesRaw = profile.includesRaw
        settings.embedsThumbnail = profile.embedsThumbnail
        settings.livePhotoVideoCodec = profile.movieCodec
        settings.trigger = event.trigger
        settings.requestedTime = event.time
        settings.location = record.manifest.location
        settings.orientation = profile.orientation
        return settings
    }

    func finish(_ shot: PhotoCapture, _ record: EntryRecord) async throws -> CapturedShot {
        let reporter = reporter(record)
        let result = try await shot.result(onEvent: reporter.report)
        let files = try await pool.uncancelled { [destination] in try destination.file(result, record) }
        let captured = CapturedShot(result, record, profile: profileName, camera: camera, files: files)
        tally.take(captured)
        reporter.finish()
        return captured
    }
}
