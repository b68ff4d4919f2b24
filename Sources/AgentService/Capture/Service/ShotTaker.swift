import Capture
import MediaFormats
import Persistence
import PhotoModel
import Synchronization

/// Takes the shots of one profile from a running session, and puts them in their place.
struct ShotTaker: Sendable {
    let session: CaptureSession
    let camera: CaptureDevice
    let profile: CaptureProfile
    let filing: any CaptureFiling
    let clock: any CaptureClock
    let position: PositionSource
    let pool: BlockingPool
    let tally: CaptureTally

    /// Takes what a firing asks for: one shot, or a burst.
    ///
    /// - Parameter event: the firing.
    /// - Returns: the shots, durable in their place.
    /// - Throws: why there is none; the shots of a burst that ended early stand, and are counted.
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
        let settings = try await settings(record, event)
        do {
            return try await finish(try await session.capturePhoto(with: settings), record)
        } catch {
            try? await pool.uncancelled { [filing] in try filing.discard(record) }
            throw error
        }
    }

    /// Every shot is filed as soon as its files are durable, while the next ones are taken.
    private func burst(_ event: TriggerEvent) async throws -> [CapturedShot] {
        var generator = SystemRandomNumberGenerator()
        let milliseconds = Box.now().millisecondsSince1970
        let burst = BurstID.version7(unixMilliseconds: milliseconds, using: &generator)
        let (shots, sink) = AsyncStream<(PhotoCapture, CaptureRecord)>.makeStream()
        let records = BegunRecords()
        return try await withThrowingTaskGroup(of: CapturedShot?.self) { group in
            group.addTask {
                defer { sink.finish() }
                try await session.captureBurst(count: profile.count, stride: profile.stride) {
                    index async throws(CaptureError) in
                    var record = record(of: event)
                    record.burst = BurstMembership(id: burst, representsBurst: index == 0)
                    records.add(record)
                    return try await burstSettings(record, event)
                } onShot: { shot in
                    let record = records.take(shot.settings.uniqueID)
                    if let record { sink.yield((shot, record)) }
                }
                return nil
            }
            for await (shot, record) in shots { group.addTask { try await finish(shot, record) } }
            var taken: [CapturedShot] = []
            for try await shot in group { taken += shot.map { [$0] } ?? [] }
            return taken.sorted { $0.id < $1.id }
        }
    }

    private func burstSettings(
        _ record: CaptureRecord,
        _ event: TriggerEvent
    ) async throws(CaptureError) -> CapturePhotoSettings {
        do {
            return try await settings(record, event)
        } catch {
            throw CaptureError(.storageFailed, "there is no room for the next shot", cause: error)
        }
    }

    private func record(of event: TriggerEvent) -> CaptureRecord {
        let reading = clock.reading()
        var generator = SystemRandomNumberGenerator()
        let id = AssetID.version7(unixMilliseconds: reading.wall.millisecondsSince1970, using: &generator)
        var record = CaptureRecord(
            id: id,
            trigger: event.trigger,
            isLivePhoto: profile.isLivePhoto,
            requestedTime: reading.captureTime(of: event.time, bootID: clock.bootID)
        )
        record.profile = profile.name.isEmpty ? nil : profile.name
        record.album = profile.album
        record.location = position.location
        return record
    }

    private func settings(_ record: CaptureRecord, _ event: TriggerEvent) async throws -> CapturePhotoSettings {
        let folder = try await pool.run { [filing] in try filing.begin(record) }
        var settings = CapturePhotoSettings(uniqueID: record.id, folder: folder)
        settings.isLivePhoto = profile.isLivePhoto
        settings.format = profile.stillFormat
        settings.trigger = event.trigger
        settings.requestedTime = event.time
        settings.location = record.location
        settings.orientation = profile.orientation
        return settings
    }

    private func finish(_ shot: PhotoCapture, _ begun: CaptureRecord) async throws -> CapturedShot {
        let result = try await shot.result()
        var record = begun
        record.complete(with: result)
        let files = try await pool.uncancelled { [filing, record] in try filing.file(result, record) }
        let captured = CapturedShot(result, record, camera: camera, files: files)
        tally.take(captured)
        return captured
    }
}

/// The records of a burst's shots between their wish and their beginning.
private final class BegunRecords: Sendable {
    private let records = Mutex<[AssetID: CaptureRecord]>([:])

    func add(_ record: CaptureRecord) {
        records.withLock { $0[record.id] = record }
    }

    func take(_ id: AssetID) -> CaptureRecord? {
        records.withLock { $0.removeValue(forKey: id) }
    }
}
