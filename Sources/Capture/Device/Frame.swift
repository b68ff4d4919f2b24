package import PhotoModel

/// What is known of one frame beside its samples.
package struct FrameInfo: Hashable, Sendable {
    /// The count of frames since the stream began, over interruptions; a gap is frames that were dropped.
    package var sequence: UInt32
    /// When the frame was exposed or arrived, as the driver tells; see ``CaptureClock``.
    package var timestamp: MonotonicTime
    /// How the samples lie.
    package var pixelFormat: PixelFormat
    /// Width and height.
    package var size: PixelSize
    /// Bytes from one row to the next of the first plane; 0 for compressed frames.
    package var bytesPerLine: Int
    /// Whether luma uses 0 to 255 instead of 16 to 235; JPEG always does.
    package var isFullRange: Bool
    /// Both clocks at the moment when the frame was taken from the driver.
    package var clock: ClockReading
    /// Whether the driver says that the samples may be damaged.
    package var isDamaged: Bool
    /// How long light was collected; nil unless somebody set it by hand, since in automatic modes drivers tell old values.
    package var exposureTime: Duration?

    /// Describes a frame.
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

/// A compressed frame that was kept: its bytes are shared by everybody who uses it, and counted once.
package struct Frame: TimedMedia {
    /// What is known of it.
    package let info: FrameInfo
    /// A JPEG, as the camera or our compressor made it.
    package let buffer: MediaBuffer

    /// Takes a description and the bytes it describes.
    package init(info: FrameInfo, buffer: MediaBuffer) {
        self.info = info
        self.buffer = buffer
    }

    /// When the frame was exposed or arrived.
    package var timestamp: MonotonicTime { info.timestamp }
}

/// A run of sound that was kept.
package struct AudioChunk: TimedMedia {
    /// When the first sample was taken.
    package let timestamp: MonotonicTime
    /// Rate and channels.
    package let format: AudioFormat
    /// Signed 16-bit samples, channels interleaved.
    package let buffer: MediaBuffer

    /// Takes samples and when they were taken.
    package init(timestamp: MonotonicTime, format: AudioFormat, buffer: MediaBuffer) {
        self.timestamp = timestamp
        self.format = format
        self.buffer = buffer
    }
}
