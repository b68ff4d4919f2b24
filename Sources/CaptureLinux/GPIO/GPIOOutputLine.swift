package import Capture
import SystemPackage

/// A GPIO line as an output, such as a lamp; held, and initially inactive, as long as this value.
package final class GPIOOutputLine: Sendable {
    private let address: GPIOLineAddress
    private let line: Int32
    private let calls: any GPIOCalls

    /// Requests a line of a chip's device node, such as `/dev/gpiochip0`, by its number on it; active-low means low is
    /// active.
    ///
    /// - Throws: `deviceLost`, `deviceBusy`, `notAuthorized`, `unsupported`, `deviceFailed`.
    package init(
        chip: String,
        offset: UInt32,
        isActiveLow: Bool,
        calls: any GPIOCalls = SystemGPIOCalls()
    ) throws(CaptureError) {
        let address = GPIOLineAddress(chip: chip, offset: offset)
        let flags: GPIOLineFlags = isActiveLow ? [.output, .activeLow] : [.output]
        line = try address.calling("use") { () throws(Errno) in
            try calls.request(chip: chip, offset: offset, flags: flags)
        }
        self.address = address
        self.calls = calls
    }

    deinit {
        calls.close(line)
    }

    /// Makes the line active or inactive.
    package func set(_ isActive: Bool) throws(CaptureError) {
        try address.calling("set") { () throws(Errno) in try calls.set(line, isActive: isActive) }
    }
}
