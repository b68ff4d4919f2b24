import AgentStore
import Capture
import Host
import LibraryAPI
import Persistence
import PhotoLibrary
import PhotoModel

/// Firings that take several frames: bursts and exposure brackets.
extension ShotTaker {
    /// One frame of a series.
    private struct Member {
        let frame: Frame
        /// The moment it was taken for.
        let time: MonotonicTime
        /// Whether it represents the series where only one picture is shown.
        let isRepresentative: Bool
        /// How its exposure differs from the camera's own, in EV; nil outside a bracket.
        var exposureBias: Double?
    }

    /// Takes consecutive frames.
    func burst(_ event: TriggerEvent) async throws -> [CapturedShot] {
        let frames = try await session.burst(count: profile.count, stride: profile.stride, from: event.time)
        return try await series(event.trigger) { shoot in
            var begun = 0
            for await frame in frames {
                // The first targets the requested moment, each other one its own frame.
                let time = begun == 0 ? event.time : frame.timestamp
                try await shoot(Member(frame: frame, time: time, isRepresentative: begun == 0))
                begun += 1
            }
            guard begun == profile.count else {
                throw CaptureError(
                    .noFrame,
                    "the burst ended after \(begun) of \(profile.count) shots: the camera delivered no more frames",
                    deviceID: camera.id
                )
            }
        }
    }

    /// Takes a frame of each exposure; the one nearest to the camera's own represents all.
    func bracket(of biases: [Double], _ event: TriggerEvent) async throws -> [CapturedShot] {
        let middle = biases.min { $0.magnitude < $1.magnitude }
        let bracket = try await session.beginBracket()
        return try await series(event.trigger) { shoot in
            let taken = await Result.awaiting {
                for bias in biases {
                    let (frame, actual) = try await bracket.frame(bias: bias)
                    var member = Member(frame: frame, time: frame.timestamp, isRepresentative: bias == middle)
                    member.exposureBias = actual
                    try await shoot(member)
                }
            }
            // The files may still be being written.
            await session.endBracket(bracket)
            try taken.get()
        }
    }

    /// Files every shot as soon as its files are durable, while the next ones are being taken.
    private func series(
        _ trigger: Trigger,
        _ take: (_ shoot: (Member) async throws -> Void) async throws -> Void
    ) async throws -> [CapturedShot] {
        var generator = SystemRandomNumberGenerator()
        let id = BurstID.version7(unixMilliseconds: HostClock.now().millisecondsSince1970, using: &generator)
        let (shots, failure) = await withTaskGroup(of: Result<CapturedShot, any Error>.self) { group in
            var failure: (any Error)?
            do {
                try await take { member in
                    let (shot, record) = try await begin(member, of: id, trigger)
                    group.addTask {
                        await Result.awaiting {
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

    private func begin(
        _ member: Member,
        of series: BurstID,
        _ trigger: Trigger
    ) async throws -> (PhotoCapture, EntryRecord) {
        let event = TriggerEvent(trigger, at: member.time)
        var record = record(of: event)
        record.manifest.burst = BurstMembership(id: series, representsBurst: member.isRepresentative)
        do {
            var settings = try await settings(record, event)
            settings.exposureBias = member.exposureBias
            await session.waitUntilFewer(than: Self.burstWidth)
            return (try await session.capturePhoto(with: settings, of: member.frame), record)
        } catch {
            await abandon(record, error)
            throw error
        }
    }
}
