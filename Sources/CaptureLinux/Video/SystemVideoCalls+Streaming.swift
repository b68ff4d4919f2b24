// `pollfd` and `timeval` belong to whichever C module the compiler sees first, so both are imported.
import CALSA
import CVideo4Linux
import Capture
import Glibc
package import SystemPackage

/// The calls on buffers and for waiting.
extension SystemVideoCalls {
    /// The corresponding C function is `ioctl` with `VIDIOC_REQBUFS`.
    package func requestBuffers(_ descriptor: VideoDescriptor, count: UInt32) throws(Errno) -> UInt32 {
        var value = v4l2_requestbuffers()
        value.count = count
        value.type = descriptor.bufferType
        value.memory = V4L2_MEMORY_MMAP.rawValue
        try Self.call(descriptor, tt_VIDIOC_REQBUFS, &value)
        return value.count
    }

    /// The corresponding C functions are `ioctl` with `VIDIOC_QUERYBUF`, and `mmap` for each plane of memory.
    package func map(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> MappedBuffer {
        let buffer = try Self.exchange(descriptor, tt_VIDIOC_QUERYBUF, index)
        var mapped: [UnsafeMutableRawBufferPointer] = unsafe []
        for plane in buffer.planes {
            let memory = unsafe mmap(
                nil,
                plane.length,
                PROT_READ | PROT_WRITE,
                MAP_SHARED,
                descriptor.rawValue,
                off_t(plane.memoryOffset)
            )
            let number = errno
            guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
                unsafe unmap(MappedBuffer(planes: mapped))
                throw Errno(rawValue: number)
            }
            unsafe mapped.append(UnsafeMutableRawBufferPointer(start: memory, count: plane.length))
        }
        return unsafe MappedBuffer(planes: mapped)
    }

    /// The corresponding C function is `munmap`.
    package func unmap(_ buffer: MappedBuffer) {
        for index in unsafe buffer.planes.indices {
            let plane = unsafe buffer.planes[index]
            _ = unsafe munmap(plane.baseAddress, plane.count)
        }
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_QBUF`.
    package func queue(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) {
        _ = try Self.exchange(descriptor, tt_VIDIOC_QBUF, index)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_DQBUF`.
    package func dequeue(_ descriptor: VideoDescriptor) throws(Errno) -> DequeuedBuffer {
        let buffer = try Self.exchange(descriptor, tt_VIDIOC_DQBUF, 0)
        let clock: DequeuedBuffer.TimestampClock =
            switch buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) {
            case UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC): .monotonic
            case UInt32(V4L2_BUF_FLAG_TIMESTAMP_COPY): .copied
            default: .unknown
            }
        return DequeuedBuffer(
            index: buffer.index,
            planes: buffer.planes.map { DequeuedBuffer.Plane(byteCount: $0.byteCount, dataOffset: $0.dataOffset) },
            hasError: buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0,
            sequence: buffer.sequence,
            timestamp: buffer.timestamp,
            timestampClock: clock
        )
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_STREAMON`.
    package func streamOn(_ descriptor: VideoDescriptor) throws(Errno) {
        var type = descriptor.bufferType
        try Self.call(descriptor, tt_VIDIOC_STREAMON, &type)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_STREAMOFF`.
    package func streamOff(_ descriptor: VideoDescriptor) throws(Errno) {
        var type = descriptor.bufferType
        try Self.call(descriptor, tt_VIDIOC_STREAMOFF, &type)
    }

    /// The corresponding C function is `usleep`.
    package func pause(_ duration: Duration) {
        usleep(UInt32(clamping: duration.wholeNanoseconds / 1000))
    }

    /// The corresponding C function is `poll`.
    ///
    /// A hang-up is checked first: after it, poll always returns at once.
    package func wait(
        _ descriptor: VideoDescriptor,
        _ waker: Waker,
        atMost timeout: Duration
    ) throws(Errno) -> WaitResult {
        var descriptors = [
            pollfd(fd: descriptor.rawValue, events: Int16(POLLIN | POLLPRI), revents: 0),
            pollfd(fd: waker.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        try pollDescriptors(&descriptors, atMost: timeout)
        if descriptors[1].revents != 0 { return .woken }
        let events = Int32(descriptors[0].revents)
        if events & POLLHUP != 0 { return .hangup }
        if events & POLLPRI != 0 { return .event }
        if events & POLLIN != 0 { return .ready }
        return events & POLLERR != 0 ? .error : .timedOut
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_SUBSCRIBE_EVENT`.
    package func subscribe(_ descriptor: VideoDescriptor, to event: VideoEvent) throws(Errno) {
        var value = v4l2_event_subscription()
        switch event {
        case .sourceChange: value.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
        case .endOfStream: value.type = UInt32(V4L2_EVENT_EOS)
        case .control(let id): (value.type, value.id) = (UInt32(V4L2_EVENT_CTRL), id)
        case .other: throw .invalidArgument
        }
        try Self.call(descriptor, tt_VIDIOC_SUBSCRIBE_EVENT, &value)
    }

    /// The corresponding C function is `ioctl` with `VIDIOC_DQEVENT`.
    package func nextEvent(_ descriptor: VideoDescriptor) throws(Errno) -> VideoEvent {
        var value = v4l2_event()
        try Self.call(descriptor, tt_VIDIOC_DQEVENT, &value)
        switch Int32(clamping: value.type) {
        case V4L2_EVENT_SOURCE_CHANGE: return .sourceChange
        case V4L2_EVENT_EOS: return .endOfStream
        case V4L2_EVENT_CTRL: return .control(value.id)
        default: return .other
        }
    }

    // MARK: Buffers of both interfaces

    /// A `v4l2_buffer` in Swift types.
    fileprivate struct Buffer {
        struct Plane {
            let byteCount: Int
            let dataOffset: Int
            let length: Int
            let memoryOffset: UInt32
        }

        let index: UInt32
        let flags: UInt32
        let sequence: UInt32
        let timestamp: MonotonicTime
        let planes: [Plane]
    }

    /// Makes a call that takes a buffer, and returns the driver's result.
    private static func exchange(
        _ descriptor: VideoDescriptor,
        _ request: UInt,
        _ index: UInt32
    ) throws(Errno) -> Buffer {
        var value = unsafe v4l2_buffer()
        unsafe value.index = index
        unsafe value.type = descriptor.bufferType
        unsafe value.memory = V4L2_MEMORY_MMAP.rawValue
        switch descriptor.interface {
        case .singlePlanar:
            try unsafe call(descriptor, request, &value)
            let plane = unsafe Buffer.Plane(
                byteCount: Int(value.bytesused),
                dataOffset: 0,
                length: Int(value.length),
                memoryOffset: value.m.offset
            )
            return unsafe Buffer(value, [plane])
        case .multiPlanar:
            var planes = [v4l2_plane](repeating: v4l2_plane(), count: Int(VIDEO_MAX_PLANES))
            unsafe value.length = UInt32(VIDEO_MAX_PLANES)
            let number = unsafe planes.withUnsafeMutableBufferPointer { pointer in
                unsafe value.m.planes = pointer.baseAddress
                return unsafe withUnsafeMutablePointer(to: &value) { argument in
                    unsafe tt_ioctl(descriptor.rawValue, request, argument)
                }
            }
            guard number == 0 else { throw Errno(rawValue: number) }
            let used = unsafe planes.prefix(Int(value.length)).map { plane in
                unsafe Buffer.Plane(
                    byteCount: Int(plane.bytesused),
                    dataOffset: Int(plane.data_offset),
                    length: Int(plane.length),
                    memoryOffset: plane.m.mem_offset
                )
            }
            return unsafe Buffer(value, used)
        }
    }
}

extension SystemVideoCalls.Buffer {
    fileprivate init(_ value: v4l2_buffer, _ planes: [Plane]) {
        let time = unsafe value.timestamp
        self.init(
            index: unsafe value.index,
            flags: unsafe value.flags,
            sequence: unsafe value.sequence,
            timestamp: MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_usec) &* 1000),
            planes: planes
        )
    }
}
