import PhotoModel
import Synchronization
import SystemPackage
import Testing

@testable import Capture
@testable import CaptureLinux

struct ControlTests {
    private static func control(
        _ id: UInt32,
        kind: CaptureControl.Kind = .integer,
        range: ClosedRange<Int64> = 0...100,
        isWritable: Bool = true,
        isNumeric: Bool = true
    ) -> VideoControl {
        let control = CaptureControl(
            id: id,
            name: "\(id)",
            kind: kind,
            range: range,
            defaultValue: range.lowerBound,
            isWritable: isWritable
        )
        return VideoControl(control: control, isNumeric: isNumeric)
    }

    private func camera(_ device: ScriptedDevice) throws -> VideoCamera {
        try VideoCameraDiscovery.first(device)
    }

    private func settings(_ device: ScriptedDevice) -> [String] {
        device.state.withLock { $0.calls.filter { $0.hasPrefix("setValue") } }
    }

    @Test("Controls with a number are listed, read and set; a value outside the range never reaches the driver")
    func readingAndSetting() async throws {
        let device = ScriptedDevice { state in
            state.controls = [Self.control(3), Self.control(8, isNumeric: false), Self.control(9)]
        }
        let camera = try camera(device)
        let controls = try await camera.controls(camera.consent)
        #expect(controls.map(\.id) == [3, 9])
        let gain = try #require(controls.first)
        try await camera.set(gain, to: 70)
        #expect(try await camera.controlValues(camera.consent)[gain.id] == 70)
        let error = await #expect(throws: CaptureError.self) { try await camera.set(gain, to: 101) }
        #expect(error?.code == .unsupported)
        #expect(device.leaks == [])
    }

    @Test("A menu lists its items by name, and values that the driver leaves out are refused")
    func menus() async throws {
        let device = ScriptedDevice { state in
            state.controls = [Self.control(CameraControl.autoExposure.id, kind: .menu, range: 0...3)]
            state.menus[CameraControl.autoExposure.id] = [1: "Manual Mode", 3: "Aperture Priority Mode"]
        }
        let camera = try camera(device)
        let exposure = try #require(try await camera.controls(camera.consent).first)
        #expect(exposure.menu.map(\.name) == ["Manual Mode", "Aperture Priority Mode"])
        #expect(exposure.menu.map(\.value) == [1, 3])
        let error = await #expect(throws: CaptureError.self) { try await camera.set(exposure, to: 2) }
        #expect(error?.code == .unsupported)
        try await camera.set(exposure, to: 1)
    }

    @Test("A menu that says it has four thousand million items is not read, and a driver's list that stands still ends")
    func endlessMenu() async throws {
        let device = ScriptedDevice { state in
            state.controls = [Self.control(5, kind: .menu, range: 0...Int64(UInt32.max))]
        }
        let camera = try camera(device)
        #expect(try await camera.controls(camera.consent).first?.menu.isEmpty == true)
        #expect(device.state.withLock { !$0.calls.contains("menuItem") })
    }

    @Test("Locking switches the automatic off before it sets what the automatic had chosen")
    func lock() async throws {
        let (device, auto, time) = exposing()
        let before = try await camera(device).lock([.exposure])
        #expect(settings(device) == ["setValue \(auto) 1", "setValue \(time) 156"])
        #expect(before.values == [auto: 3])
        try await camera(device).restore(before)
        #expect(device.state.withLock { $0.values[auto] } == 3)
        #expect(device.leaks == [])
    }

    @Test("A camera with a lock of its own is locked by it, and keeps its other locks")
    func ownLock() async throws {
        let lock = CameraControl.lock.id
        let device = ScriptedDevice { state in
            state.controls = [Self.control(lock, kind: .bitmask, range: 0...7)]
            state.values = [lock: 1]
        }
        try await camera(device).lock([.whiteBalance, .focus])
        #expect(device.state.withLock { $0.values[lock] } == 7)
    }

    @Test("What cannot be locked is told, and what was locked before it is put back")
    func impossibleLock() async throws {
        let auto = CameraControl.autoExposure.id
        let device = ScriptedDevice { state in
            state.controls = [Self.control(auto, range: 0...3)]
            state.values = [auto: 3]
        }
        let error = await #expect(throws: CaptureError.self) {
            try await camera(device).lock([.exposure, .focus])
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("focus") == true)
        #expect(device.state.withLock { $0.values[auto] } == 3)
        #expect(device.leaks == [])
    }

    @Test("Restoring puts automatics back first, leaves what is right alone, and goes on after a refusal")
    func restore() async throws {
        let focus = (auto: CameraControl.autoFocus.id, distance: CameraControl.focusDistance.id)
        let device = ScriptedDevice { state in
            state.controls = [Self.control(7), Self.control(focus.distance), Self.control(focus.auto, range: 0...1)]
            state.values = [7: 1, focus.distance: 20, focus.auto: 1]
        }
        let camera = try camera(device)
        let snapshot = ControlSnapshot(values: [7: 1, focus.distance: 50, focus.auto: 0, 99: 3])
        try await camera.restore(snapshot)
        #expect(settings(device) == ["setValue \(focus.auto) 0", "setValue \(focus.distance) 50"])
        device.state.withLock { state in
            state.values[focus.auto] = 1
            state.values[focus.distance] = 1
            state.failures["setValue \(focus.auto) 0"] = .ioError
        }
        let error = await #expect(throws: CaptureError.self) { try await camera.restore(snapshot) }
        #expect(error?.code == .deviceFailed)
        #expect(device.state.withLock { $0.values[focus.distance] } == 50)
        #expect(device.leaks == [])
    }

    private static let format = CaptureFormat(
        pixelFormat: .motionJPEG,
        size: PixelSize(width: 64, height: 48),
        frameInterval: .thirtiethSecond
    )

    /// Locks a camera, streams, unplugs it, plugs it in again, and streams so many frames more.
    private func replug(
        _ device: ScriptedDevice,
        locking automatics: Set<CameraAutomatic>,
        frameCount: UInt32 = 1
    ) async throws -> (camera: VideoCamera, receiver: NotingReceiver) {
        let camera = try camera(device)
        let stream = try await camera.open(Self.format)
        try await camera.lock(automatics)
        let frames = (0..<frameCount).map { filled($0 % 4, $0, age: Int64(frameCount - $0)) }
        device.state.withLock { state in
            state.calls = []
            state.steps = [filled(0, 0, age: 3000), .unplugged] + frames
            state.nodeSteps = [.nothing, .nothing, .appears([ScriptedDevice.camera("/dev/video9")])]
        }
        let receiver = NotingReceiver()
        try await stream.run(receiver)
        #expect(receiver.infos.count == Int(frameCount) + 1)
        #expect(device.leaks == [])
        return (camera, receiver)
    }

    /// A camera whose exposure stands at 156 when it is locked, and at 20 when it comes back.
    private func exposing() -> (device: ScriptedDevice, auto: UInt32, time: UInt32) {
        let (auto, time) = (CameraControl.autoExposure.id, CameraControl.exposureTime.id)
        let device = ScriptedDevice { state in
            state.controls = [
                Self.control(auto, kind: .menu, range: 0...3), Self.control(time, range: 1...5000, isWritable: false),
            ]
            state.menus[auto] = [1: "Manual", 3: "Automatic"]
            state.values = [auto: 3, time: 156]
            // The manual value can be set only while the automatic is off.
            state.activatedBy[time] = (control: auto, value: 1)
            state.laterValues = [auto: 3, time: 20]
        }
        return (device, auto, time)
    }

    @Test("A locked camera that was unplugged comes back locked, at the values that it had")
    func lockedAgain() async throws {
        let (device, auto, time) = exposing()
        let (_, receiver) = try await replug(device, locking: [.exposure])
        #expect(settings(device) == ["setValue \(auto) 1", "setValue \(time) 156"])
        #expect(device.state.withLock(\.values) == [auto: 1, time: 156])
        #expect(receiver.interruptions.withLock(\.self) == [.deviceLost])
    }

    @Test("A camera that comes back and cannot be locked again gives frames all the same, and says so")
    func notLockedAgain() async throws {
        let (device, auto, time) = exposing()
        device.state.withLock { $0.laterFailures["setValue \(auto) 1"] = .ioError }
        let (_, receiver) = try await replug(device, locking: [.exposure])
        #expect(receiver.interruptions.withLock(\.self) == [.deviceLost, .deviceFailed])
        #expect(settings(device) == ["setValue \(auto) 1", "setValue \(time) 156"])
    }

    @Test("A lock of the camera's own is closed again once its automatics have had a second to settle")
    func ownLockAgain() async throws {
        let lock = CameraControl.lock.id
        for (frameCount, locks) in [(29, Int32(0)), (30, 5)] as [(UInt32, Int32)] {
            let device = ScriptedDevice { state in
                state.controls = [Self.control(lock, kind: .bitmask, range: 0...7)]
                state.values = [lock: 0]
                state.laterValues = [lock: 0]
            }
            _ = try await replug(device, locking: [.exposure, .focus], frameCount: frameCount)
            #expect(device.state.withLock(\.values) == [lock: locks], "\(frameCount) frames")
        }
    }

    @Test("A camera whose controls were put back, or never locked, comes back as it is")
    func notLocked() async throws {
        let (device, auto, time) = exposing()
        _ = try await replug(device, locking: [])
        #expect(settings(device) == [])
        let (other, _, _) = exposing()
        let camera = try camera(other)
        let before = try await camera.lock([.exposure])
        try await camera.restore(before)
        let stream = try await camera.open(Self.format)
        other.state.withLock { state in
            state.calls = []
            state.steps = [filled(0, 0, age: 3000), .unplugged, filled(1, 1, age: 0)]
            state.nodeSteps = [.nothing, .nothing, .appears([ScriptedDevice.camera("/dev/video9")])]
        }
        try await stream.run(NotingReceiver())
        #expect(settings(other) == [])
        #expect(other.state.withLock(\.values) == [auto: 3, time: 20])
    }

    @Test("All values are read at once, for whoever has the permission, and a control without one is left out")
    func values() async throws {
        let device = ScriptedDevice { state in
            state.controls = [Self.control(3), Self.control(8, isNumeric: false), Self.control(9, isWritable: false)]
            state.values = [3: 7, 8: 1]
        }
        let camera = try camera(device)
        #expect(try await camera.controlValues(camera.consent) == [3: 7])
        let other = CaptureConsent(ConsentSubject(capability: .camera, deviceID: .init(rawValue: "other")))
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.controlValues(other) }
        #expect(error?.code == .notAuthorized)
        #expect(device.leaks == [])
    }

    @Test(
        "While it streams a camera may not halve its rate in the dark; another program's change is undone, and the end too"
    )
    func frameRateHeld() async throws {
        let dynamic = CameraControl.exposureDynamicFrameRate.id
        let device = ScriptedDevice { $0.values = [dynamic: 1] }
        let camera = try camera(device)
        let stream = try await camera.open(Self.format)
        device.state.withLock { $0.steps = [filled(0, 0, age: 30), .event(.control(dynamic)), filled(1, 1, age: 0)] }
        let receiver = NotingReceiver()
        try await stream.run(receiver)
        #expect(receiver.infos.count == 2)
        #expect(settings(device) == [0, 0, 1].map { "setValue \(dynamic) \($0)" })
        #expect(device.leaks == [])
    }
}
