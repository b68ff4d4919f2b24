import MediaFormats
import PhotoModel
import Synchronization
import Testing

@testable import Capture

struct InterruptionTests {
    private static let unplugged = CaptureError(.deviceLost, "unplugged by the test")

    /// Waits until the session's state is the one looked for.
    private func wait(_ session: CaptureSession, until isReached: (CaptureSession.State) -> Bool) async {
        for await _ in await session.activityUpdates() {
            if isReached(await session.state) { return }
        }
    }

    @Test("A camera that is away ends the movies under way, refuses shots, and works again by itself when it is back")
    func awayAndBack() async throws {
        try await Bench.open { bench in
            let shot = try await bench.session.capturePhoto(with: bench.settings(1, at: 0))
            bench.camera.deliver(33...500)
            bench.camera.interrupt(Self.unplugged)
            let names = await shot.eventNames()
            #expect(names.last == "finished")
            #expect(bench.recorder.notes.withLock { $0.movies[AssetID(rawValue: 1)]?.last } == at(499))
            await wait(bench.session) { if case .interrupted = $0 { true } else { false } }
            let refusal = await #expect(throws: CaptureError.self) {
                _ = try await bench.session.capturePhoto(with: bench.settings(2, at: 500))
            }
            #expect(refusal?.code == .deviceLost)
            bench.camera.deliver(3000...3500)
            await wait(bench.session) { if case .running = $0 { true } else { false } }
            bench.clock.set(at(3500))
            let later = try await bench.session.capturePhoto(with: bench.settings(3, at: 3500, isLive: false))
            #expect(await later.eventNames().last == "finished")
            #expect(bench.recorder.notes.withLock { $0.stills[AssetID(rawValue: 3)] } == at(3500))
        }
    }

    @Test("What comes back settles anew, and nothing of before is in its ring")
    func settlesAnew() {
        let pipeline = CameraPipeline(
            ringDuration: .seconds(9),
            budget: MediaBudget(limit: 1 << 20),
            compressor: NoCompressor(),
            consent: CaptureConsent(ConsentSubject(capability: .camera, deviceID: CaptureDevice.ID(rawValue: "x")))
        )
        func deliver(_ numbers: Range<UInt32>) {
            for number in numbers {
                tinyJPEG().withBytes { pipeline.receive($0, frameInfo(number, at(Int64(number) * 33))) }
            }
        }
        deliver(0..<10)
        let settling = WarmUp.stableFrameCount - 1
        #expect(pipeline.ring.count == 10 - settling)
        pipeline.interrupted(by: Self.unplugged)
        #expect(pipeline.ring.count == 0)
        #expect(pipeline.interruption?.code == .deviceLost)
        deliver(100..<104)
        #expect(pipeline.interruption != nil)
        deliver(104..<110)
        #expect(pipeline.interruption == nil)
        #expect(pipeline.ring.count == 10 - settling)
        #expect(pipeline.counts.dropped == [.warmingUp: 2 * settling, .deviceGap: 90])
    }

    @Test("Where sound is optional, a microphone that does not open makes no session fail", arguments: [true, false])
    func brokenMicrophone(isOptional: Bool) async throws {
        let bench = try await Bench()
        let microphone = BrokenMicrophone()
        let subject = ConsentSubject(capability: .microphone, deviceID: microphone.device.id)
        _ = try await bench.desk.requestAccess(for: subject)
        let sound = try MicrophoneInput(microphone, consent: try await bench.desk.consent(for: subject))
        let camera = try CameraInput(bench.camera, consent: bench.consent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await bench.session.run() }
            try await bench.session.configure { configuration in
                configuration.camera = camera
                configuration.microphone = sound
                configuration.photoOutput.audioPolicy = isOptional ? .optional : .required
            }
            if isOptional {
                try await bench.start()
            } else {
                let error = await #expect(throws: CaptureError.self) { try await bench.session.start() }
                #expect(error?.code == .deviceBusy)
            }
            await bench.session.shutdown()
            try await group.waitForAll()
        }
    }
}

extension HandCamera {
    /// Says that it is away for a while, as a camera does that waits to be plugged in again.
    fileprivate func interrupt(_ error: CaptureError) {
        state.withLock(\.receiver)?.interrupted(by: error)
    }
}

/// A microphone that another program holds.
private struct BrokenMicrophone: AudioSource {
    let device = CaptureDevice(
        id: CaptureDevice.ID(rawValue: "broken-microphone"),
        capability: .microphone,
        model: "Broken",
        audioFormats: [AudioFormat(sampleRate: 48_000, channelCount: 1)]
    )

    func open(_ format: AudioFormat) throws(CaptureError) -> any AudioStream {
        throw CaptureError(.deviceBusy, "held by another program in this test", deviceID: device.id)
    }
}
