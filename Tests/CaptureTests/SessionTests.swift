import PhotoModel
import Synchronization
import Testing

@testable import Capture

struct SessionTests {
    @Test("003.30, 003.32, 003.33: the events of a Live Photo come in their order")
    func liveEvents() async throws {
        try await Bench.open { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            bench.camera.deliver(33...1600)
            let names = await shot.eventNames()
            #expect(
                names == [
                    "willBegin", "willCapture", "didCapture", "photo", "movieRecordingStopped", "movie", "finished",
                ]
            )
        }
    }

    @Test("003.2, 003.13: a still alone works in a session for Live Photos, without the movie's events")
    func stillEvents() async throws {
        try await Bench.open { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0, isLive: false))
            #expect(shot.resolved.livePhotoMovieSize == nil)
            let names = await shot.eventNames()
            #expect(names == ["willBegin", "willCapture", "didCapture", "photo", "finished"])
        }
    }

    @Test("003.34, 003.36: five Live Photos overlap, each with its own frames; the count goes up to 5 and back to 0")
    func overlapping() async throws {
        try await Bench.open { bench in
            var shots: [PhotoCapture] = []
            for index in 0..<5 {
                bench.clock.set(at(Int64(index) * 200))
                let settings = bench.settings(UInt128(index + 1), at: Int64(index) * 200)
                shots.append(try await bench.session.capturePhoto(with: settings))
                bench.camera.deliver(Int64(index) * 200 + 33...Int64(index) * 200 + 200)
            }
            let activity = await bench.session.activity
            #expect(activity.inFlightCount == 5 && activity.recordingCount == 5)
            bench.camera.deliver(1033...2600)
            for (index, shot) in shots.enumerated() {
                let result = try await shot.result()
                #expect(result.flags == [.audioAbsent])
                let times = bench.recorder.notes.withLock { $0.movies[result.id] ?? [] }
                let still = result.frame.info.timestamp
                #expect(times.contains(still))
                #expect(times.allSatisfy { $0.duration(since: still).magnitude <= .milliseconds(1517) })
                #expect(times.last.map { $0.duration(since: still) > .milliseconds(1450) } == true)
                #expect(still.duration(since: at(Int64(index) * 200)).magnitude <= .milliseconds(17))
            }
            #expect(await bench.session.activity == CaptureActivity())
        }
    }

    @Test("003.21: a movie that fails leaves the still, marked incomplete")
    func movieFails() async throws {
        try await Bench.open { bench in
            bench.recorder.notes.withLock { $0.failsMovie = true }
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            bench.camera.deliver(33...1600)
            let result = try await shot.result()
            #expect(result.flags.contains(.liveIncomplete))
            #expect(result.movieError?.code == .encodingFailed)
            #expect(result.resources.map(\.type) == [.photo])
            #expect(await bench.session.activity == CaptureActivity())
        }
    }

    @Test("003.18, 003.36: a still that fails ends the shot once with its error and gives the movie up")
    func stillFails() async throws {
        try await Bench.open { bench in
            bench.recorder.notes.withLock { $0.failsStill = true }
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            let names = await shot.eventNames()
            #expect(
                names == ["willBegin", "willCapture", "didCapture", "movieRecordingStopped", "finished with error"]
            )
            #expect(await bench.session.activity == CaptureActivity())
        }
    }

    @Test("003.33: stop cuts the post-roll and keeps what was recorded")
    func stopCuts() async throws {
        try await Bench.open { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            bench.camera.deliver(33...500)
            await bench.session.stop()
            let result = try await shot.result()
            #expect(result.recordingEnd == .stopped)
            #expect(result.flags == [.audioAbsent, .movieCutShort])
            let times = bench.recorder.notes.withLock { $0.movies[result.id] ?? [] }
            #expect(times.last == at(499))
        }
    }

    @Test(
        "001.4: consent withdrawn in the middle of a shot ends the recording, keeps no later frame, fails the session"
    )
    func consentWithdrawn() async throws {
        try await Bench.open { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            bench.camera.deliver(33...300)
            try await bench.desk.setStatus(.denied, for: bench.subject)
            bench.camera.deliver(333...600)
            let result = try await shot.result()
            #expect(result.recordingEnd == .consentWithdrawn)
            let times = bench.recorder.notes.withLock { $0.movies[result.id] ?? [] }
            #expect(times.allSatisfy { $0 <= at(300) })
            await #expect(throws: CaptureError.self) {
                _ = try await bench.session.capturePhoto(with: bench.settings(2, at: 600))
            }
            #expect(await bench.session.waitUntilEnded()?.code == .consentWithdrawn)
            await #expect(throws: CaptureError.self) { try await bench.session.start() }
        }
    }

    @Test("001.4: a shot that has no frame yet when consent is withdrawn fails with that error")
    func consentWithdrawnBeforeFrame() async throws {
        try await Bench.open { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 500))
            try await bench.desk.setStatus(.denied, for: bench.subject)
            let error = await #expect(throws: CaptureError.self) { _ = try await shot.result() }
            #expect(error?.code == .consentWithdrawn)
            #expect(await bench.session.activity == CaptureActivity())
        }
    }

    @Test("A camera that is unplugged fails the session, ends its movies, and can be started again")
    func unplugged() async throws {
        try await Bench.open { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            bench.camera.deliver(33...100)
            bench.camera.unplug()
            #expect(try await shot.result().recordingEnd == .deviceLost)
            // The shot may know before the session does.
            #expect(await bench.session.waitUntilEnded()?.code == .deviceLost)
            let error = await #expect(throws: CaptureError.self) {
                _ = try await bench.session.capturePhoto(with: bench.settings(2, at: 600))
            }
            #expect(error?.code == .deviceLost)
            try await bench.start()
            #expect(bench.camera.state.withLock(\.openCount) == 2)
        }
    }

    @Test("003.5, 003.6: a change that cannot be made leaves the old pipeline running")
    func failedChange() async throws {
        try await Bench.open { bench in
            let other = HandCamera(name: "other")
            other.state.withLock { $0.refusedFormats = [HandCamera.format] }
            let subject = ConsentSubject(capability: .camera, deviceID: other.device.id)
            _ = try await bench.desk.requestAccess(for: subject)
            let input = try CameraInput(other, consent: try await bench.desk.consent(for: subject))
            let error = await #expect(throws: CaptureError.self) {
                try await bench.session.configure { $0.camera = input }
            }
            #expect(error?.code == .configurationFailed)
            #expect((error?.cause as? CaptureError)?.code == .deviceBusy)
            #expect(bench.camera.state.withLock(\.openCount) == 1)
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0, isLive: false))
            #expect(try await shot.result().flags == [])
        }
    }

    @Test("003.5: a format that the camera refuses brings the old format back")
    func refusedFormat() async throws {
        try await Bench.open { bench in
            bench.camera.state.withLock { $0.refusedFormats = [HandCamera.otherFormat] }
            let input = try CameraInput(bench.camera, format: HandCamera.otherFormat, consent: bench.consent)
            let session = bench.session
            let change = Task { try await session.configure { $0.camera = input } }
            while bench.camera.state.withLock(\.openCount) < 2 { await Task.yield() }
            await bench.camera.listening()
            bench.camera.deliver(100...300)
            await #expect(throws: CaptureError.self) { try await change.value }
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 300, isLive: false))
            #expect(try await shot.result().resolved.photoSize == HandCamera.format.size)
        }
    }

    @Test("003.4: Live Photos with sound cannot be enabled without a microphone")
    func missingMicrophone() async throws {
        try await Bench.open { bench in
            let error = await #expect(throws: CaptureError.self) {
                try await bench.session.configure { $0.photoOutput.audioPolicy = .required }
            }
            #expect(error?.code == .configurationFailed)
            #expect(await bench.session.configuration.photoOutput.audioPolicy == .optional)
        }
    }

    @Test("003.11: a Live Photo asked of a session that does not make them is refused, not made a still")
    func liveNotEnabled() async throws {
        try await Bench.open {
            $0.isLivePhotoCaptureEnabled = false
        } body: { bench in
            let error = await #expect(throws: CaptureError.self) {
                _ = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            }
            #expect(error?.code == .livePhotoUnsupported)
        }
    }

    @Test("003.8: a change waits for the shots under way, and none is lost")
    func changeDrains() async throws {
        try await Bench.open { bench in
            let session = bench.session
            let shot = try await session.capturePhoto(with: bench.settings(1, at: 0))
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let change = Task {
                try await session.configure { configuration in
                    configuration.photoOutput.postRoll = .milliseconds(500)
                    begin.finish()
                }
            }
            for await _ in begun {}
            // The camera delivers nothing yet, so that the shot cannot end.
            let error = await #expect(throws: CaptureError.self) {
                _ = try await session.capturePhoto(with: bench.settings(2, at: 0))
            }
            #expect(error?.code == .reconfiguring)
            #expect(await session.configuration.photoOutput.postRoll != .milliseconds(500))
            bench.camera.deliver(33...1600)
            try await change.value
            #expect(await session.configuration.photoOutput.postRoll == .milliseconds(500))
            #expect(try await shot.result().recordingEnd == .complete)
        }
    }

    @Test("A pre-roll of zero puts the still at the beginning of the movie")
    func stillFirst() async throws {
        try await Bench.open {
            $0.preRoll = .zero
        } body: { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            bench.camera.deliver(33...1600)
            let result = try await shot.result()
            let times = bench.recorder.notes.withLock { $0.movies[result.id] ?? [] }
            #expect(times.first == result.frame.info.timestamp)
        }
    }

    @Test("More shots than allowed are refused, and the count stays")
    func tooMany() async throws {
        try await Bench.open {
            $0.maximumInFlight = 1
        } body: { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            let error = await #expect(throws: CaptureError.self) {
                _ = try await bench.session.capturePhoto(with: bench.settings(2, at: 0))
            }
            #expect(error?.code == .tooManyCaptures)
            bench.camera.deliver(33...1600)
            _ = try await shot.result()
        }
    }

    @Test("003.12: a session that was shut down cannot be started or changed again, and says so")
    func shutDown() async throws {
        var session: CaptureSession?
        try await Bench.open { session = $0.session }
        let over = try #require(session)
        for _ in 0..<2 {
            let error = await #expect(throws: CaptureError.self) { try await over.start() }
            #expect(error?.code == .notRunning)
        }
        await #expect(throws: CaptureError.self) { try await over.configure { _ throws(CaptureError) in } }
    }

    @Test("003.34: observers of the activity see recordings begin and end at nothing")
    func activityUpdates() async throws {
        try await Bench.open { bench in
            let updates = await bench.session.activityUpdates()
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            var seen: [CaptureActivity] = []
            for await activity in updates {
                seen.append(activity)
                if activity.recordingCount == 1 {
                    bench.camera.deliver(33...1600)
                } else if seen.contains(where: { $0.recordingCount == 1 }), activity == CaptureActivity() {
                    break
                }
            }
            #expect(seen.allSatisfy { $0.recordingCount <= $0.inFlightCount })
            #expect(try await shot.result().recordingEnd == .complete)
        }
    }

    @Test("A session that is cancelled ends its shots with an error, and the count goes back to 0")
    func cancelled() async throws {
        let bench = try await Bench()
        let input = try CameraInput(bench.camera, consent: bench.consent)
        let run = Task { await bench.session.run() }
        try await bench.session.configure { configuration in
            configuration.camera = input
            configuration.photoOutput.audioPolicy = .optional
            configuration.photoOutput.isLivePhotoCaptureEnabled = true
        }
        try await bench.start()
        let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
        let late = try await bench.session.capturePhoto(with: bench.settings(2, at: 500))
        run.cancel()
        await run.value
        let names = await shot.eventNames()
        #expect(names.last?.hasPrefix("finished") == true)
        let error = await #expect(throws: CaptureError.self) { _ = try await late.result() }
        #expect(error?.code == .cancelled)
        #expect(await bench.session.activity == CaptureActivity())
    }
}
