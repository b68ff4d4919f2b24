// `pollfd` and `timeval` belong to whichever C module the compiler sees first, so both are imported.
import CALSA
import CVideo4Linux
import Capture
import Glibc
package import SystemPackage

/// The real kernel's waiting calls.
package protocol SystemWaiting: DeviceWaiting {}

extension SystemWaiting {
    /// The corresponding C function is `eventfd`.
    package func makeWaker() throws(Errno) -> Waker {
        let result = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        let number = errno
        guard result >= 0 else { throw Errno(rawValue: number) }
        return Waker(rawValue: result)
    }

    /// The corresponding C function is `eventfd_write`.
    package func wake(_ waker: Waker) {
        _ = eventfd_write(waker.rawValue, 1)
    }

    /// The corresponding C function is `close`.
    package func close(_ waker: Waker) {
        _ = Glibc.close(waker.rawValue)
    }

    /// The corresponding C functions are `inotify_init1` and `inotify_add_watch`.
    ///
    /// The kernel itself creates nodes in `/dev` (devtmpfs), so this needs no udev; udev then changes their
    /// permissions, which is reported too. The folder of sound devices exists only while there are any.
    package func watchNodes() -> NodeWatch {
        // poll(2) ignores a negative descriptor.
        let result = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        for folder in ["/dev", "/dev/snd"] {
            _ = unsafe inotify_add_watch(result, folder, UInt32(IN_CREATE | IN_ATTRIB | IN_DELETE))
        }
        return NodeWatch(rawValue: result)
    }

    /// The corresponding C functions are `poll` and `read`.
    package func wait(_ watch: NodeWatch, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult {
        var descriptors = [
            pollfd(fd: watch.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: waker.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        try pollDescriptors(&descriptors, atMost: timeout)
        if descriptors[1].revents != 0 { return .woken }
        guard descriptors[0].revents != 0 else { return .timedOut }
        var changes = [UInt8](repeating: 0, count: 4096)
        while unsafe read(watch.rawValue, &changes, changes.count) > 0 {}
        return .ready
    }

    /// The corresponding C function is `close`.
    package func close(_ watch: NodeWatch) {
        if watch.rawValue >= 0 { _ = Glibc.close(watch.rawValue) }
    }
}

/// Waits for any of the descriptors, with a timeout; signals do not end it.
///
/// The corresponding C function is `poll`. A closed descriptor is our own bug (`EBADF`), and must not be mistaken for a
/// request to stop.
func pollDescriptors(_ descriptors: inout [pollfd], atMost timeout: Duration) throws(Errno) {
    let milliseconds = Int32(clamping: timeout.wholeNanoseconds / 1_000_000)
    while unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds) < 0 {
        let number = errno
        guard number == EINTR else { throw Errno(rawValue: number) }
    }
    guard descriptors.allSatisfy({ Int32($0.revents) & POLLNVAL == 0 }) else { throw .badFileDescriptor }
}
