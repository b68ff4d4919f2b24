import CGPIO
package import Capture
import Glibc
package import SystemPackage

/// The real kernel calls.
package struct SystemGPIOCalls: GPIOCalls {
    /// The kernel's calls.
    package init() {}

    /// The corresponding ioctl is `GPIO_V2_GET_LINE_IOCTL`.
    package func request(chip: String, offset: UInt32, flags: GPIOLineFlags) throws(Errno) -> Int32 {
        let descriptor = unsafe tt_gpio_request(chip, offset, flags.rawValue)
        guard descriptor >= 0 else { throw Errno(rawValue: -descriptor) }
        return descriptor
    }

    /// The corresponding ioctl is `GPIO_V2_LINE_SET_VALUES_IOCTL`.
    package func set(_ line: Int32, isActive: Bool) throws(Errno) {
        let status = tt_gpio_set(line, isActive ? 1 : 0)
        guard status == 0 else { throw Errno(rawValue: -status) }
    }

    /// The corresponding C function is `eventfd`.
    package func makeWake() throws(Errno) -> Int32 {
        let descriptor = tt_gpio_make_wake()
        guard descriptor >= 0 else { throw Errno(rawValue: -descriptor) }
        return descriptor
    }

    /// The corresponding C function is `eventfd_write`.
    package func wake(_ descriptor: Int32) {
        tt_gpio_wake(descriptor)
    }

    /// The corresponding C functions are `poll` and `read`.
    package func nextEdge(of line: Int32, orUntil wake: Int32) throws(Errno) -> InputEdge? {
        var nanoseconds: UInt64 = 0
        let status = unsafe tt_gpio_wait(line, wake, &nanoseconds)
        guard status >= 0 else { throw Errno(rawValue: -status) }
        guard status > 0 else { return nil }
        return InputEdge(time: MonotonicTime(nanoseconds: Int64(clamping: nanoseconds)), isRising: status == 1)
    }

    /// The corresponding C function is `close`.
    package func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }
}
