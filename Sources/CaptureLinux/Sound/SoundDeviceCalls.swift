package import Capture
package import SystemPackage

/// Every call that is made of a sound device, one method each, so that a test can answer with anything a driver might.
///
/// The values are ALSA's (alsa-lib, `pcm.h`), in Swift's types; error numbers are positive.
package protocol SoundDeviceCalls: DeviceWaiting {
    /// The devices that can record now (`/sys/class/sound`); none of them is opened.
    func devices() -> [SoundDevice]
    /// `snd_pcm_open` for recording, without waiting.
    func open(_ device: SoundDevice) throws(Errno) -> SoundDescriptor
    /// `snd_pcm_close`.
    func close(_ descriptor: SoundDescriptor)
    /// `snd_pcm_hw_params` and `snd_pcm_sw_params`: samples of 16 bits, monotonic times, a wake-up each period.
    func configure(
        _ descriptor: SoundDescriptor,
        _ format: AudioFormat,
        period: Duration,
        buffer: Duration
    ) throws(Errno) -> AudioFormat
    /// `snd_pcm_prepare`: makes it ready to start, also after an overrun.
    func prepare(_ descriptor: SoundDescriptor) throws(Errno)
    /// `snd_pcm_start`.
    func start(_ descriptor: SoundDescriptor) throws(Errno)
    /// `snd_pcm_resume`: goes on after the machine slept; `resourceTemporarilyUnavailable` while it cannot yet.
    func resume(_ descriptor: SoundDescriptor) throws(Errno)
    /// `snd_pcm_avail` and `snd_pcm_htimestamp`; `brokenPipe` after an overrun.
    func position(_ descriptor: SoundDescriptor) throws(Errno) -> SoundPosition
    /// `snd_pcm_readi`: reads at most so many samples of each channel.
    ///
    /// - Returns: how many were read.
    func read(_ descriptor: SoundDescriptor, into samples: inout [UInt8], frameCount: Int) throws(Errno) -> Int
    /// `poll` for sound or a wake-up, at most so long.
    func wait(_ descriptor: SoundDescriptor, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult
}

extension Errno {
    /// `ESTRPIPE`: the machine slept while the device was open.
    static let suspended = Errno(rawValue: 86)
}
