import Glibc
import MediaFormats
package import PhotoModel
import Synchronization

/// A simulated camera: the default if there is none, predictable to the pixel in tests.
///
/// Its picture shows colour bars, a moving block, the frame's number as digits and as a bar code, the time of day, and
/// a white box in the frame of each whole second of the monotonic clock, when ``SyntheticMicrophone`` clicks.
package struct SyntheticCamera: FrameSource {
    /// Its simulated identity.
    package let device: CaptureDevice
    private let clock: any CaptureClock
    private let compressor: (any FrameCompressor)?
    private let exposure = SyntheticExposure()

    /// Creates a camera of an even size, at least 160x120, with a name that distinguishes several.
    ///
    /// With a compressor it offers Motion JPEG first, and a sensor's raw samples last; without one only uncompressed
    /// frames.
    package init(
        clock: any CaptureClock,
        size: PixelSize = PixelSize(width: 1280, height: 720),
        frameInterval: FrameInterval = .thirtiethSecond,
        compressor: (any FrameCompressor)? = nil,
        name: String = "synthetic-camera"
    ) {
        let pixelFormats: [PixelFormat] = compressor == nil ? [.i420] : [.motionJPEG, .i420, Self.bayer]
        device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: name),
            capability: .camera,
            manufacturer: "Tintype",
            model: "Synthetic Camera",
            serialNumber: name,
            formats: pixelFormats.map { CaptureFormat(pixelFormat: $0, size: size, frameInterval: frameInterval) }
        )
        self.clock = clock
        self.compressor = compressor
    }

    /// The raw samples of a sensor that sees its picture without colours.
    private static let bayer = PixelFormat("RGGB")

    /// Holds the exposure, which all streams share.
    package func holdExposure(_ consent: CaptureConsent) async throws(CaptureError) -> any HeldExposure {
        try consent.check(device, is: .camera)
        return exposure
    }

    /// Opens another stream; there is no limit.
    package func open(_ format: CaptureFormat) throws(CaptureError) -> any FrameStream {
        guard device.formats.contains(format) else {
            throw CaptureError(.unsupported, "the synthetic camera offers no such format", deviceID: device.id)
        }
        let picture = SyntheticPicture(size: format.size)
        return PacedFrameStream(
            format: format,
            clock: clock,
            isFullRange: true
        ) { [compressor, exposure] number, reading in
            let samples = picture.samples(
                frame: number,
                isClap: Self.isClap(number, format.frameInterval),
                reading: reading,
                brightness: exposure.factor
            )
            if format.pixelFormat == Self.bayer { return picture.mosaic(samples) }
            guard format.pixelFormat.isJPEG, let compressor else { return samples }
            let info = FrameInfo(
                sequence: 0,
                timestamp: reading.monotonic,
                pixelFormat: .i420,
                size: format.size,
                bytesPerLine: format.size.width,
                isFullRange: true,
                clock: reading
            )
            return samples.withBytes { try? compressor.jpeg(of: $0, info) }
        }
    }

    /// The factor by which frames are brighter than usual.
    private final class SyntheticExposure: HeldExposure {
        private let bias = Mutex(0.0)

        var factor: Double { exp2(bias.withLock(\.self)) }

        func setBias(_ bias: Double) -> Double {
            self.bias.withLock { $0 = bias }
            return bias
        }

        func release() { bias.withLock { $0 = 0 } }
    }

    /// Whether a frame falls on a whole second.
    static func isClap(_ number: Int, _ interval: FrameInterval) -> Bool {
        let nanoseconds = interval.offset(ofFrame: number).wholeNanoseconds
        return nanoseconds % 1_000_000_000 < interval.duration.wholeNanoseconds
    }
}
