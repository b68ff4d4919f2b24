package import Capture

/// Which of the kernel's two interfaces a node speaks (Documentation/userspace-api/media/v4l/planar-apis.rst).
package enum VideoInterface: Hashable, Sendable {
    /// A frame is one piece of memory.
    case singlePlanar
    /// A frame is one or more pieces of memory, each with a header of its own length.
    case multiPlanar
}

/// An open video node.
package struct VideoDescriptor: Hashable, Sendable {
    /// The number of the file descriptor.
    package let rawValue: Int32
    /// The interface that it is spoken to by.
    package let interface: VideoInterface

    /// Wraps a number.
    package init(rawValue: Int32, interface: VideoInterface = .singlePlanar) {
        self.rawValue = rawValue
        self.interface = interface
    }

    /// The same node, spoken to by another interface.
    func speaking(_ interface: VideoInterface) -> VideoDescriptor {
        VideoDescriptor(rawValue: rawValue, interface: interface)
    }
}

/// A conversion of frames of one open node.
package struct FrameConversion: Hashable, Sendable {
    /// The handle's address.
    package let rawValue: Int
    /// Wraps a handle.
    package init(rawValue: Int) { self.rawValue = rawValue }
}

/// Kernel memory that a frame lives in.
@unsafe
package struct MappedBuffer: @unchecked Sendable {
    // Guarded by the grabbing thread: it alone maps, reads and unmaps.
    /// One piece of memory for each plane of memory, of which most formats have one.
    package let planes: [UnsafeMutableRawBufferPointer]

    /// Wraps mapped memory.
    package init(planes: [UnsafeMutableRawBufferPointer]) {
        unsafe self.planes = unsafe planes
    }
}

/// A filled buffer.
package struct DequeuedBuffer: Hashable, Sendable {
    /// What kind of clock stamped a buffer.
    package enum TimestampClock: Hashable, Sendable {
        /// `CLOCK_MONOTONIC`.
        case monotonic
        /// Copied from the buffer that went in.
        case copied
        /// The driver does not say.
        case unknown
    }

    /// What is filled of one plane of memory.
    package struct Plane: Hashable, Sendable {
        /// How many bytes are filled, header included (buffer.rst, `bytesused`).
        package var byteCount: Int
        /// How many bytes of header come before the samples.
        package var dataOffset: Int

        /// Describes a plane of memory.
        package init(byteCount: Int, dataOffset: Int = 0) {
            self.byteCount = byteCount
            self.dataOffset = dataOffset
        }

        /// Where the samples are in memory of a length, whatever the driver says; empty when it makes no sense.
        func range(in length: Int) -> Range<Int> {
            let end = min(max(0, byteCount), length)
            return min(max(0, dataOffset), end)..<end
        }
    }

    /// Which buffer.
    package var index: UInt32
    /// What is filled of it, in the order of the planes.
    package var planes: [Plane]
    /// `V4L2_BUF_FLAG_ERROR`: the samples may be damaged, the buffer can be used again.
    package var hasError: Bool
    /// The driver's count of frames.
    package var sequence: UInt32
    /// The driver's time stamp.
    package var timestamp: MonotonicTime
    /// What clock that is of.
    package var timestampClock: TimestampClock

    /// Describes a filled buffer.
    package init(
        index: UInt32,
        planes: [Plane],
        hasError: Bool = false,
        sequence: UInt32,
        timestamp: MonotonicTime,
        timestampClock: TimestampClock = .monotonic
    ) {
        self.index = index
        self.planes = planes
        self.hasError = hasError
        self.sequence = sequence
        self.timestamp = timestamp
        self.timestampClock = timestampClock
    }
}

/// What a driver tells between frames (`VIDIOC_DQEVENT`).
package enum VideoEvent: Hashable, Sendable {
    /// The signal has another size or rate; the format must be agreed on anew.
    case sourceChange
    /// No more frames will come from this stream.
    case endOfStream
    /// Somebody set a control, by its number.
    case control(UInt32)
    /// Something else.
    case other
}
