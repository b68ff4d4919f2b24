package import PhotoModel

/// One camera or microphone as it can be recognised again: after a restart, and in another socket's device node.
package struct CaptureDevice: Hashable, Sendable, Identifiable {
    /// What the device is known by for good: where it is plugged in and its serial number, never a node's number.
    package struct ID: RawRepresentable, Hashable, Sendable, Codable {
        /// For example `usb-0000:00:14.0-3:1.0/HD Webcam/A1B2C3`.
        package let rawValue: String
        /// Wraps a name.
        package init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What the device gives.
    package enum Capability: String, Hashable, Sendable, Codable, CaseIterable {
        /// Pictures.
        case camera
        /// Sound.
        case microphone
    }

    /// What the device is known by.
    package let id: ID
    /// What it gives.
    package let capability: Capability
    /// The maker, as the device tells it.
    package var manufacturer: String?
    /// The model, as the device tells it.
    package var model: String
    /// The serial number, as the device tells it.
    package var serialNumber: String?
    /// The picture formats it offers, best first; empty for a microphone, and for a camera that was not examined.
    package var formats: [CaptureFormat]
    /// The sound formats it offers, best first; empty for a camera.
    package var audioFormats: [AudioFormat]

    /// Describes a device.
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

/// One way in which a camera can deliver pictures.
package struct CaptureFormat: Hashable, Sendable {
    /// How the samples lie.
    package var pixelFormat: PixelFormat
    /// Width and height.
    package var size: PixelSize
    /// The time from one frame to the next.
    package var frameInterval: FrameInterval

    /// Describes a format.
    package init(pixelFormat: PixelFormat, size: PixelSize, frameInterval: FrameInterval) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.frameInterval = frameInterval
    }
}

/// The time from one frame to the next as the fraction of a second that drivers tell.
package struct FrameInterval: Hashable, Sendable {
    /// Seconds above the line.
    package let numerator: UInt32
    /// Below the line; for 30 frames a second, 30.
    package let denominator: UInt32

    /// Takes a fraction; nil when a part is zero.
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

    /// The fraction as a length of time.
    package var duration: Duration { offset(ofFrame: 1) }

    /// When a frame is due, counted from frame 0, without the error of adding up rounded intervals.
    package func offset(ofFrame number: Int) -> Duration {
        let nanoseconds = UInt128(number.magnitude) * UInt128(numerator) * 1_000_000_000 / UInt128(denominator)
        return .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// Frames a second.
    package var framesPerSecond: Double { Double(denominator) / Double(numerator) }
}

/// How a microphone delivers sound: signed 16-bit samples in the machine's byte order, channels interleaved.
package struct AudioFormat: Hashable, Sendable {
    /// Samples a second of each channel.
    package var sampleRate: Int
    /// 1 or 2.
    package var channelCount: Int

    /// Describes a format.
    package init(sampleRate: Int, channelCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// Bytes of one sample of all channels.
    package var bytesPerFrame: Int { channelCount * MemoryLayout<Int16>.size }

    /// How long so many samples last.
    package func duration(ofFrames count: Int) -> Duration {
        .nanoseconds(Int64(count) * 1_000_000_000 / Int64(max(1, sampleRate)))
    }

    /// How many samples last so long, to the nearest.
    package func frameCount(in duration: Duration) -> Int {
        let product = Int128(duration.wholeNanoseconds) * Int128(sampleRate)
        let half: Int128 = product < 0 ? -500_000_000 : 500_000_000
        return Int(clamping: (product + half) / 1_000_000_000)
    }
}
