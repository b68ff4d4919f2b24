package import Capture

/// The kernel interface of a node (Documentation/userspace-api/media/v4l/planar-apis.rst).
package enum VideoInterface: Hashable, Sendable {
    /// A frame is one piece of memory.
    case singlePlanar
    /// A frame is one or more pieces of memory, each with its own header length.
    case multiPlanar
}

/// An open video node.
package struct VideoDescriptor: Hashable, Sendable {
    /// The number of the file descriptor.
    package let rawValue: Int32
    /// The interface in use.
    package var interface = VideoInterface.singlePlanar

    /// The same node through another interface.
    func speaking(_ interface: VideoInterface) -> VideoDescriptor {
        VideoDescriptor(rawValue: rawValue, interface: interface)
    }
}

/// A conversion of one open node's frames.
package struct FrameConversion: Hashable, Sendable {
    /// The handle's address.
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
}

/// Kernel memory that holds a frame.
@unsafe
package struct MappedBuffer: @unchecked Sendable {
    // Guarded by the grabbing thread: it alone maps, reads and unmaps.
    /// The memory planes; most formats have one.
    package let planes: [UnsafeMutableRawBufferPointer]

    /// Wraps mapped memory.
    package init(planes: [UnsafeMutableRawBufferPointer]) {
        unsafe self.planes = unsafe planes
    }
}

/// A filled buffer.
package struct DequeuedBuffer: Hashable, Sendable {
    /// The clock of a buffer's timestamp.
    package enum TimestampClock: Hashable, Sendable {
        /// `CLOCK_MONOTONIC`.
        case monotonic
        /// Copied from the input buffer.
        case copied
        /// The driver does not say.
        case unknown
    }

    /// The filled part of one memory plane.
    package struct Plane: Hashable, Sendable {
        /// The number of filled bytes, header included (buffer.rst, `bytesused`).
        package var byteCount: Int
        /// The number of header bytes before the samples.
        package var dataOffset = 0

        /// The range of the samples in memory of a given length, whatever the driver says; empty if invalid.
        func range(in length: Int) -> Range<Int> {
            let end = min(max(0, byteCount), length)
            return min(max(0, dataOffset), end)..<end
        }
    }

    /// The buffer's index.
    package var index: UInt32
    /// The filled planes, in order.
    package var planes: [Plane]
    /// `V4L2_BUF_FLAG_ERROR`: the samples may be damaged, but the buffer can be reused.
    package var hasError = false
    /// The driver's frame count.
    package var sequence: UInt32
    /// The driver's timestamp.
    package var timestamp: MonotonicTime
    /// The timestamp's clock.
    package var timestampClock = TimestampClock.monotonic
}

/// An event between frames (`VIDIOC_DQEVENT`).
package enum VideoEvent: Hashable, Sendable {
    /// The signal's size or rate changed; renegotiate the format.
    case sourceChange
    /// No more frames will come from this stream.
    case endOfStream
    /// Somebody set a control, by its number.
    case control(UInt32)
    /// Something else.
    case other
}
