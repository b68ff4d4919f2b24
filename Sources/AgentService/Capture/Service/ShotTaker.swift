import AgentStore
import Capture
import LibraryAPI
import MediaFormats
import Persistence
import PhotoLibrary
import PhotoModel

/// Takes one profile's shots from a running session, and files them.
struct ShotTaker: Sendable {
    /// How many shots of a burst are written concurrently.
    static let burstWidth = 8

    let session: CaptureSession
    let camera: CaptureDevice
    let profile: CaptureProfile
    let filing: any CaptureDestination
    let clock: any CaptureClock
    let position: PositionSource
    let pool: BlockingPool
    let tally: CaptureTally
    /// Receives each shot's events.
    var report: @Sendable (CaptureEvent) -> Void = { _ in }

    /// Takes a firing's shot or burst.
    ///
    /// - Parameter event: the firing.
    /// - Returns: the shots, durably filed.
    /// - Throws: why there is none; the shots of a burst that ended early are kept and counted.
    func take(_ event: TriggerEvent) async throws -> [CapturedShot] {
        tally.skip(event.skippedCount)
        do {
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

    /// Every shot is filed as soon as its files are durable, while the next ones are being taken.
    private func burst(_ event: TriggerEvent) async throws -> [CapturedShot] {
        var generator = SystemRandomNumberGenerator()
        let milliseconds = Box.now().millisecondsSince1970
        let burst = BurstID.version7(unixMilliseconds: milliseconds, using: &generator)
        let frames = try await session.burst(count: profile.count, stride: profile.stride, from: event.time)
        let (shots, failure) = await withTaskGroup(of: Result<CapturedShot, any Error>.self) { group in
            var failure: (any Error)?
            do {
                try await begin(burst, event, frames) { shot, record in
                    group.addTask {
                        await result {
                            do {
                                return try await finish(shot, record)
                            } catch {
                                await abandon(record, error)
                                throw error
                            }
                        }
                    }
                }
            } catch {
                failure = error
            }
            // Started shots are filed, whatever happens to the rest.
            var shots: [CapturedShot] = []
            for await result in group {
                switch result {
                case .success(let shot): shots.append(shot)
                case .failure(let error): failure = failure ?? error
                }
            }
            return (shots, failure)
        }
        if let failure { throw failure }
        return shots.sorted { $0.id < $1.id }
    }

    /// Starts the shots of a burst, one per frame.
    private func begin(
        _ burst: BurstID,
        _ event: TriggerEvent,
        _ frames: BurstFrames,
        onShot: (PhotoCapture, EntryRecord) -> Void
    ) async throws {
        var begun = 0
        for await frame in frames {
            // The first targets the requested moment, each other one its own frame.
            let event = TriggerEvent(event.trigger, at: begun == 0 ? event.time : frame.timestamp)
            var record = record(of: event)
            record.manifest.burst = BurstMembership(id: burst, representsBurst: begun == 0)
            do {
                let settings = try await settings(record, event)
                await session.waitUntilFewer(than: Self.burstWidth)
                onShot(try await session.capturePhoto(with: settings, of: frame), record)
            } catch {
                await abandon(record, error)
                throw error
            }
            begun += 1
        }
        guard begun == profile.count else {
            throw CaptureError(
                .noFrame,
                "the burst ended after \(begun) of \(profile.count) shots: the camera gave no more frames",
                deviceID: camera.id
            )
        }
    }

    private func result<Value: Sendable>(
        _ work: () async throws -> Value
    ) async -> Result<Value, any Error> {
        do {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }

    /// Removes a failed shot's leftovers, and reports why it failed.
    private func abandon(_ record: EntryRecord, _ error: any Error) async {
        try? await pool.uncancelled { [filing] in try filing.discard(record.manifest.id) }
        reporter(record).finish(error)
    }

    private func reporter(_ record: EntryRecord) -> ShotReporter {
        ShotReporter(record: record, profile: profileName, camera: camera, send: report)
    }

    private var profileName: String? { profile.name.isEmpty ? nil : profile.name }

    /// What is known of a shot before its shutter.
    private func record(of event: TriggerEvent) -> EntryRecord {
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

    private func settings(_ record: EntryRecord, _ event: TriggerEvent) async throws -> CapturePhotoSettings {
        let folder = try await pool.run { [filing] in try filing.begin(record) }
        var settings = CapturePhotoSettings(uniqueID: record.manifest.id, folder: folder)
        settings.isLivePhoto = profile.isLivePhoto
        settings.format = profile.stillFormat
        settings.embedsThumbnail = profile.embedsThumbnail
        settings.livePhotoVideoCodec = profile.movieCodec
        settings.trigger = event.trigger
        settings.requestedTime = event.time
        settings.location = record.manifest.location
        settings.orientation = profile.orientation
        return settings
    }

    private func finish(_ shot: PhotoCapture, _ record: EntryRecord) async throws -> CapturedShot {
        let reporter = reporter(record)
        let result = try await shot.result(onEvent: reporter.report)
        let files = try await pool.uncancelled { [filing] in try filing.file(result, record) }
        let captured = CapturedShot(result, record, profile: profileName, camera: camera, files: files)
        tally.take(captured)
        reporter.finish()
        return captured
    }
}
