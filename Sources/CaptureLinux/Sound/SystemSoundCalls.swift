// `pollfd` belongs to whichever C module the compiler sees first, so both are imported.
import CALSA
import CVideo4Linux
import Capture
import Glibc
package import SystemPackage

/// The real ALSA calls.
package struct SystemSoundCalls: SoundDeviceCalls, SystemWaiting {
    /// Creates the calls and silences the library's own messages.
    package init() {
        tt_alsa_be_quiet()
    }

    /// Lists `/sys/class/sound`, by name: `pcmC0D0c` is card 0, device 0, capture.
    package func devices() -> [SoundDevice] {
        let names = Self.cardNames(Sysfs.text(of: "/proc/asound/cards"))
        return Sysfs().entries(ofClass: "sound").compactMap { entry in
            guard entry.hasPrefix("pcmC"), entry.hasSuffix("c") else { return nil }
            let numbers = entry.dropFirst(4).dropLast().split(separator: "D")
            guard numbers.count == 2, let number = Int(numbers[1]) else { return nil }
            let folder = "/sys/class/sound/card\(numbers[0])"
            guard let card = Sysfs.line(of: "\(folder)/id"), let bus = Sysfs.resolved("\(folder)/device") else {
                return nil
            }
            return SoundDevice(
                card: card,
                number: number,
                name: names[card] ?? card,
                place: bus.split(separator: "/").last.map { String($0) } ?? bus,
                usb: Sysfs.usbFunction(of: folder)
            )
        }
    }

    /// The cards' product names from the kernel's list: ` 1 [C920   ]: USB-Audio - HD Pro Webcam C920`.
    static func cardNames(_ list: String) -> [String: String] {
        var names: [String: String] = [:]
        for line in list.split(separator: "\n") {
            guard let open = line.firstIndex(of: "["), let close = line.firstIndex(of: "]"), open < close,
                let dash = line[close...].firstRange(of: " - ")
            else { continue }
            let card = line[line.index(after: open)..<close].split(separator: " ").joined()
            names[card] = String(line[dash.upperBound...])
        }
        return names
    }

    /// The corresponding C function is `snd_pcm_open`.
    ///
    /// The device is opened through the library's converter, since many microphones support only one rate and two
    /// channels.
    package func open(_ device: SoundDevice) throws(Errno) -> SoundDescriptor {
        var pcm: OpaquePointer?
        let name = "plughw:CARD=\(device.card),DEV=\(device.number)"
        try Self.check(unsafe snd_pcm_open(&pcm, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK)))
        return SoundDescriptor(rawValue: Int(bitPattern: pcm))
    }

    /// The corresponding C function is `snd_pcm_close`.
    package func close(_ descriptor: SoundDescriptor) {
        unsafe snd_pcm_close(descriptor.pcm)
    }

    /// The corresponding C function is `snd_pcm_prepare`.
    package func prepare(_ descriptor: SoundDescriptor) throws(Errno) {
        try Self.check(unsafe snd_pcm_prepare(descriptor.pcm))
    }

    /// The corresponding C function is `snd_pcm_start`.
    package func start(_ descriptor: SoundDescriptor) throws(Errno) {
        try Self.check(unsafe snd_pcm_start(descriptor.pcm))
    }

    /// The corresponding C function is `snd_pcm_resume`.
    package func resume(_ descriptor: SoundDescriptor) throws(Errno) {
        try Self.check(unsafe snd_pcm_resume(descriptor.pcm))
    }

    /// The corresponding C functions are `snd_pcm_avail`, which queries the hardware, and `snd_pcm_htimestamp`.
    package func position(_ descriptor: SoundDescriptor) throws(Errno) -> SoundPosition {
        try Self.check(Int32(clamping: min(0, unsafe snd_pcm_avail(descriptor.pcm))))
        var available: snd_pcm_uframes_t = 0
        var time = timespec()
        try Self.check(unsafe snd_pcm_htimestamp(descriptor.pcm, &available, &time))
        return SoundPosition(
            availableFrameCount: Int(clamping: available),
            timestamp: MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
        )
    }

    /// The corresponding C function is `snd_pcm_readi`.
    package func read(
        _ descriptor: SoundDescriptor,
        into samples: inout [UInt8],
        frameCount: Int
    ) throws(Errno) -> Int {
        let bytesPerFrame = unsafe snd_pcm_frames_to_bytes(descriptor.pcm, 1)
        guard bytesPerFrame > 0 else { throw .invalidArgument }
        let limit = min(frameCount, samples.count / bytesPerFrame)
        let count = unsafe samples.withUnsafeMutableBytes { buffer in
            unsafe snd_pcm_readi(descriptor.pcm, buffer.baseAddress, snd_pcm_uframes_t(max(0, limit)))
        }
        try Self.check(Int32(clamping: min(0, count)))
        return count
    }

    /// The corresponding C functions are `snd_pcm_poll_descriptors`, `poll` and `snd_pcm_poll_descriptors_revents`.
    package func wait(
        _ descriptor: SoundDescriptor,
        _ waker: Waker,
        atMost timeout: Duration
    ) throws(Errno) -> WaitResult {
        let count = Int(max(0, unsafe snd_pcm_poll_descriptors_count(descriptor.pcm)))
        var descriptors = [pollfd](repeating: pollfd(), count: count)
        try Self.check(min(0, unsafe snd_pcm_poll_descriptors(descriptor.pcm, &descriptors, UInt32(count))))
        descriptors.append(pollfd(fd: waker.rawValue, events: Int16(POLLIN), revents: 0))
        try pollDescriptors(&descriptors, atMost: timeout)
        if descriptors[count].revents != 0 { return .woken }
        var events: UInt16 = 0
        try Self.check(unsafe snd_pcm_poll_descriptors_revents(descriptor.pcm, &descriptors, UInt32(count), &events))
        // An overrun is reported as an error, which the next call identifies.
        return Int32(events) & (POLLIN | POLLERR | POLLHUP | POLLNVAL) != 0 ? .ready : .timedOut
    }

    /// Throws the error for a negative result.
    static func check(_ status: Int32) throws(Errno) {
        guard status >= 0 else { throw Errno(rawValue: -status) }
    }
}

extension SoundDescriptor {
    /// The library's handle.
    var pcm: OpaquePointer? { unsafe OpaquePointer(bitPattern: rawValue) }
}
