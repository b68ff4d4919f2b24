package import Capture
package import SystemPackage

/// Every call to a sound device, one method each, so that tests can return anything a driver might.
///
/// The values are ALSA's (alsa-lib, `pcm.h`), in Swift types; error numbers are positive.
package protocol SoundDeviceCalls: DeviceWaiting {
    /// The recording devices currently present (`/sys/class/sound`); none is opened.
    func devices() -> [SoundDevice]
    /// `snd_pcm_open` for recording, non-blocking.
    func open(_ device: SoundDevice) throws(Errno) -> SoundDescriptor
    /// `snd_pcm_close`.
    func close(_ descriptor: SoundDescriptor)
    /// `snd_pcm_hw_params` and `snd_pcm_sw_params`: 16-bit samples, monotonic times, a wake-up each period.
    func configure(
        _ descriptor: SoundDescriptor,
        _ format: AudioFormat,
        period: Duration,
        buffer: Duration
    ) throws(Errno) -> AudioFormat
    /// `snd_pcm_prepare`: prepares for starting, also after an overrun.
    func prepare(_ descriptor: SoundDescriptor) throws(Errno)
    /// `snd_pcm_start`.
    func start(_ descriptor: SoundDescriptor) throws(Errno)
    /// `snd_pcm_resume`: resumes after a system suspend; `resourceTemporarilyUnavailable` while that is not possible
    /// yet.
    func resume(_ descriptor: SoundDescriptor) throws(Errno)
    /// `snd_pcm_avail` and `snd_pcm_htimestamp`; `brokenPipe` after an overrun.
    func position(_ descriptor: SoundDescriptor) throws(Errno) -> SoundPosition
    /// `snd_pcm_readi`: reads up to this many samples per channel, and returns how many.
    func read(_ descriptor: SoundDescriptor, into samples: inout [UInt8], frameCount: Int) throws(Errno) -> Int
    /// `poll` for sound or a wake-up, with a timeout.
    func wait(_ descriptor: SoundDescriptor, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult
}

extension Errno {
    /// `ESTRPIPE`: the system was suspended while the device was open.
    static let suspended = Errno(rawValue: 86)
}
