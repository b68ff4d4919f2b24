package import Capture
package import PhotoModel
package import SystemPackage

/// Every call to a video device, one method each, so that tests can return anything a driver might.
///
/// The values are the kernel's (Documentation/userspace-api/media/v4l), in Swift types. An interrupted call is repeated
/// below this protocol.
package protocol VideoDeviceCalls: DeviceWaiting {
    /// The video nodes currently present (`/sys/class/video4linux`).
    func nodes() -> [VideoNode]
    /// Opens a node for reading and writing, non-blocking.
    func open(_ path: FilePath) throws(Errno) -> VideoDescriptor
    /// Closes a node; an open node keeps its number even if its device is gone.
    func close(_ descriptor: VideoDescriptor)
    /// `VIDIOC_QUERYCAP`.
    func capabilities(_ descriptor: VideoDescriptor) throws(Errno) -> VideoCapabilities
    /// `VIDIOC_ENUM_FMT`; `invalidArgument` after the last.
    func format(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> (format: PixelFormat, isEmulated: Bool)
    /// `VIDIOC_ENUM_FRAMESIZES`; `invalidArgument` after the last.
    func frameSize(_ descriptor: VideoDescriptor, _ format: PixelFormat, index: UInt32) throws(Errno) -> VideoSizes
    /// `VIDIOC_ENUM_FRAMEINTERVALS`; `invalidArgument` after the last.
    func frameInterval(
        _ descriptor: VideoDescriptor,
        _ format: PixelFormat,
        _ size: PixelSize,
        index: UInt32
    ) throws(Errno) -> VideoIntervals
    /// `VIDIOC_TRY_FMT`: what the driver would grant, without changing anything.
    func tryFormat(_ descriptor: VideoDescriptor, _ format: VideoFormat) throws(Errno) -> VideoFormat
    /// `VIDIOC_QUERY_EXT_CTRL`: the first control above a number; `invalidArgument` after the last.
    func control(_ descriptor: VideoDescriptor, after id: UInt32) throws(Errno) -> VideoControl
    /// `VIDIOC_QUERYMENU`: the name of a menu item; `invalidArgument` for a value that is not an item.
    func menuItem(_ descriptor: VideoDescriptor, ofControl id: UInt32, _ value: UInt32) throws(Errno) -> String
    /// `VIDIOC_G_CTRL`.
    func value(_ descriptor: VideoDescriptor, ofControl id: UInt32) throws(Errno) -> Int32
    /// `VIDIOC_S_CTRL`.
    func setValue(_ descriptor: VideoDescriptor, ofControl id: UInt32, to value: Int32) throws(Errno)
    /// `VIDIOC_QUERY_DV_TIMINGS` and `VIDIOC_S_DV_TIMINGS`: adopts the detected signal's timings.
    func adoptTimings(_ descriptor: VideoDescriptor) throws(Errno)
    /// `VIDIOC_S_FMT`: requests a format and returns the granted one.
    func setFormat(_ descriptor: VideoDescriptor, _ format: VideoFormat) throws(Errno) -> VideoFormat
    /// `VIDIOC_S_PARM`: requests an interval and returns the granted one; nil if it cannot be set.
    func setFrameInterval(_ descriptor: VideoDescriptor, _ interval: FrameInterval) throws(Errno) -> FrameInterval?
    /// `VIDIOC_REQBUFS` for mapped buffers; the driver grants more or fewer; 0 frees them.
    func requestBuffers(_ descriptor: VideoDescriptor, count: UInt32) throws(Errno) -> UInt32
    /// `VIDIOC_QUERYBUF` and `mmap`.
    func map(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> MappedBuffer
    /// `munmap`.
    func unmap(_ buffer: MappedBuffer)
    /// `VIDIOC_QBUF`: queues a buffer.
    func queue(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno)
    /// `VIDIOC_DQBUF`: dequeues a filled buffer; `wouldBlock` if there is none.
    func dequeue(_ descriptor: VideoDescriptor) throws(Errno) -> DequeuedBuffer
    /// `VIDIOC_STREAMON`.
    func streamOn(_ descriptor: VideoDescriptor) throws(Errno)
    /// `VIDIOC_STREAMOFF`, which also dequeues all buffers.
    func streamOff(_ descriptor: VideoDescriptor) throws(Errno)
    /// `VIDIOC_SUBSCRIBE_EVENT` for source changes, the end of the stream, and controls by number.
    func subscribe(_ descriptor: VideoDescriptor, to event: VideoEvent) throws(Errno)
    /// `VIDIOC_DQEVENT`: dequeues an event; an error if there is none.
    func nextEvent(_ descriptor: VideoDescriptor) throws(Errno) -> VideoEvent
    /// `v4lconvert_create`: prepares to convert a node's frames.
    func openConversion(_ descriptor: VideoDescriptor) throws(Errno) -> FrameConversion
    /// `v4lconvert_convert`: converts a frame to the layout YU12, without padding; false if it cannot.
    func convert(_ conversion: FrameConversion, _ frame: RawSpan, _ format: VideoFormat, to picture: inout [UInt8])
        -> Bool
    /// `v4lconvert_destroy`.
    func close(_ conversion: FrameConversion)
    /// `nanosleep`: leaves a camera alone for a while, on its own thread.
    func pause(_ duration: Duration)
    /// `poll` for a filled buffer, an event or a wake-up, with a timeout.
    func wait(_ descriptor: VideoDescriptor, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult
}
