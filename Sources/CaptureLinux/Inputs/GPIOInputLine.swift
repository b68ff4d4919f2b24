package import Capture
import SystemPackage

/// A line of a GPIO chip as an input; one thread waits for its changes.
package struct GPIOInputLine: InputLine {
    private let chip: String
    private let offset: UInt32
    private let flags: GPIOLineFlags
    private let calls: any GPIOCalls

    /// Names a line.
    ///
    /// - Parameters:
    ///   - chip: the chip's device node, such as `/dev/gpiochip0`.
    ///   - offset: the line's number on it.
    ///   - isActiveLow: whether low means active.
    ///   - bias: the resistor.
    ///   - calls: the kernel.
    package init(chip: String, offset: UInt32, isActiveLow: Bool, bias: InputBias, calls: any GPIOCalls) {
        self.chip = chip
        self.offset = offset
        self.calls = calls
        var flags: GPIOLineFlags = [.input, .edgeRising, .edgeFalling]
        if isActiveLow { flags.insert(.activeLow) }
        switch bias {
        case .none: break
        case .pullUp: flags.insert(.biasPullUp)
        case .pullDown: flags.insert(.biasPullDown)
        }
        self.flags = flags
    }

    /// Delivers changes until the task is cancelled, then gives the line back.
    package func run(_ receive: @escaping @Sendable (InputEdge) -> Void) async throws(CaptureError) {
        let line = try calling("use") { () throws(Errno) in
            try calls.request(chip: chip, offset: offset, flags: flags)
        }
        let wake: Int32
        do throws(CaptureError) {
            wake = try calling("wait for") { () throws(Errno) in try calls.makeWake() }
        } catch {
            calls.close(line)
            throw error
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                NamedThread.run("tt-gpio") {
                    continuation.resume(returning: wait(line, wake, receive))
                }
            }
        } onCancel: {
            calls.wake(wake)
        }
        calls.close(line)
        calls.close(wake)
        try calling("wait for") { () throws(Errno) in try result.get() }
    }

    private func wait(
        _ line: Int32,
        _ wake: Int32,
        _ receive: (InputEdge) -> Void
    ) -> Result<Void, Errno> {
        do throws(Errno) {
            while let edge = try calls.nextEdge(of: line, orUntil: wake) { receive(edge) }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func calling<Value>(
        _ verb: String,
        _ call: () throws(Errno) -> Value
    ) throws(CaptureError) -> Value {
        do throws(Errno) {
            return try call()
        } catch {
            let (code, advice): (CaptureError.Code, String) =
                switch error {
                case .resourceBusy: (.deviceBusy, "another program uses it")
                case .permissionDenied, .notPermitted: (.notAuthorized, "give the service access to the gpio group")
                case .noSuchFileOrDirectory, .deviceGone, .noSuchAddressOrDevice: (.deviceLost, "it is not there")
                case .invalidArgument: (.unsupported, "the chip has no such line, or not that resistor")
                default: (.deviceFailed, "the driver failed")
                }
            throw CaptureError(code, "cannot \(verb) line \(offset) of \(chip): \(advice)", cause: error)
        }
    }
}
