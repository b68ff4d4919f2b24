import Capture
package import SystemPackage

/// Something that ends a wait.
package struct Waker: Hashable, Sendable {
    /// The number of the file descriptor.
    package let rawValue: Int32
    /// Wraps a number.
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Something that tells when device nodes come and go.
package struct NodeWatch: Hashable, Sendable {
    /// The number of the file descriptor.
    package let rawValue: Int32
    /// Wraps a number.
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Why a wait ended.
package enum WaitResult: Hashable, Sendable {
    /// There may be something to take.
    case ready
    /// The driver tells an event.
    case event
    /// Somebody woke it.
    case woken
    /// Nothing happened for so long.
    case timedOut
    /// `POLLERR` alone: the device does not stream.
    case error
    /// `POLLHUP`: the device is gone.
    case hangup
}

/// The calls for waiting that every kind of device shares.
package protocol DeviceWaiting: Sendable {
    /// `eventfd`.
    func makeWaker() throws(Errno) -> Waker
    /// Ends a wait from any thread.
    func wake(_ waker: Waker)
    /// Closes a waker.
    func close(_ waker: Waker)
    /// `inotify_init1`: watches the folders in which device nodes come, go and change their rights.
    ///
    /// Where the system has no watches left, one that never tells anything: whoever waits looks again in any case.
    func watchNodes() -> NodeWatch
    /// Waits until something changed there or a wake-up, at most so long; forgets what it was told.
    func wait(_ watch: NodeWatch, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult
    /// Closes a watch.
    func close(_ watch: NodeWatch)
}

extension DeviceWaiting {
    /// Waits before the next attempt on a device; a change of nodes ends it early where that may be what is waited for.
    ///
    /// - Parameters:
    ///   - pause: how long.
    ///   - reason: why the attempt before failed.
    ///   - waker: ends it for good.
    ///   - clock: tells how much of the pause is left.
    /// - Returns: false when somebody asked to stop.
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
