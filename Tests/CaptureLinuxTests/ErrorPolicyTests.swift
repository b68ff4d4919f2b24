import Capture
import PhotoModel
import Synchronization
import SystemPackage
import Testing

@testable import CaptureLinux

/// What each error number, event and wait means for a camera that streams (vidioc-*.rst, func-poll.rst).
struct ErrorPolicyTests {
    /// What becomes of the stream.
    enum Consequence: Hashable, Sendable {
        /// Nothing happened.
        case goesOn
        /// Streaming ends and begins again on the open node.
        case restarted
        /// The node is closed at once and opened again, and the session hears why.
        case reopened(CaptureError.Code)
    }

    private static let rows: [(step: ScriptedDevice.Step, consequence: Consequence)] = [
        (.dequeueFails(.wouldBlock), .goesOn),
        (.event(.control(1)), .goesOn),
        (.event(.other), .goesOn),
        (.dequeueFails(.ioError), .restarted),
        (.dequeueFails(.invalidArgument), .restarted),
        (.wait(.error), .restarted),
        (.wait(.timedOut), .restarted),
        (.event(.endOfStream), .restarted),
        (.event(.sourceChange), .reopened(.reconfiguring)),
        (.wait(.hangup), .reopened(.deviceLost)),
        (.dequeueFails(.deviceGone), .reopened(.deviceLost)),
        (.dequeueFails(.noSuchAddressOrDevice), .reopened(.deviceLost)),
        (.dequeueFails(.resourceBusy), .reopened(.deviceBusy)),
        (.dequeueFails(.noSpace), .reopened(.insufficientBandwidth)),
        (.dequeueFails(.permissionDenied), .reopened(.notAuthorized)),
        (.dequeueFails(.noMemory), .reopened(.deviceFailed)),
        (.dequeueFails(.protocolError), .reopened(.deviceFailed)),
        (.dequeueFails(.timedOut), .reopened(.deviceFailed)),
        (.dequeueFails(.badFileDescriptor), .reopened(.deviceFailed)),
    ]

    private func count(_ call: String, _ device: ScriptedDevice) -> Int {
        device.state.withLock { $0.calls.count { $0 == call } }
    }

    @Test("While a camera streams, every error and event has its consequence, and frames come again", arguments: rows)
    func streaming(step: ScriptedDevice.Step, consequence: Consequence) async throws {
        let device = ScriptedDevice()
        let receiver = NotingReceiver()
        let stream = try await VideoCameraDiscovery.first(device).open(.scripted)
        device.state.withLock { state in
            state.steps = [filled(0, 0, age: 900), step, filled(0, 0, age: 0)]
            state.nodeSteps = Array(repeating: .nothing, count: 4)
            state.calls = []
        }
        try await stream.run(receiver)
        #expect(receiver.infos.count == 2)
        let expected: (starts: Int, opens: Int, told: [CaptureError.Code]) =
            switch consequence {
            case .goesOn: (1, 0, [])
            case .restarted: (2, 0, [])
            case .reopened(let code): (2, 1, [code])
            }
        #expect(count("streamOn", device) == expected.starts)
        #expect(count("open", device) == expected.opens)
        #expect(receiver.interruptions.withLock(\.self) == expected.told)
        #expect(device.leaks == [])
    }

    @Test(
        "A camera that comes back and refuses a call is tried again, with the reason told once it was open",
        arguments: [
            ("setFormat", Errno.resourceBusy, [CaptureError.Code.deviceLost]),
            ("setFrameInterval", .ioError, [.deviceLost]),
            ("requestBuffers", .noMemory, [.deviceLost, .deviceFailed]),
            ("map", .noMemory, [.deviceLost, .deviceFailed]),
            ("queue", .ioError, [.deviceLost, .deviceFailed]),
            ("streamOn", .noSpace, [.deviceLost, .insufficientBandwidth]),
            ("streamOn", .resourceBusy, [.deviceLost, .deviceBusy]),
        ]
    )
    func returning(call: String, number: Errno, told: [CaptureError.Code]) async throws {
        let device = ScriptedDevice()
        let node = ScriptedDevice.camera("/dev/video0")
        let receiver = NotingReceiver()
        let stream = try await VideoCameraDiscovery.first(device).open(.scripted)
        device.state.withLock { state in
            state.steps = [filled(0, 0, age: 900), .unplugged, filled(0, 0, age: 0)]
            state.nodeSteps = [.appears([node])] + Array(repeating: .nothing, count: 4)
            state.laterFailures[call] = number
        }
        try await stream.run(receiver)
        #expect(receiver.infos.count == 2)
        #expect(receiver.interruptions.withLock(\.self) == told)
        #expect(device.leaks == [])
    }

    @Test(
        "A camera that does not answer in time is asked again after pauses that grow, and then told as failed",
        arguments: [Errno.protocolError, .timedOut],
        ["setFormat", "setFrameInterval", "streamOn"]
    )
    func noAnswer(number: Errno, call: String) async throws {
        let slow = ScriptedDevice { $0.failures[call] = number }
        try await VideoCameraDiscovery.first(slow).open(.scripted).run(NotingReceiver())
        #expect(slow.state.withLock(\.rests) == [.milliseconds(100)])
        let silent = ScriptedDevice { $0.lastingFailures[call] = number }
        let error = await #expect(throws: CaptureError.self) {
            try await VideoCameraDiscovery.first(silent).open(.scripted).run(NotingReceiver())
        }
        #expect(error?.code == .deviceFailed)
        #expect(silent.state.withLock(\.rests) == [.milliseconds(100), .milliseconds(400)])
        #expect(slow.leaks == [] && silent.leaks == [])
    }

    @Test("A driver that repeats a number, stands still or counts anew in the middle has its frames numbered on")
    func repeatedNumbers() async throws {
        let device = ScriptedDevice()
        let receiver = NotingReceiver()
        let stream = try await VideoCameraDiscovery.first(device).open(.scripted)
        let sequences: [UInt32] = [6, 6, 7, 9, 9, 9, 0, 1]
        device.state.withLock { state in
            state.steps = sequences.enumerated().map { index, sequence in
                filled(UInt32(index % 4), sequence, age: Int64(sequences.count - index) * 33)
            }
        }
        try await stream.run(receiver)
        #expect(receiver.infos.map(\.sequence) == [6, 7, 8, 10, 11, 12, 13, 14])
    }

    @Test("The exposure time is told when it was set by hand, and not while a change of it is on its way")
    func exposure() async throws {
        let (mode, time) = (CameraControl.autoExposure.id, CameraControl.exposureTime.id)
        let device = ScriptedDevice { $0.values = [mode: 1, time: 83] }
        let receiver = NotingReceiver()
        let stream = try await VideoCameraDiscovery.first(device).open(.scripted)
        device.state.withLock { state in
            state.steps = [filled(0, 0, age: 300), .event(.control(time))]
            for index in UInt32(1)...5 {
                state.steps.append(filled(index % 4, index, age: 300 - Int64(index) * 33))
            }
        }
        try await stream.run(receiver)
        let known = Duration.microseconds(8300)
        #expect(receiver.infos.map(\.exposureTime) == [known, nil, nil, nil, nil, known])
        let automatic = ScriptedDevice { state in
            state.values = [mode: 3, time: 83]
            state.steps = [filled(0, 0, age: 0)]
        }
        let other = NotingReceiver()
        try await VideoCameraDiscovery.first(automatic).open(.scripted).run(other)
        #expect(other.infos.map(\.exposureTime) == [nil])
    }
}
