import MediaFormats
import PhotoModel

/// Delivers generated or recorded frames at a real camera's rate.
///
/// Frame `n` is due at `n` intervals of the monotonic clock, so that its number and picture depend only on the time. If
/// the machine is late, frames queue as in a driver's buffers; beyond those they are dropped, and the sequence has a
/// gap.
package final class PacedFrameStream: FrameStream {
    /// The maximum number of queued frames.
    private static let bufferCount = 4

    /// The delivered format.
    package let format: CaptureFormat
    private let clock: any CaptureClock
    private let isFullRange: Bool
    private let picture: @Sendable (_ number: Int, _ reading: ClockReading) -> [UInt8]?
    private let ended = Latch()

    /// Creates a stream of the pictures generated for each number; nil for a frame the camera fails to deliver.
    ///
    /// In full range, luma goes from 0 to 255.
    package init(
        format: CaptureFormat,
        clock: any CaptureClock,
        isFullRange: Bool,
        picture: @escaping @Sendable (_ number: Int, _ reading: ClockReading) -> [UInt8]?
    ) {
        self.format = format
        self.clock = clock
        self.isFullRange = isFullRange
        self.picture = picture
    }

    /// Ends ``run(_:)``.
    package func stop() { ended.open() }

    /// Delivers frames until the stream stops.
    package func run(_ receiver: any FrameReceiver) async throws(CaptureError) {
        await ended.cancelling { [self] in await deliver(to: receiver) }
    }

    private func deliver(to receiver: any FrameReceiver) async {
        let first = nextNumber(after: clock.reading().monotonic)
        var number = first
        while !Task.isCancelled {
            let due = MonotonicTime(nanoseconds: format.frameInterval.offset(ofFrame: number).wholeNanoseconds)
            guard (try? await clock.sleep(until: due)) != nil else { return }
            let reading = clock.reading()
            let info = FrameInfo(
                sequence: UInt32(truncatingIfNeeded: number - first),
                timestamp: due,
                pixelFormat: format.pixelFormat,
                size: format.size,
                bytesPerLine: bytesPerLine,
                isFullRange: isFullRange || format.pixelFormat.isJPEG,
                clock: reading
            )
            if let bytes = picture(number, reading) { bytes.withBytes { receiver.receive($0, info) } }
            number = max(number + 1, nextNumber(after: clock.reading().monotonic) - Self.bufferCount)
        }
    }

    /// The first frame due after a time.
    private func nextNumber(after time: MonotonicTime) -> Int {
        let interval = format.frameInterval
        let product = Int128(time.nanoseconds) * Int128(interval.denominator)
        return Int(clamping: product / (Int128(interval.numerator) * 1_000_000_000)) + 1
    }

    private var bytesPerLine: Int {
        switch format.pixelFormat {
        case .motionJPEG, .jpeg: 0
        case .yuyv, .uyvy: format.size.width * 2
        default: format.size.width
        }
    }
}
