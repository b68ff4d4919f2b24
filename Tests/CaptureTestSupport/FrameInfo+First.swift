package import Capture
package import PhotoModel

extension FrameInfo {
    /// The first frame of a camera, at time zero.
    package static func first(
        _ format: PixelFormat,
        _ size: PixelSize,
        bytesPerLine: Int = 0,
        isFullRange: Bool = true
    ) -> FrameInfo {
        let reading = ClockReading(
            monotonic: MonotonicTime(nanoseconds: 0),
            wall: WallTime(millisecondsSince1970: 0),
            isSynchronized: false
        )
        return FrameInfo(
            sequence: 0,
            timestamp: reading.monotonic,
            pixelFormat: format,
            size: size,
            bytesPerLine: bytesPerLine,
            isFullRange: isFullRange,
            clock: reading
        )
    }
}
