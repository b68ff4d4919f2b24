package import Capture
package import SystemPackage

/// The flags of a line request (`GPIO_V2_LINE_FLAG_…` of `linux/gpio.h`).
package struct GPIOLineFlags: OptionSet, Hashable, Sendable {
    /// The kernel's bits.
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Low means active.
    package static let activeLow = GPIOLineFlags(rawValue: 1 << 1)
    /// An input.
    package static let input = GPIOLineFlags(rawValue: 1 << 2)
    /// An output.
    package static let output = GPIOLineFlags(rawValue: 1 << 3)
    /// Report changes to active.
    package static let edgeRising = GPIOLineFlags(rawValue: 1 << 4)
    /// Report changes to inactive.
    package static let edgeFalling = GPIOLineFlags(rawValue: 1 << 5)
    /// A pull-up resistor.
    package static let biasPullUp = GPIOLineFlags(rawValue: 1 << 8)
    /// A pull-down resistor.
    package static let biasPullDown = GPIOLineFlags(rawValue: 1 << 9)
}

/// The calls to the kernel's GPIO character device (its uAPI v2, Linux 5.10), so that tests need no chip.
package protocol GPIOCalls: Sendable {
    /// Requests a line from a chip; returns the line's descriptor.
    func request(chip: String, offset: UInt32, flags: GPIOLineFlags) throws(Errno) -> Int32

    /// Makes an output active or inactive.
    func set(_ line: Int32, isActive: Bool) throws(Errno)

    /// Creates a descriptor that wakes another thread's ``nextEdge(of:orUntil:)``.
    func makeWake() throws(Errno) -> Int32

    /// Wakes the thread that waits on it.
    func wake(_ descriptor: Int32)

    /// Blocks until the line changes; nil if woken.
    func nextEdge(of line: Int32, orUntil wake: Int32) throws(Errno) -> InputEdge?

    /// Closes a descriptor.
    func close(_ descriptor: Int32)
}
