import Capture
import Synchronization
import SystemPackage
import Testing

@testable import CaptureLinux

/// A chip that answers as the test says.
private final class ScriptedChip: GPIOCalls {
    struct State {
        var edges: [InputEdge] = []
        var refusal: Errno?
        var end: Errno?
        var flags: GPIOLineFlags = []
        var isWoken = false
        var closed: [Int32] = []
        var values: [Bool] = []
    }

    let state = Mutex(State())

    func request(chip: String, offset: UInt32, flags: GPIOLineFlags) throws(Errno) -> Int32 {
        let refusal = state.withLock { state in
            state.flags = flags
            return state.refusal
        }
        if let refusal { throw refusal }
        return 7
    }

    func set(_ line: Int32, isActive: Bool) throws(Errno) {
        let end = state.withLock { state in
            state.values.append(isActive)
            return state.end
        }
        if let end { throw end }
    }

    func makeWake() throws(Errno) -> Int32 { 8 }

    func wake(_ descriptor: Int32) { state.withLock { $0.isWoken = true } }

    func nextEdge(of line: Int32, orUntil wake: Int32) throws(Errno) -> InputEdge? {
        while true {
            let (edge, end, isWoken) = state.withLock { state in
                (state.edges.isEmpty ? nil : state.edges.removeFirst(), state.end, state.isWoken)
            }
            if let edge { return edge }
            if let end { throw end }
            if isWoken { return nil }
        }
    }

    func close(_ descriptor: Int32) { state.withLock { $0.closed.append(descriptor) } }
}

struct GPIOInputLineTests {
    private func line(_ chip: ScriptedChip, bias: InputBias = .none) -> GPIOInputLine {
        GPIOInputLine(chip: "/dev/gpiochip0", offset: 17, isActiveLow: true, bias: bias, calls: chip)
    }

    @Test("Edges come with the kernel's time until the task is cancelled; then the line is given back")
    func edges() async throws {
        let chip = ScriptedChip()
        let edges = (0..<3).map { InputEdge(time: MonotonicTime(nanoseconds: Int64($0)), isRising: $0 % 2 == 0) }
        chip.state.withLock { $0.edges = edges }
        let (received, sink) = AsyncStream<InputEdge>.makeStream()
        let run = Task { try await line(chip, bias: .pullUp).run { sink.yield($0) } }
        var seen: [InputEdge] = []
        for await edge in received {
            seen.append(edge)
            if seen.count == edges.count { break }
        }
        run.cancel()
        try await run.value
        #expect(seen == edges)
        #expect(chip.state.withLock(\.closed).sorted() == [7, 8])
        #expect(
            chip.state.withLock(\.flags) == [.input, .activeLow, .edgeRising, .edgeFalling, .biasPullUp]
        )
    }

    @Test(
        "A line that cannot be had is refused with its reason",
        arguments: [
            (Errno.resourceBusy, CaptureError.Code.deviceBusy), (.permissionDenied, .notAuthorized),
            (.noSuchFileOrDirectory, .deviceLost), (.invalidArgument, .unsupported), (.ioError, .deviceFailed),
        ]
    )
    func refusals(number: Errno, code: CaptureError.Code) async {
        let chip = ScriptedChip()
        chip.state.withLock { $0.refusal = number }
        let error = await #expect(throws: CaptureError.self) { try await line(chip).run { _ in } }
        #expect(error?.code == code && error?.cause as? Errno == number)
    }

    @Test("A chip that goes away ends the line with its reason, and everything is given back")
    func gone() async {
        let chip = ScriptedChip()
        chip.state.withLock { $0.end = Errno.deviceGone }
        let error = await #expect(throws: CaptureError.self) { try await line(chip).run { _ in } }
        #expect(error?.code == .deviceLost)
        #expect(chip.state.withLock(\.closed).sorted() == [7, 8])
    }

    @Test("A machine without the chip says so through the kernel's own calls")
    func realCalls() async {
        let line = GPIOInputLine(
            chip: "/nowhere/gpiochip9",
            offset: 0,
            isActiveLow: false,
            bias: .none,
            calls: SystemGPIOCalls()
        )
        let error = await #expect(throws: CaptureError.self) { try await line.run { _ in } }
        #expect(error?.code == .deviceLost)
    }
}

struct GPIOOutputLineTests {
    @Test("003.31: a lamp's line is taken as an output, switched, and given back")
    func lamp() throws {
        let chip = ScriptedChip()
        do {
            let lamp = try GPIOOutputLine(chip: "/dev/gpiochip0", offset: 17, isActiveLow: true, calls: chip)
            try lamp.set(true)
            try lamp.set(false)
            chip.state.withLock { $0.end = Errno.deviceGone }
            let error = #expect(throws: CaptureError.self) { try lamp.set(true) }
            #expect(error?.code == .deviceLost)
        }
        chip.state.withLock { state in
            #expect(state.flags == [.output, .activeLow])
            #expect(state.values == [true, false, true])
            #expect(state.closed == [7])
        }
    }

    @Test("A lamp whose line is not there is told at once")
    func missing() {
        let error = #expect(throws: CaptureError.self) {
            _ = try GPIOOutputLine(chip: "/dev/gpiochip99", offset: 0, isActiveLow: false)
        }
        #expect(error?.code == .deviceLost)
    }
}
