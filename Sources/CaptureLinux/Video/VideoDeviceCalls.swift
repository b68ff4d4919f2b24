package import Capture
package import PhotoModel
package import SystemPackage

/// Every call that is made of a video device, one method each, so that a test can answer with anything a driver might.
///
/// The values are the kernel's (Documentation/userspace-api/media/v4l), in Swift's types. A call that a signal
/// interrupted is repeated below this protocol.
package protocol VideoDeviceCalls: DeviceWaiting {
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
    /// `VIDIOC_ENUM_FRAMEINTERVALS`; `invalidArgument` after the last.
    func frameInterval(
        _ descriptor: VideoDescriptor,
        _ format: PixelFormat,
        _ size: PixelSize,
        index: UInt32
    ) throws(Errno) -> VideoIntervals
    /// `VIDIOC_TRY_FMT`: what the driver would make of a format, while nothing changes.
    func tryFormat(_ descriptor: VideoDescriptor, _ format: VideoFormat) throws(Errno) -> VideoFormat
    /// `VIDIOC_QUERY_EXT_CTRL`: the first control above a number; `invalidArgument` after the last.
    func control(_ descriptor: VideoDescriptor, after id: UInt32) throws(Errno) -> VideoControl
    /// `VIDIOC_QUERYMENU`: the name of an item of a menu; `invalidArgument` for a value that is none.
    func menuItem(_ descriptor: VideoDescriptor, ofControl id: UInt32, _ value: UInt32) throws(Errno) -> String
    /// `VIDIOC_G_CTRL`.
    func value(_ descriptor: VideoDescriptor, ofControl id: UInt32) throws(Errno) -> Int32
    /// `VIDIOC_S_CTRL`.
    func setValue(_ descriptor: VideoDescriptor, ofControl id: UInt32, to value: Int32) throws(Errno)
    /// `VIDIOC_QUERY_DV_TIMINGS` and `VIDIOC_S_DV_TIMINGS`: takes the timings of the signal that is there.
    func adoptTimings(_ descriptor: VideoDescriptor) throws(Errno)
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
    /// `VIDIOC_SUBSCRIBE_EVENT` for changes of the source, the end of the stream, and controls by their number.
    func subscribe(_ descriptor: VideoDescriptor, to event: VideoEvent) throws(Errno)
    /// `VIDIOC_DQEVENT`: takes an event; an error when there is none.
    func nextEvent(_ descriptor: VideoDescriptor) throws(Errno) -> VideoEvent
    /// `v4lconvert_create`: prepares to convert frames of a node.
    func openConversion(_ descriptor: VideoDescriptor) throws(Errno) -> FrameConversion
    /// `v4lconvert_convert`: makes a picture in the layout YU12, without padding, of a frame; false when it cannot.
    func convert(_ conversion: FrameConversion, _ frame: RawSpan, _ format: VideoFormat, to picture: inout [UInt8])
        -> Bool
    /// `v4lconvert_destroy`.
    func close(_ conversion: FrameConversion)
    /// `poll` for a filled buffer, an event or a wake-up, at most so long.
    func wait(_ descriptor: VideoDescriptor, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult
}
