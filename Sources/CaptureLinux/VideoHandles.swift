package import Capture

/// An open video node.
package struct VideoDescriptor: Hashable, Sendable {
    /// The number of the file descriptor.
    package let rawValue: Int32
    /// Wraps a number.
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Something that ends a wait.
package struct Waker: Hashable, Sendable {
    /// The number of the file descriptor.
    package let rawValue: Int32
    /// Wraps a number.
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Kernel memory that frames live in.
@unsafe
package struct MappedBuffer: @unchecked Sendable {
    // Guarded by the grabbing thread: it alone maps, reads and unmaps.
    /// The memory.
    package let memory: UnsafeMutableRawBufferPointer

    /// Wraps mapped memory.
    package init(memory: UnsafeMutableRawBufferPointer) {
        unsafe self.memory = unsafe memory
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

    /// Which buffer.
    package var index: UInt32
    /// How many bytes of it are filled.
    package var byteCount: Int
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
        byteCount: Int,
        hasError: Bool = false,
        sequence: UInt32,
        timestamp: MonotonicTime,
        timestampClock: TimestampClock = .monotonic
    ) {
        self.index = index
        self.byteCount = byteCount
        self.hasError = hasError
        self.sequence = sequence
        self.timestamp = timestamp
        self.timestampClock = timestampClock
    }
}

/// Why a wait ended.
package enum WaitResult: Hashable, Sendable {
    /// A buffer may be filled.
    case ready
    /// Somebody woke it.
    case woken
    /// Nothing happened for so long.
    case timedOut
    /// `POLLERR` alone: the device does not stream.
    case error
    /// `POLLHUP`: the device is gone.
    case hangup
}
