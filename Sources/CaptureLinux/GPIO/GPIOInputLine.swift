package import Capture
import SystemPackage

/// A GPIO line as an input; one thread waits for its changes.
package struct GPIOInputLine: InputLine {
    private let address: GPIOLineAddress
    private let flags: GPIOLineFlags
    private let calls: any GPIOCalls

    /// Refers to a line.
    ///
    /// - Parameters:
    ///   - chip: the chip's device node, such as `/dev/gpiochip0`.
    ///   - offset: the line's number on it.
    ///   - isActiveLow: whether low means active.
    ///   - bias: the resistor.
    ///   - calls: the kernel calls.
    package init(chip: String, offset: UInt32, isActiveLow: Bool, bias: InputBias, calls: any GPIOCalls) {
        address = GPIOLineAddress(chip: chip, offset: offset)
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

    /// Delivers changes until the task is cancelled, then releases the line.
    package func run(_ receive: @escaping @Sendable (InputEdge) -> Void) async throws(CaptureError) {
        let line = try address.calling("use") { () throws(Errno) in
            try calls.request(chip: address.chip, offset: address.offset, flags: flags)
        }
        let wake: Int32
        do throws(CaptureError) {
            wake = try address.calling("wait for") { () throws(Errno) in try calls.makeWake() }
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
        try address.calling("wait for") { () throws(Errno) in try result.get() }
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
}
