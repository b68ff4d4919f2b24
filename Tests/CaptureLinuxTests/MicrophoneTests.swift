import Capture
import PhotoModel
import Synchronization
import SystemPackage
import Testing

@testable import CaptureLinux

struct MicrophoneTests {
    private static let format = ScriptedSoundDevice.format

    private func microphone(_ device: ScriptedSoundDevice) throws -> Microphone {
        try #require(LinuxMicrophones(calls: device, clock: device).microphones().first)
    }

    /// Opens the scripted microphone and records to the end of its script.
    private func record(_ device: ScriptedSoundDevice) async throws -> [SoundNotes.Run] {
        let notes = SoundNotes()
        try await microphone(device).open(Self.format).run(notes)
        #expect(device.leaks == [])
        return notes.runs.withLock(\.self)
    }

    /// How far each run begins from where the one before ended.
    private func seams(_ runs: [SoundNotes.Run]) -> [Duration] {
        zip(runs, runs.dropFirst()).map { before, after in
            after.time.duration(since: before.time.advanced(by: Self.format.duration(ofFrames: before.frameCount)))
        }
    }

    @Test("Sound is timed by its oldest sample, and runs follow on one another")
    func times() async throws {
        let device = ScriptedSoundDevice {
            $0.steps = [.sound(frames: 960), .sound(frames: 480), .sound(frames: 1000)]
        }
        let start = device.state.withLock(\.now)
        let runs = try await record(device)
        #expect(runs.map(\.frameCount) == [960, 480, 1000])
        #expect(runs.first?.time == start)
        #expect(seams(runs).allSatisfy { $0.magnitude <= .microseconds(1) })
    }

    @Test(
        "A driver's time that cannot be is replaced by the time of arrival",
        arguments: [Duration.milliseconds(30), .seconds(-3), .seconds(-1000)]
    )
    func nonsenseTimes(error: Duration) async throws {
        let device = ScriptedSoundDevice { $0.steps = [.sound(frames: 480, timeError: error)] }
        let start = device.state.withLock(\.now)
        #expect(try await record(device).map(\.time) == [start])
    }

    @Test(
        "After an overrun exactly as much silence is put in as sound was lost, to the sample",
        arguments: [1, 700, 48_000, 240_000]
    )
    func overrun(lostFrames: Int) async throws {
        let lost = Self.format.duration(ofFrames: lostFrames)
        let device = ScriptedSoundDevice { state in
            state.steps = [.sound(frames: 480), .lost(lost, .brokenPipe), .sound(frames: 480), .sound(frames: 480)]
        }
        let runs = try await record(device)
        #expect(runs.map(\.frameCount) == [480, lostFrames, 480, 480])
        #expect(runs.map(\.isSilent) == [false, true, false, false])
        #expect(seams(runs).allSatisfy { $0.magnitude <= .microseconds(1) })
        #expect(device.state.withLock { $0.calls.count { $0 == "prepare" } } == 2)
    }

    @Test("A loss of many seconds is a gap in the times, not memory full of silence")
    func longOverrun() async throws {
        let device = ScriptedSoundDevice { state in
            state.steps = [.sound(frames: 480), .lost(.seconds(6), .brokenPipe), .sound(frames: 480)]
        }
        let runs = try await record(device)
        #expect(runs.map(\.frameCount) == [480, 480])
        #expect(seams(runs).map { ($0 - .seconds(6)).magnitude <= .microseconds(1) } == [true])
    }

    @Test("After the machine slept the device goes on when it can, or begins anew when it cannot go on")
    func sleep() async throws {
        for ending in [[], [Errno.noFunction], [.brokenPipe]] as [[Errno]] {
            let device = ScriptedSoundDevice { state in
                state.steps = [.sound(frames: 480), .lost(.seconds(1), .suspended), .sound(frames: 480)]
                state.failures["resume"] = [.resourceTemporarilyUnavailable, .resourceTemporarilyUnavailable] + ending
                state.nodeSteps = [.nothing, .nothing]
            }
            let runs = try await record(device)
            #expect(runs.map(\.isSilent) == [false, true, false])
            #expect(device.state.withLock { $0.calls.count { $0 == "resume" } } == 3)
            #expect(device.state.withLock { $0.calls.count { $0 == "start" } } == (ending.isEmpty ? 1 : 2))
        }
    }

    @Test("Stopping ends the wait for a machine that wakes up")
    func stopWhileAsleep() async throws {
        let device = ScriptedSoundDevice { state in
            state.steps = [.sound(frames: 480), .lost(.zero, .suspended)]
            state.failures["resume"] = [.resourceTemporarilyUnavailable]
        }
        #expect(try await record(device).count == 1)
    }

    @Test("A microphone that is unplugged is waited for and found again under another card's name")
    func replug() async throws {
        let device = ScriptedSoundDevice { state in
            state.steps = [.sound(frames: 480), .unplugged, .sound(frames: 480)]
            state.nodeSteps = [
                .nothing, .nothing,
                .appears([ScriptedSoundDevice.microphone(socket: "4")], after: .zero),
                .appears([ScriptedSoundDevice.microphone(card: "Webcam_1")], after: .seconds(2)),
            ]
        }
        let runs = try await record(device)
        #expect(runs.map(\.isSilent) == [false, false])
        #expect(seams(runs).allSatisfy { $0 > .seconds(2) })
    }

    @Test(
        "A microphone that never gave sound tells why",
        arguments: [
            ("open", Errno.resourceBusy, CaptureError.Code.deviceBusy),
            ("open", .noSuchFileOrDirectory, .deviceLost),
            ("open", .permissionDenied, .notAuthorized),
            ("configure", .invalidArgument, .unsupported),
            ("prepare", .ioError, .deviceFailed),
            ("start", Errno(rawValue: 19), .deviceLost),
            ("makeWaker", .tooManyOpenFiles, .deviceFailed),
            ("wait", Errno(rawValue: 19), .deviceLost),
            ("position", Errno(rawValue: 19), .deviceLost),
        ]
    )
    func errors(call: String, number: Errno, code: CaptureError.Code) async throws {
        let device = ScriptedSoundDevice { state in
            state.failures[call] = [number]
            state.steps = [.sound(frames: 480)]
        }
        let error = await #expect(throws: CaptureError.self) { _ = try await record(device) }
        #expect(error?.code == code)
        #expect(error?.cause as? Errno == number)
        #expect(device.leaks == [])
    }

    @Test("A microphone that falls silent for good is begun anew, and one that never spoke is told as failed")
    func watchdog() async throws {
        let device = ScriptedSoundDevice { $0.steps = [.sound(frames: 480), .wait(.timedOut), .sound(frames: 480)] }
        #expect(try await record(device).count == 2)
        #expect(device.state.withLock { $0.calls.count { $0 == "start" } } == 2)
        let mute = ScriptedSoundDevice { state in
            state.steps = Array(repeating: .wait(.timedOut), count: 4)
            state.nodeSteps = [.nothing, .nothing]
        }
        let error = await #expect(throws: CaptureError.self) { _ = try await record(mute) }
        #expect(error?.code == .deviceFailed)
    }

    @Test("A device that insists on another rate is refused rather than recorded at the wrong speed")
    func wrongRate() async throws {
        let device = ScriptedSoundDevice { $0.granted = AudioFormat(sampleRate: 8000, channelCount: 1) }
        let error = await #expect(throws: CaptureError.self) { _ = try await record(device) }
        #expect(error?.code == .unsupported)
        #expect(device.leaks == [])
    }

    @Test("With a camera goes the microphone of its own USB device, else the first there is")
    func preferred() throws {
        let far = ScriptedSoundDevice.microphone(card: "Far", socket: "1")
        let own = ScriptedSoundDevice.microphone(card: "Own", socket: "3")
        let device = ScriptedSoundDevice { $0.devices = [far, own] }
        let microphones = LinuxMicrophones(calls: device, clock: device)
        func camera(_ id: String) -> CaptureDevice {
            CaptureDevice(id: CaptureDevice.ID(rawValue: id), capability: .camera, model: "x")
        }
        #expect(microphones.preferred(for: camera("usb-0000:00:14.0-3:1.0/HD Webcam/A1"))?.device.id == own.id)
        #expect(microphones.preferred(for: camera("usb-0000:00:14.0-2:1.0/HD Webcam"))?.device.id == far.id)
        #expect(microphones.preferred(for: camera("platform:vivid-000/vivid"))?.device.id == far.id)
        device.state.withLock { $0.devices = [] }
        #expect(microphones.preferred(for: camera("platform:vivid-000/vivid")) == nil)
    }

    @Test("Names come from the kernel's list of cards, whatever characters they have")
    func names() {
        let list = """
             0 [Loopback       ]: Loopback - Loopback
                                  Loopback 1
             1 [C920           ]: USB-Audio - HD Pro Webcam C920 - [x]
                                  HD Pro Webcam C920 at usb-0000:00:14.0-3, high speed
            --- no soundcards ---
            """
        #expect(
            SystemSoundCalls.cardNames(list) == ["Loopback": "Loopback", "C920": "HD Pro Webcam C920 - [x]"]
        )
    }

    @Test("The machine's own sound devices can be listed, and one that is not there is refused")
    func realCalls() throws {
        let calls = SystemSoundCalls()
        for device in calls.devices() { #expect(!device.card.isEmpty) }
        let nothing = SoundDevice(card: "tt_none", number: 0, name: "x", place: "y")
        #expect(throws: Errno.self) { _ = try calls.open(nothing) }
    }
}

struct IdentityTests {
    private static let root = "/sys/devices/pci0000:00/0000:00:14.0/usb1"

    @Test(
        "A USB device's socket is named as the kernel's drivers name it",
        arguments: [
            (root + "/1-3", "usb-0000:00:14.0-3"),
            (root + "/1-1/1-1.4/1-1.4.2", "usb-0000:00:14.0-1.4.2"),
            ("/sys/devices/platform/dummy_hcd.0/usb2/2-1", "usb-dummy_hcd.0-1"),
            ("", "usb--"),
        ]
    )
    func sockets(device: String, expected: String) {
        #expect(USBFunction(device: device, interface: "1.0", serialNumber: nil).socket == expected)
    }

    @Test("Two cameras of one device, and two with one serial number, are told apart")
    func apart() {
        func id(_ socket: String, _ interface: String, _ index: Int) -> CaptureDevice.ID {
            let usb = USBFunction(device: "\(Self.root)/1-\(socket)", interface: interface, serialNumber: "0001")
            return CaptureDevice.ID(place: usb.socket, usb: usb, index: index, name: "Cam")
        }
        let ids = [id("3", "1.0", 0), id("3", "1.2", 0), id("3", "1.0", 2), id("4", "1.0", 0)]
        #expect(Set(ids).count == 4)
        #expect(ids[2].rawValue == "usb-0000:00:14.0-3:1.0+2/Cam/0001")
        #expect(ids[0...2].allSatisfy { $0.usbSocket == "usb-0000:00:14.0-3" })
    }
}
