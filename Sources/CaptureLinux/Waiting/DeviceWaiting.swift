import Capture
package import SystemPackage

/// Interrupts a wait.
package struct Waker: Hashable, Sendable {
    /// The number of the file descriptor.
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Watches for device nodes coming and going.
package struct NodeWatch: Hashable, Sendable {
    /// The number of the file descriptor.
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Why a wait ended.
package enum WaitResult: Hashable, Sendable {
    /// There may be data.
    case ready
    /// The driver reports an event.
    case event
    /// It was woken.
    case woken
    /// Nothing happened in time.
    case timedOut
    /// `POLLERR` only: the device is not streaming.
    case error
    /// `POLLHUP`: the device is gone.
    case hangup
}

/// The waiting calls shared by all kinds of devices.
package protocol DeviceWaiting: Sendable {
    /// `eventfd`.
    func makeWaker() throws(Errno) -> Waker
    /// Interrupts a wait from any thread.
    func wake(_ waker: Waker)
    /// Closes a waker.
    func close(_ waker: Waker)
    /// `inotify_init1`: watches the folders in which device nodes come, go and change permissions.
    ///
    /// If the system has no watches left, it returns one that never fires: waiters poll anyway.
    func watchNodes() -> NodeWatch
    /// Waits for a change or a wake-up, with a timeout; consumes the notifications.
    func wait(_ watch: NodeWatch, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult
    /// Closes a watch.
    func close(_ watch: NodeWatch)
}

extension DeviceWaiting {
    /// Waits before the next attempt on a device, and returns false if woken to stop; a change of nodes ends the wait
    /// early if that may help after the previous failure.
    func waits(_ pause: Duration, because reason: CaptureError, _ waker: Waker, _ clock: any CaptureClock) -> Bool {
        let watch = watchNodes()
        defer { close(watch) }
        let end = clock.reading().monotonic.advanced(by: pause)
        while true {
            let left = max(.zero, end.duration(since: clock.reading().monotonic))
            switch try? wait(watch, waker, atMost: left) {
            case .woken: return false
            case .ready where reason.code != .deviceLost && reason.code != .notAuthorized: continue
            default: return true
            }
        }
    }
}
