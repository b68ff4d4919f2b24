package import PhotoModel

/// A camera or microphone with a stable identity: across restarts, and whatever its device node.
package struct CaptureDevice: Hashable, Sendable, Identifiable {
    /// A stable identifier: where the device is plugged in and its serial number, never a node number.
    package struct ID: RawRepresentable, Hashable, Sendable, Codable {
        /// For example `usb-0000:00:14.0-3:1.0/HD Webcam/A1B2C3`.
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The media that the device delivers.
    package enum Capability: String, Hashable, Sendable, Codable, CaseIterable {
        /// Pictures.
        case camera
        /// Sound.
        case microphone
    }

    /// The device's identifier.
    package let id: ID
    /// The media it delivers.
    package let capability: Capability
    /// The manufacturer, as reported by the device.
    package var manufacturer: String?
    /// The model, as reported by the device.
    package var model: String
    /// The serial number, as reported by the device.
    package var serialNumber: String?
    /// The supported picture formats, best first; empty for a microphone, and for an unexamined camera.
    package var formats: [CaptureFormat]
    /// The supported sound formats, best first; empty for a camera.
    package var audioFormats: [AudioFormat]

    package init(
        id: ID,
        capability: Capability,
        manufacturer: String? = nil,
        model: String,
        serialNumber: String? = nil,
        formats: [CaptureFormat] = [],
        audioFormats: [AudioFormat] = []
    ) {
        self.id = id
        self.capability = capability
        self.manufacturer = manufacturer
        self.model = model
        self.serialNumber = serialNumber
        self.formats = formats
        self.audioFormats = audioFormats
    }
}

/// A format in which a camera can deliver pictures.
package struct CaptureFormat: Hashable, Sendable {
    /// The pixel format.
    package var pixelFormat: PixelFormat
    /// Width and height.
    package var size: PixelSize
    /// The time from one frame to the next.
    package var frameInterval: FrameInterval

    package init(pixelFormat: PixelFormat, size: PixelSize, frameInterval: FrameInterval) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.frameInterval = frameInterval
    }
}

/// The time from one frame to the next, as the fraction of a second that drivers report.
package struct FrameInterval: Hashable, Sendable {
    /// The numerator, in seconds.
    package let numerator: UInt32
    /// The denominator; 30 for 30 frames a second.
    package let denominator: UInt32

    /// Takes a fraction; nil if a part is zero.
    package init?(numerator: UInt32, denominator: UInt32) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    private init(framesPerSecond: UInt32) {
        numerator = 1
        denominator = framesPerSecond
    }

    /// 30 frames a second.
    package static let thirtiethSecond = FrameInterval(framesPerSecond: 30)
    /// 15 frames a second.
    package static let fifteenthSecond = FrameInterval(framesPerSecond: 15)

    /// The fraction as a duration.
    package var duration: Duration { offset(ofFrame: 1) }

    /// When a frame is due, counted from frame 0, without accumulating rounding errors.
    package func offset(ofFrame number: Int) -> Duration {
        let nanoseconds = UInt128(number.magnitude) * UInt128(numerator) * 1_000_000_000 / UInt128(denominator)
        return .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// Frames a second.
    package var framesPerSecond: Double { Double(denominator) / Double(numerator) }
}

/// A microphone's sound format: signed 16-bit samples in host byte order, channels interleaved.
package struct AudioFormat: Hashable, Sendable {
    /// Samples per second and channel.
    package var sampleRate: Int
    /// 1 or 2.
    package var channelCount: Int

    package init(sampleRate: Int, channelCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// Bytes of one sample of all channels.
    package var bytesPerFrame: Int { channelCount * MemoryLayout<Int16>.size }

    /// The duration of this many samples.
    package func duration(ofFrames count: Int) -> Duration {
        .nanoseconds(Int64(count) * 1_000_000_000 / Int64(max(1, sampleRate)))
    }

    /// The number of samples in a duration, rounded to the nearest.
    package func frameCount(in duration: Duration) -> Int {
        let product = Int128(duration.wholeNanoseconds) * Int128(sampleRate)
        let half: Int128 = product < 0 ? -500_000_000 : 500_000_000
        return Int(clamping: (product + half) / 1_000_000_000)
    }
}
