import Capture
import PhotoModel
import Synchronization
import SystemPackage
import Testing

@testable import CaptureLinux

struct RecoveryTests {
    /// Opens the scripted camera and streams to the end of its script.
    private func play(
        _ device: ScriptedDevice,
        _ steps: [ScriptedDevice.Step],
        nodes: [ScriptedDevice.NodeStep] = []
    ) async throws -> NotingReceiver {
        let receiver = NotingReceiver()
        let camera = try VideoCameraDiscovery.first(device)
        let stream = try await camera.open(.scripted)
        device.state.withLock { state in
            state.steps = steps
            state.nodeSteps = nodes
            state.calls = []
        }
        try await stream.run(receiver)
        return receiver
    }

    private func count(_ call: String, _ device: ScriptedDevice) -> Int {
        device.state.withLock { $0.calls.count { $0 == call } }
    }

    private static let stuck: [ScriptedDevice.Step] = [
        .wait(.timedOut), .wait(.error), .dequeueFails(.ioError), filled(99, 0, age: 0), .event(.endOfStream),
    ]

    @Test("A camera that never gave a frame is tried three times more, and then told as failed", arguments: stuck)
    func neverDelivered(step: ScriptedDevice.Step) async throws {
        let mended = ScriptedDevice()
        let receiver = try await play(mended, [step, step, step, filled(0, 0, age: 0)], nodes: [.nothing, .nothing])
        #expect(receiver.infos.count == 1)
        #expect(count("streamOn", mended) == 4)
        #expect(mended.leaks == [])
        let broken = ScriptedDevice()
        let error = await #expect(throws: CaptureError.self) {
            _ = try await play(broken, [step, step, step, step], nodes: [.nothing, .nothing])
        }
        #expect(error?.code == .deviceFailed)
        #expect(broken.leaks == [])
    }

    @Test(
        "A stream that gets stuck is first begun anew, then opened anew, then again after growing pauses",
        arguments: stuck
    )
    func escalation(step: ScriptedDevice.Step) async throws {
        let device = ScriptedDevice()
        let steps = [filled(0, 0, age: 900)] + Array(repeating: step, count: 5) + [filled(0, 0, age: 0)]
        let receiver = try await play(device, steps, nodes: Array(repeating: .nothing, count: 4))
        #expect(receiver.infos.count == 2)
        #expect(count("streamOn", device) == 6)
        #expect(count("open", device) == 4)
        #expect(device.state.withLock(\.pauses) == [0, 250, 500, 1000].map(Duration.milliseconds))
        #expect(receiver.interruptions.withLock(\.count) == 4)
        #expect(device.leaks == [])
    }

    @Test("Numbers go on over a restart and leave out as many frames as there was time for")
    func numbers() async throws {
        let device = ScriptedDevice()
        let steps = [filled(0, 41, age: 2000), .wait(.timedOut), filled(0, 0, age: 1000), filled(1, 2, age: 900)]
        let receiver = try await play(device, steps)
        // A second is 30 frames: 29 are missing between the first and the second, and one of the driver's own.
        #expect(receiver.infos.map(\.sequence) == [41, 71, 73])
    }

    @Test("A camera that is unplugged is waited for, found at another node, and opened anew")
    func replug() async throws {
        let device = ScriptedDevice()
        let receiver = try await play(
            device,
            [filled(0, 0, age: 3000), .unplugged, filled(0, 0, age: 0)],
            nodes: [.nothing, .nothing, .appears([]), .nothing, .appears([ScriptedDevice.camera("/dev/video9")])]
        )
        #expect(receiver.infos.map(\.sequence) == [0, 90])
        #expect(receiver.interruptions.withLock(\.self) == [.deviceLost])
        #expect(device.state.withLock(\.pauses) == [0, 0, 250, 500, 1000].map(Duration.milliseconds))
        #expect(device.leaks == [])
    }

    @Test("A camera that is away is looked for at least once a second, and stopping ends the wait")
    func longAbsence() async throws {
        let device = ScriptedDevice()
        let steps: [ScriptedDevice.NodeStep] = Array(repeating: .nothing, count: 20) + [.stopped]
        let receiver = try await play(device, [filled(0, 0, age: 0), .unplugged], nodes: steps)
        #expect(receiver.infos.count == 1)
        #expect(device.state.withLock { $0.pauses.max() } == .seconds(1))
        #expect(device.leaks == [])
    }

    @Test("Another camera in the same socket is not taken for the one that went")
    func impostor() async throws {
        let device = ScriptedDevice()
        let other = ScriptedDevice.camera("/dev/video0", serialNumber: "B2")
        let receiver = try await play(
            device,
            [filled(0, 0, age: 0), .unplugged, filled(0, 0, age: 0)],
            nodes: [.nothing, .nothing, .appears([other])]
        )
        #expect(receiver.infos.count == 1)
        #expect(device.leaks == [])
    }

    @Test("A camera that is busy when it comes back is tried again, whatever else is plugged in meanwhile")
    func busyOnReturn() async throws {
        let device = ScriptedDevice()
        let node = ScriptedDevice.camera("/dev/video0")
        device.state.withLock { $0.grantedBuffers = 4 }
        let receiver = NotingReceiver()
        let camera = try VideoCameraDiscovery.first(device)
        let stream = try await camera.open(.scripted)
        device.state.withLock { state in
            state.steps = [filled(0, 0, age: 0), .unplugged, filled(0, 0, age: 0)]
            state.nodeSteps = [.nothing, .appears([node]), .appears([node]), .nothing]
            state.laterFailures["setFormat"] = .resourceBusy
        }
        try await stream.run(receiver)
        #expect(receiver.infos.count == 2)
        #expect(device.leaks == [])
    }

    @Test("A camera that comes back with other formats is opened in the best of them")
    func renegotiation() async throws {
        let device = ScriptedDevice { $0.formats = [(.motionJPEG, false), (.yuyv, false)] }
        let camera = try VideoCameraDiscovery.first(device)
        let stream = try await camera.open(.scripted)
        let receiver = NotingReceiver()
        device.state.withLock { state in
            state.formats = [(.yuyv, false)]
            state.grantedFormat = VideoFormat(pixelFormat: .yuyv, size: PixelSize(width: 32, height: 24))
            state.steps = [filled(0, 0, age: 100), .event(.sourceChange), filled(0, 0, age: 0)]
        }
        try await stream.run(receiver)
        #expect(receiver.infos.map(\.size) == [PixelSize(width: 64, height: 48), PixelSize(width: 32, height: 24)])
        #expect(receiver.infos.map(\.pixelFormat) == [.motionJPEG, .yuyv])
        #expect(stream.format.size == PixelSize(width: 32, height: 24))
        #expect(device.leaks == [])
    }

    @Test("Errors that no wait can mend end a stream that never ran, and interrupt one that did")
    func firstFailure() {
        let lost = CaptureError(.deviceLost, "gone")
        var fresh = StreamRecovery()
        guard case .fail = fresh.action(after: .failed(lost), deliveredCount: 0) else {
            Issue.record("the first failure was not told")
            return
        }
        var proven = StreamRecovery()
        guard case .reopen(.zero, _) = proven.action(after: .failed(lost), deliveredCount: 1) else {
            Issue.record("a camera that worked was given up")
            return
        }
    }
}
