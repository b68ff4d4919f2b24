package import PhotoModel

/// Information about one frame.
package struct FrameInfo: Hashable, Sendable {
    /// The frame count since the stream began, across interruptions; gaps are dropped frames.
    package var sequence: UInt32
    /// When the frame was exposed or arrived, according to the driver; see ``CaptureClock``.
    package var timestamp: MonotonicTime
    /// The pixel format.
    package var pixelFormat: PixelFormat
    /// Width and height.
    package var size: PixelSize
    /// The row stride of the first plane in bytes; 0 for compressed frames.
    package var bytesPerLine: Int
    /// Whether luma uses 0 to 255 instead of 16 to 235; always true for JPEG.
    package var isFullRange: Bool
    /// Both clocks when the frame was dequeued from the driver.
    package var clock: ClockReading
    /// Whether the driver reports that the samples may be damaged.
    package var isDamaged: Bool
    /// The exposure time; nil unless set manually, since drivers report stale values in automatic modes.
    package var exposureTime: Duration?

    package init(
        sequence: UInt32,
        timestamp: MonotonicTime,
        pixelFormat: PixelFormat,
        size: PixelSize,
        bytesPerLine: Int = 0,
        isFullRange: Bool = false,
        clock: ClockReading,
        isDamaged: Bool = false,
        exposureTime: Duration? = nil
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.pixelFormat = pixelFormat
        self.size = size
        self.bytesPerLine = bytesPerLine
        self.isFullRange = isFullRange
        self.clock = clock
        self.isDamaged = isDamaged
        self.exposureTime = exposureTime
    }
}

/// A kept, compressed frame; its bytes are shared by all users, and counted once.
package struct Frame: TimedMedia {
    /// Information about it.
    package let info: FrameInfo
    /// A JPEG, from the camera or our compressor.
    package let buffer: MediaBuffer
    /// The samples that the JPEG was made of; nil unless the session keeps them.
    package var samples: FrameSamples?

    /// When the frame was exposed or arrived.
    package var timestamp: MonotonicTime { info.timestamp }
}

/// A kept chunk of sound.
package struct AudioChunk: TimedMedia {
    /// When the first sample was taken.
    package let timestamp: MonotonicTime
    /// The sample rate and channels.
    package let format: AudioFormat
    /// Signed 16-bit samples, channels interleaved.
    package let buffer: MediaBuffer
}
