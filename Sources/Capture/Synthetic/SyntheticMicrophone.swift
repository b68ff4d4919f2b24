import MediaFormats

/// A simulated microphone: a soft tone, and a click at each whole second of the monotonic clock.
///
/// Sample `n` belongs to `n` sample times of the clock, so that its sound depends only on the time.
package struct SyntheticMicrophone: AudioSource {
    /// Chunks of sound per second.
    static let chunksPerSecond = 100

    /// Its simulated identity.
    package let device: CaptureDevice
    private let clock: any CaptureClock

    /// Creates a microphone with a name that distinguishes several; the sample rate is a multiple of 100.
    package init(
        clock: any CaptureClock,
        format: AudioFormat = AudioFormat(sampleRate: 48_000, channelCount: 1),
        name: String = "synthetic-microphone"
    ) {
        device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: name),
            capability: .microphone,
            manufacturer: "Tintype",
            model: "Synthetic Microphone",
            serialNumber: name,
            audioFormats: [format]
        )
        self.clock = clock
    }

    /// Opens another stream; there is no limit.
    package func open(_ format: AudioFormat) throws(CaptureError) -> any AudioStream {
        guard device.audioFormats.contains(format) else {
            throw CaptureError(.unsupported, "the synthetic microphone offers no such format", deviceID: device.id)
        }
        return SyntheticAudioStream(format: format, clock: clock)
    }

    /// The sound of one hundredth of a second, numbered since the clock's zero: signed 16-bit samples in host byte
    /// order, channels interleaved.
    package static func chunk(_ number: Int, format: AudioFormat) -> [UInt8] {
        let count = format.sampleRate / chunksPerSecond
        let isClick = number % chunksPerSecond == 0
        var samples: [UInt8] = []
        samples.reserveCapacity(count * format.bytesPerFrame)
        for index in number * count..<(number + 1) * count {
            let sample = isClick ? click(index, format.sampleRate) : tone(index, format.sampleRate)
            let bits = UInt16(bitPattern: sample).littleEndian
            for _ in 0..<format.channelCount {
                samples.append(UInt8(truncatingIfNeeded: bits))
                samples.append(UInt8(truncatingIfNeeded: bits >> 8))
            }
        }
        return samples
    }

    /// A 440 Hz triangle wave.
    private static func tone(_ index: Int, _ rate: Int) -> Int16 {
        let phase = index * 440 % rate * 4 * 1000 / rate
        return Int16(phase < 1000 ? phase : phase < 3000 ? 2000 - phase : phase - 4000)
    }

    /// A loud 1 kHz square wave.
    private static func click(_ index: Int, _ rate: Int) -> Int16 {
        index * 2000 / rate % 2 == 0 ? 24_000 : -24_000
    }
}

/// One run of the synthetic microphone.
private final class SyntheticAudioStream: AudioStream {
    let format: AudioFormat
    private let clock: any CaptureClock
    private let ended = Latch()

    init(format: AudioFormat, clock: any CaptureClock) {
        self.format = format
        self.clock = clock
    }

    func stop() { ended.open() }

    func run(_ receiver: any AudioReceiver) async throws(CaptureError) {
        await ended.cancelling { [self] in await deliver(to: receiver) }
    }

    /// A chunk is delivered when its last sample is due; its timestamp is its first sample's.
    private func deliver(to receiver: any AudioReceiver) async {
        let step: Int64 = 1_000_000_000 / Int64(SyntheticMicrophone.chunksPerSecond)
        var number = clock.reading().monotonic.nanoseconds / step
        while !Task.isCancelled {
            let due = MonotonicTime(nanoseconds: (number + 1) * step)
            guard (try? await clock.sleep(until: due)) != nil else { return }
            let samples = SyntheticMicrophone.chunk(Int(number), format: format)
            samples.withBytes { receiver.receive($0, at: MonotonicTime(nanoseconds: number * step)) }
            number += 1
        }
    }
}
