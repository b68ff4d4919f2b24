import CVideo4Linux
import Capture
import Glibc
package import SystemPackage

/// The calls on buffers and for waiting.
extension SystemVideoCalls {
    private static func emptyBuffer(_ index: UInt32) -> v4l2_buffer {
        var value = unsafe v4l2_buffer()
        unsafe value.index = index
        unsafe value.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        unsafe value.memory = V4L2_MEMORY_MMAP.rawValue
        return unsafe value
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_REQBUFS`.
    package func requestBuffers(_ descriptor: VideoDescriptor, count: UInt32) throws(Errno) -> UInt32 {
        var value = v4l2_requestbuffers()
        value.count = count
        value.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        value.memory = V4L2_MEMORY_MMAP.rawValue
        try Self.call(descriptor, tt_VIDIOC_REQBUFS, &value)
        return value.count
    }

    /// The corresponding C functions are `ioctl` with `VIDIOC_QUERYBUF`, and `mmap`.
    package func map(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> MappedBuffer {
        var value = unsafe Self.emptyBuffer(index)
        try unsafe Self.call(descriptor, tt_VIDIOC_QUERYBUF, &value)
        let length = unsafe Int(value.length)
        let memory = unsafe mmap(
            nil,
            length,
            PROT_READ | PROT_WRITE,
            MAP_SHARED,
            descriptor.rawValue,
            off_t(value.m.offset)
        )
        let number = errno
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { throw Errno(rawValue: number) }
        return unsafe MappedBuffer(memory: UnsafeMutableRawBufferPointer(start: memory, count: length))
    }

    /// The corresponding C function is `munmap`.
    package func unmap(_ buffer: MappedBuffer) {
        _ = unsafe munmap(buffer.memory.baseAddress, buffer.memory.count)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_QBUF`.
    package func queue(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) {
        var value = unsafe Self.emptyBuffer(index)
        try unsafe Self.call(descriptor, tt_VIDIOC_QBUF, &value)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_DQBUF`.
    package func dequeue(_ descriptor: VideoDescriptor) throws(Errno) -> DequeuedBuffer {
        var value = unsafe Self.emptyBuffer(0)
        try unsafe Self.call(descriptor, tt_VIDIOC_DQBUF, &value)
        let flags = unsafe value.flags
        let clock: DequeuedBuffer.TimestampClock =
            switch flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) {
            case UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC): .monotonic
            case UInt32(V4L2_BUF_FLAG_TIMESTAMP_COPY): .copied
            default: .unknown
            }
        let time = unsafe value.timestamp
        return DequeuedBuffer(
            index: unsafe value.index,
            byteCount: unsafe Int(value.bytesused),
            hasError: flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0,
            sequence: unsafe value.sequence,
            timestamp: MonotonicTime(
                nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_usec) &* 1000
            ),
            timestampClock: clock
        )
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_STREAMON`.
    package func streamOn(_ descriptor: VideoDescriptor) throws(Errno) {
        var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        try Self.call(descriptor, tt_VIDIOC_STREAMON, &type)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_STREAMOFF`.
    package func streamOff(_ descriptor: VideoDescriptor) throws(Errno) {
        var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        try Self.call(descriptor, tt_VIDIOC_STREAMOFF, &type)
    }

    /// The corresponding C function is `poll`.
    ///
    /// A hang-up is looked at first: after it, poll returns at once for ever.
    package func wait(
        _ descriptor: VideoDescriptor,
        _ waker: Waker,
        atMost timeout: Duration
    ) throws(Errno) -> WaitResult {
        var descriptors = [
            pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: waker.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = Int32(clamping: timeout.wholeNanoseconds / 1_000_000)
        while unsafe poll(&descriptors, 2, milliseconds) < 0 {
            let number = errno
            guard number == EINTR else { throw Errno(rawValue: number) }
        }
        if descriptors[1].revents != 0 { return .woken }
        let events = Int32(descriptors[0].revents)
        if events & (POLLHUP | POLLNVAL) != 0 { return .hangup }
        if events & POLLIN != 0 { return .ready }
        return events & POLLERR != 0 ? .error : .timedOut
    }

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
}
