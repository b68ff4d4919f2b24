package import Capture
import SystemPackage

/// A GPIO line as an input; one thread waits for its changes.
package struct GPIOInputLine: InputLine {
    private let address: GPIOLineAddress
    private let flags: GPIOLineFlags
    private let calls: any GPIOCalls

    /// Refers to a line of a chip's device node, such as `/dev/gpiochip0`, by its number on it; active-low means low is
    /// active.
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
        defer { calls.close(line) }
        let wake = try address.calling("wait for") { () throws(Errno) in try calls.makeWake() }
        defer { calls.close(wake) }
        try await NamedThread.value("tt-gpio", onCancel: { calls.wake(wake) }) { () throws(CaptureError) in
            try address.calling("wait for") { () throws(Errno) in
                while let edge = try calls.nextEdge(of: line, orUntil: wake) { receive(edge) }
            }
        }
    }
}
