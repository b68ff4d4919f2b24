package import Capture
package import PhotoModel
package import SystemPackage

/// Every call that is made of a video device, one method each, so that a test can answer with anything a driver might.
///
/// The values are the kernel's (Documentation/userspace-api/media/v4l), in Swift's types. A call that a signal
/// interrupted is repeated below this protocol.
package protocol VideoDeviceCalls: Sendable {
    /// The video nodes there are now (`/sys/class/video4linux`).
    func nodes() -> [VideoNode]
    /// Opens a node for reading and writing, without waiting.
    func open(_ path: FilePath) throws(Errno) -> VideoDescriptor
    /// Closes a node; an open node keeps its number even when its device is gone.
    func close(_ descriptor: VideoDescriptor)
    /// `VIDIOC_QUERYCAP`.
    func capabilities(_ descriptor: VideoDescriptor) throws(Errno) -> VideoCapabilities
    /// `VIDIOC_ENUM_FMT`; `invalidArgument` after the last.
    func format(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> (format: PixelFormat, isEmulated: Bool)
    /// `VIDIOC_ENUM_FRAMESIZES`; `invalidArgument` after the last.
    func frameSize(_ descriptor: VideoDescriptor, _ format: PixelFormat, index: UInt32) throws(Errno) -> VideoSizes
    /// `VIDIOC_ENUM_FRAMEINTERVALS`; the shortest for a range; `invalidArgument` after the last.
    func frameInterval(
        _ descriptor: VideoDescriptor,
        _ format: PixelFormat,
        _ size: PixelSize,
        index: UInt32
    ) throws(Errno) -> FrameInterval
    /// `VIDIOC_S_FMT`: asks for a format and returns what the driver made of it.
    func setFormat(_ descriptor: VideoDescriptor, _ format: VideoFormat) throws(Errno) -> VideoFormat
    /// `VIDIOC_S_PARM`: asks for an interval and returns what the driver made of it; nil when it cannot be set.
    func setFrameInterval(_ descriptor: VideoDescriptor, _ interval: FrameInterval) throws(Errno) -> FrameInterval?
    /// `VIDIOC_REQBUFS` for mapped buffers; the driver grants more or fewer; 0 frees them.
    func requestBuffers(_ descriptor: VideoDescriptor, count: UInt32) throws(Errno) -> UInt32
    /// `VIDIOC_QUERYBUF` and `mmap`.
    func map(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> MappedBuffer
    /// `munmap`.
    func unmap(_ buffer: MappedBuffer)
    /// `VIDIOC_QBUF`: gives a buffer to the driver.
    func queue(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno)
    /// `VIDIOC_DQBUF`: takes a filled buffer back; `wouldBlock` when there is none.
    func dequeue(_ descriptor: VideoDescriptor) throws(Errno) -> DequeuedBuffer
    /// `VIDIOC_STREAMON`.
    func streamOn(_ descriptor: VideoDescriptor) throws(Errno)
    /// `VIDIOC_STREAMOFF`, which also takes all buffers back.
    func streamOff(_ descriptor: VideoDescriptor) throws(Errno)
    /// `poll` for a filled buffer or a wake-up, at most so long.
    func wait(_ descriptor: VideoDescriptor, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult
    /// `eventfd`.
    func makeWaker() throws(Errno) -> Waker
    /// Ends a ``wait(_:_:atMost:)`` from any thread.
    func wake(_ waker: Waker)
    /// Closes a waker.
    func close(_ waker: Waker)
}

/// A video node in the file system.
package struct VideoNode: Hashable, Sendable {
    /// For example `/dev/video0`; not an identity, since the number changes with every replug.
    package let path: FilePath
    /// The serial number of the USB device behind it; nil when it has none.
    package let serialNumber: String?

    /// Describes a node.
    package init(path: FilePath, serialNumber: String?) {
        self.path = path
        self.serialNumber = serialNumber
    }
}

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

/// What a device says of itself.
package struct VideoCapabilities: Hashable, Sendable {
    /// What a node can do (`V4L2_CAP_…`).
    package struct Flags: OptionSet, Hashable, Sendable {
        /// The kernel's bits.
        package let rawValue: UInt32
        /// Any bits.
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// It gives pictures in one plane of memory.
        package static let videoCapture = Flags(rawValue: 0x0000_0001)
        /// It changes pictures in memory; no camera.
        package static let videoMemoryToMemory = Flags(rawValue: 0x0000_8000)
        /// The same in several planes of memory.
        package static let videoMemoryToMemoryPlanes = Flags(rawValue: 0x0000_4000)
        /// It streams through mapped buffers.
        package static let streaming = Flags(rawValue: 0x0400_0000)
        /// ``VideoCapabilities/deviceFlags`` is valid.
        package static let deviceCapabilities = Flags(rawValue: 0x8000_0000)
    }

    /// The maker's name of the device.
    package let card: String
    /// Where it is plugged in.
    package let busInfo: String
    /// What the whole device can do, over all its nodes.
    package let flags: Flags
    /// What this node can do.
    package let deviceFlags: Flags

    /// Describes a device.
    package init(card: String, busInfo: String, flags: Flags, deviceFlags: Flags) {
        self.card = card
        self.busInfo = busInfo
        self.flags = flags
        self.deviceFlags = deviceFlags
    }

    /// Whether this node is a camera that can be used here; a metadata node of the same device is none.
    package var isCamera: Bool {
        let node = flags.contains(.deviceCapabilities) ? deviceFlags : flags
        return node.isSuperset(of: [.videoCapture, .streaming])
            && node.isDisjoint(with: [.videoMemoryToMemory, .videoMemoryToMemoryPlanes])
    }
}

/// The sizes that one entry of a driver's list stands for.
package enum VideoSizes: Hashable, Sendable {
    /// One size.
    case discrete(PixelSize)
    /// All sizes between two, in steps.
    case range(smallest: PixelSize, largest: PixelSize, step: PixelSize)
}

/// A format as the driver is asked for it and answers.
package struct VideoFormat: Hashable, Sendable {
    /// How the samples lie.
    package var pixelFormat: PixelFormat
    /// Width and height.
    package var size: PixelSize
    /// Bytes from one row to the next, which may be more than the pixels need.
    package var bytesPerLine: Int
    /// Whether luma uses 0 to 255.
    package var isFullRange: Bool

    /// Describes a format.
    package init(pixelFormat: PixelFormat, size: PixelSize, bytesPerLine: Int = 0, isFullRange: Bool = false) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.bytesPerLine = bytesPerLine
        self.isFullRange = isFullRange
    }
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
