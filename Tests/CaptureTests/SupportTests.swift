import PhotoModel
import Synchronization
import Testing

@testable import Capture

struct SupportTests {
    @Test(
        "000.4: a still's format is checked before the shot, against what can be written",
        arguments: StillFormat.allCases
    )
    func stillFormat(format: StillFormat) async throws {
        try await Bench.open { bench in
            var settings = bench.settings(1, at: 0, isLive: false)
            settings.format = format
            let wanted = settings
            if format == .jpeg {
                _ = try await bench.session.capturePhoto(with: wanted).result()
            } else {
                let error = await #expect(throws: CaptureError.self) {
                    _ = try await bench.session.capturePhoto(with: wanted).result()
                }
                #expect(error?.code == .unsupported)
                #expect(await bench.session.activity == CaptureActivity(), "nothing was begun")
            }
        }
    }

    @Test("003.6: whether a pipeline makes sense can be asked without touching a device")
    func problem() async throws {
        let bench = try await Bench()
        var configuration = SessionConfiguration()
        func refusal() -> CaptureError.Code? {
            do throws(CaptureError) {
                try configuration.check()
                return nil
            } catch {
                return error.code
            }
        }
        #expect(refusal() == .configurationFailed && !configuration.isLivePhotoCaptureSupported)
        configuration.camera = try CameraInput(bench.camera, consent: bench.consent)
        #expect(refusal() == nil)
        configuration.photoOutput.isLivePhotoCaptureEnabled = true
        #expect(refusal() == .configurationFailed && !configuration.isLivePhotoCaptureSupported)
        configuration.photoOutput.audioPolicy = .optional
        #expect(refusal() == nil && configuration.isLivePhotoCaptureSupported)
        configuration.photoOutput.preRoll = .seconds(11)
        #expect(refusal() == .configurationFailed)
        #expect(bench.camera.state.withLock(\.openCount) == 0)
    }

    @Test(
        "003.17: the still is durable, and told of, while its movie is still recorded",
        .timeLimit(.minutes(2))
    )
    func stillFirstTold() async throws {
        try await Bench.open { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            var seen: [String] = []
            // The movie's frames come once the still was told of: one that waits for its movie is never told of.
            for await event in shot.events {
                seen.append(event.name)
                guard case .photo = event else { continue }
                #expect(await bench.session.activity.recordingCount == 1)
                bench.camera.deliver(33...1600)
            }
            #expect(seen.last == "finished" && seen.contains("movie"))
        }
    }

    @Test("A session that a device ended says why to whoever waits; one that was stopped says nothing")
    func ended() async throws {
        try await Bench.open { bench in
            async let end = bench.session.waitUntilEnded()
            bench.camera.unplug()
            #expect(await end?.code == .deviceLost)
            try await bench.start()
            async let second = bench.session.waitUntilEnded()
            await bench.session.stop()
            #expect(await second == nil)
        }
    }

    @Test("001.4: a decision that was made behind the desk's back is found by looking again")
    func refresh() async throws {
        let store = MemoryConsentStore()
        let desk = Consents(store: store, prompter: CountingPrompter(answer: true))
        let subject = ConsentSubject(capability: .camera, deviceID: CaptureDevice.ID(rawValue: "camera"))
        _ = try await desk.requestAccess(for: subject)
        let consent = try await desk.consent(for: subject)
        try await desk.refresh()
        #expect(!consent.isWithdrawn)
        await store.setStatus(.denied, for: subject)
        try await desk.refresh()
        #expect(consent.isWithdrawn)
        await #expect(throws: CaptureError.self) { _ = try await desk.consent(for: subject) }
    }
}
