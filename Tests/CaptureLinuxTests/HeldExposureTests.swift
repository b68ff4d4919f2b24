import PhotoModel
import Synchronization
import Testing

@testable import Capture
@testable import CaptureLinux

/// The exposure of a camera while a bracket is taken, as its driver sees it.
struct HeldExposureTests {
    private let auto = CameraControl.autoExposure.id
    private let time = CameraControl.exposureTime.id

    private func device(range: ClosedRange<Int64> = 1...5000) -> ScriptedDevice {
        ScriptedDevice { state in
            state.controls = [
                VideoControl(
                    control: CaptureControl(id: auto, name: "Auto", kind: .menu, range: 0...3, defaultValue: 3),
                    isNumeric: true
                ),
                VideoControl(
                    control: CaptureControl(id: time, name: "Time", range: range, defaultValue: 1, isWritable: false),
                    isNumeric: true
                ),
            ]
            state.values = [auto: 3, time: 160]
            // The manual value can be set only while the automatic is off.
            state.activatedBy[time] = (control: auto, value: 1)
        }
    }

    private func settings(_ device: ScriptedDevice) -> [String] {
        device.state.withLock { $0.calls.filter { $0.hasPrefix("setValue") } }
    }

    @Test("000.15: a bracket doubles and halves the time that the automatic had chosen, and puts the automatic back")
    func biases() async throws {
        let device = device()
        let camera = try VideoCameraDiscovery.first(device)
        let exposure = try await camera.holdExposure(camera.consent)
        #expect(settings(device) == ["setValue \(auto) 1", "setValue \(time) 160"])
        for (bias, ticks) in [(-2.0, 40), (0, 160), (1, 320), (1.0 / 3, 202)] {
            let actual = try await exposure.setBias(bias)
            #expect(abs(actual - bias) < 0.01)
            #expect(device.state.withLock { $0.values[time] } == Int32(ticks))
        }
        await exposure.release()
        #expect(device.state.withLock { $0.values[auto] } == 3)
        #expect(device.leaks == [])
    }

    @Test("000.15: what the driver's range does not allow is set as near as it goes, and told as what it is")
    func range() async throws {
        let device = device(range: 100...320)
        let camera = try VideoCameraDiscovery.first(device)
        let exposure = try await camera.holdExposure(camera.consent)
        #expect(try await exposure.setBias(3) == 1)
        #expect(try await exposure.setBias(-6) < -0.6)
        #expect(device.state.withLock { $0.values[time] } == 100)
    }

    @Test("000.15: a camera without an exposure time of its own is refused with what to do, and left as it was")
    func fixed() async throws {
        let device = device()
        device.state.withLock { $0.controls.removeAll { $0.control.id == time } }
        let camera = try VideoCameraDiscovery.first(device)
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.holdExposure(camera.consent) }
        #expect(error?.code == .unsupported && error?.message.contains("shot.bracket") == true)
        #expect(device.state.withLock { $0.values[auto] } == 3)
        #expect(device.leaks == [])
    }

    @Test("A withdrawn consent forbids holding the exposure, and even putting it back")
    func withdrawn() async throws {
        let device = device()
        let camera = try VideoCameraDiscovery.first(device)
        let consent = camera.consent
        let exposure = try await camera.holdExposure(consent)
        consent.withdraw()
        let opened = device.state.withLock(\.openedPaths.count)
        await exposure.release()
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.holdExposure(consent) }
        #expect(error?.code == .notAuthorized)
        #expect(device.state.withLock(\.openedPaths.count) == opened)
    }
}
