import PhotoModel
import Synchronization
import SystemPackage
import Testing

@testable import Capture
@testable import CaptureLinux

struct VideoCameraTests {
    private func camera(_ device: ScriptedDevice) throws -> VideoCamera {
        try VideoCameraDiscovery.first(device)
    }

    /// Opens the scripted camera and streams to the end of its script.
    private func play(_ device: ScriptedDevice, _ steps: [ScriptedDevice.Step]) async throws -> [FrameInfo] {
        let receiver = NotingReceiver()
        let stream = try await camera(device).open(.scripted)
        device.state.withLock { $0.steps = steps }
        try await stream.run(receiver)
        return receiver.infos
    }

    @Test("001.5, 001.14: finding cameras opens none; examining one with consent opens its node and no other")
    func nothingOpened() async throws {
        let nodes = ["2", "3", "4"].map { ScriptedDevice.camera(FilePath("/dev/video\($0)"), socket: $0) }
        let device = ScriptedDevice { $0.nodes = nodes }
        let cameras = VideoCameraDiscovery(calls: device, clock: StandingClock()).cameras()
        #expect(cameras.map(\.device.id) == nodes.map(\.id))
        #expect(cameras.allSatisfy { $0.device.formats.isEmpty && $0.device.model == "Script Cam" })
        #expect(device.state.withLock(\.calls) == [])
        _ = try await cameras[1].examined()
        _ = try await cameras[1].open(.scripted)
        _ = try await cameras[1].controls(cameras[1].consent)
        #expect(Set(device.state.withLock(\.openedPaths)) == ["/dev/video3"])
        #expect(device.leaks == [])
    }

    @Test("001.5, 001.14: without a standing consent of its own a camera is not examined, and its node stays closed")
    func noConsent() async throws {
        let device = ScriptedDevice()
        let camera = try camera(device)
        let withdrawn = camera.consent
        withdrawn.withdraw()
        let other = CaptureConsent(ConsentSubject(capability: .camera, deviceID: CaptureDevice.ID(rawValue: "other")))
        for consent in [withdrawn, other] {
            var error = await #expect(throws: CaptureError.self) { _ = try await camera.examined(consent) }
            #expect(error?.code == .notAuthorized)
            error = await #expect(throws: CaptureError.self) { _ = try await camera.controls(consent) }
            #expect(error?.code == .notAuthorized)
        }
        #expect(device.state.withLock(\.openedPaths) == [])
    }

    @Test("What udev knows to give no pictures is no camera; what it does not know may be one")
    func udev() {
        let known = [true, false, nil].map { ScriptedDevice.camera("/dev/video0", isCapture: $0) }
        let device = ScriptedDevice { $0.nodes = known }
        #expect(VideoCameraDiscovery(calls: device, clock: StandingClock()).cameras().count == 2)
        let database = "S:v4l/by-id/x\nE:ID_V4L_VERSION=2\nE:ID_V4L_CAPABILITIES=:capture:\n"
        #expect(Sysfs.property("ID_V4L_CAPABILITIES", in: database) == ":capture:")
        #expect(Sysfs.property("ID_V4L_CAPABILITIES", in: "E:ID_MODEL=x\n") == "")
        #expect(Sysfs.property("ID_V4L_CAPABILITIES", in: "") == nil)
    }

    @Test("A node that was taken by another device while it was opened is closed again, and told as lost")
    func takenOver() async throws {
        let device = ScriptedDevice { $0.nodesAfterOpening = [ScriptedDevice.camera("/dev/video0", socket: "9")] }
        let camera = try camera(device)
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.examined() }
        #expect(error?.code == .deviceLost)
        #expect(device.leaks == [])
    }

    @Test("A camera is judged by its node's own capabilities; emulated formats and those of no use are dropped")
    func examination() async throws {
        let device = ScriptedDevice {
            $0.formats = [(.yuyv, false), (.rgb24, true), (.motionJPEG, false), (.h264, false)]
        }
        let found = try await camera(device).examined()
        #expect(found.id.rawValue == "usb-0000:00:14.0-3:1.0/Script Cam/A1")
        #expect(found.formats.count == 4)
        #expect(Set(found.formats.map(\.pixelFormat)) == [.motionJPEG, .yuyv])
        #expect(found.formats.first?.pixelFormat == .motionJPEG)
        #expect(found.formats.first?.frameInterval == .thirtiethSecond)
        #expect(device.leaks == [])
    }

    @Test(
        "Metadata nodes, memory-to-memory devices and nodes without streaming are no cameras",
        arguments: [
            VideoCapabilities.Flags.streaming, [.videoCapture], [.videoCapture, .streaming, .videoMemoryToMemory],
            [.videoCapturePlanes], [.videoCapturePlanes, .streaming, .videoMemoryToMemoryPlanes],
        ]
    )
    func noCamera(node: VideoCapabilities.Flags) async throws {
        let device = ScriptedDevice {
            $0.capabilities = VideoCapabilities(
                card: "x",
                busInfo: "y",
                flags: [.videoCapture, .streaming, .deviceCapabilities],
                deviceFlags: node
            )
        }
        let camera = try camera(device)
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.examined() }
        #expect(error?.code == .unsupported)
        #expect(device.leaks == [])
    }

    @Test("A camera is found again under another node number, and told as lost when it is not there")
    func replug() async throws {
        let device = ScriptedDevice()
        let camera = try camera(device)
        device.state.withLock { $0.nodes = [ScriptedDevice.camera("/dev/video7")] }
        _ = try await camera.open(.scripted)
        device.state.withLock { $0.nodes = [ScriptedDevice.camera("/dev/video0", serialNumber: "B2")] }
        let error = await #expect(throws: CaptureError.self) { _ = try await camera.open(.scripted) }
        #expect(error?.code == .deviceLost)
        #expect(device.leaks == [])
    }

    @Test(
        "Every error number of opening and starting becomes its code, and nothing leaks",
        arguments: [
            ("setFormat", Errno.resourceBusy, CaptureError.Code.deviceBusy),
            ("setFormat", .invalidArgument, .unsupported),
            ("setFormat", .ioError, .deviceFailed),
            ("setFrameInterval", .ioError, .deviceFailed),
            ("makeWaker", .tooManyOpenFiles, .deviceFailed),
            ("requestBuffers", .resourceBusy, .deviceBusy),
            ("requestBuffers", .noMemory, .deviceFailed),
            ("map", .noMemory, .deviceFailed),
            ("queue", .ioError, .deviceFailed),
            ("streamOn", .noSpace, .insufficientBandwidth),
            ("streamOn", .resourceBusy, .deviceBusy),
            ("streamOn", Errno(rawValue: 19), .deviceLost),
            ("open", .permissionDenied, .notAuthorized),
            ("open", .noSuchFileOrDirectory, .deviceLost),
            ("open", .noSuchAddressOrDevice, .deviceLost),
            ("open", .tooManyOpenFiles, .deviceFailed),
            ("wait", .noMemory, .deviceFailed),
        ]
    )
    func startErrors(call: String, number: Errno, code: CaptureError.Code) async throws {
        let device = ScriptedDevice()
        let camera = try camera(device)
        device.state.withLock { $0.failures[call] = number }
        let error = await #expect(throws: CaptureError.self) {
            try await camera.open(.scripted).run(NotingReceiver())
        }
        #expect(error?.code == code)
        #expect(error?.cause as? Errno == number)
        #expect(device.leaks == [])
    }

    @Test("A driver that grants no buffers or far too many is refused", arguments: [0, 33, UInt32.max])
    func bufferCounts(count: UInt32) async throws {
        let device = ScriptedDevice { $0.grantedBuffers = count }
        let error = await #expect(throws: CaptureError.self) { _ = try await play(device, []) }
        #expect(error?.code == .deviceFailed)
        #expect(device.leaks == [])
    }

    @Test("A driver that changes size, stride and range is taken at its word; another pixel format is refused")
    func negotiation() async throws {
        let device = ScriptedDevice {
            $0.grantedFormat = VideoFormat(
                pixelFormat: .motionJPEG,
                size: PixelSize(width: 32, height: 24),
                bytesPerLine: [48]
            )
        }
        let stream = try await camera(device).open(.scripted)
        #expect(stream.format.size == PixelSize(width: 32, height: 24))
        device.state.withLock { $0.grantedFormat?.pixelFormat = .yuyv }
        let error = await #expect(throws: CaptureError.self) { _ = try await camera(device).open(.scripted) }
        #expect(error?.code == .unsupported)
    }

    @Test("T149: a driver that grants a size or a line for which there is no memory is refused")
    func absurdGrants() async throws {
        let most = Int(UInt32.max)
        for (width, height, line) in [(most, most, 0), (64, 65_535, 0), (64, 48, most)] {
            let device = ScriptedDevice {
                let size = PixelSize(width: width, height: height)
                $0.grantedFormat = VideoFormat(pixelFormat: .motionJPEG, size: size, bytesPerLine: [line])
            }
            let error = await #expect(throws: CaptureError.self) { _ = try await camera(device).open(.scripted) }
            #expect(error?.code == .unsupported, "\(width) x \(height), \(line)")
            #expect(device.leaks == [])
        }
    }

    @Test("Frames are handed on with their number, their bytes and the driver's damage mark, and buffers go back")
    func frames() async throws {
        let device = ScriptedDevice()
        let infos = try await play(
            device,
            [
                filled(0, 10, age: 90), .dequeueFails(.wouldBlock), filled(1, 11, age: 60, hasError: true),
                filled(2, 15, age: 30, byteCount: 0), filled(0, 16, age: 0, byteCount: 9999),
            ]
        )
        #expect(infos.map(\.sequence) == [10, 11, 15, 16])
        #expect(infos.map(\.isDamaged) == [false, true, false, false])
        #expect(
            infos.map { StandingClock.now.duration(since: $0.timestamp) } == [90, 60, 30, 0].map(Duration.milliseconds)
        )
        #expect(device.leaks == [])
    }

    @Test(
        "A time stamp that cannot be true is replaced by the time of taking the frame, less one interval",
        arguments: [
            (Int64(-50), DequeuedBuffer.TimestampClock.monotonic), (11_000, .monotonic), (10, .unknown), (10, .copied),
        ]
    )
    func timestamps(age: Int64, clock: DequeuedBuffer.TimestampClock) async throws {
        let infos = try await play(ScriptedDevice(), [filled(0, 0, age: age, clock: clock)])
        let interval = FrameInterval.thirtiethSecond.duration
        #expect(infos.map { StandingClock.now.duration(since: $0.timestamp) } == [interval])
    }

    @Test("A time stamp a little in the future is now, and later ones still come after it")
    func futureTimestamps() async throws {
        let steps = [filled(0, 0, age: -5), filled(1, 1, age: -50), filled(2, 2, age: 11_000)]
        let infos = try await play(ScriptedDevice(), [filled(3, 9, age: 60)] + steps)
        let ages = infos.map { StandingClock.now.duration(since: $0.timestamp) }
        #expect(ages[0...1] == [.milliseconds(60), .zero])
        #expect(ages.allSatisfy { $0 >= .zero })
        #expect(ages == ages.sorted(by: >))
    }

    @Test("A stream that is stopped before it runs never starts, and one that never runs is closed")
    func stoppedEarly() async throws {
        let device = ScriptedDevice()
        let stream = try await camera(device).open(.scripted)
        stream.stop()
        try await stream.run(NotingReceiver())
        #expect(device.state.withLock { !$0.calls.contains("streamOn") })
        _ = try await camera(device).open(.scripted)
        #expect(device.leaks == [])
    }

    @Test("The machine's own nodes can be listed, and a file that is no camera is refused")
    func realCalls() throws {
        let calls = SystemVideoCalls()
        for node in calls.nodes() { #expect(node.path.string.hasPrefix("/dev/video")) }
        let null = try calls.open("/dev/null")
        defer { calls.close(null) }
        #expect(throws: Errno.self) { _ = try calls.capabilities(null) }
        let waker = try calls.makeWaker()
        defer { calls.close(waker) }
        calls.wake(waker)
        #expect(try calls.wait(null, waker, atMost: .seconds(5)) == .woken)
    }
}

struct SystemClockTests {
    @Test("The machine's clock goes forward, knows its boot, and waits as long as it is told")
    func clock() async throws {
        let clock = SystemCaptureClock()
        #expect(clock.bootID != nil)
        let before = clock.reading()
        try await clock.sleep(until: before.monotonic.advanced(by: .milliseconds(20)))
        let after = clock.reading()
        #expect(after.monotonic.duration(since: before.monotonic) >= .milliseconds(20))
        #expect(after.wall > before.wall)
        #expect(after.wall > WallTime(millisecondsSince1970: 1_700_000_000_000))
    }
}
