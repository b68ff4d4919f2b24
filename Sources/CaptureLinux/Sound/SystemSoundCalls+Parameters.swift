import CALSA
package import Capture
package import SystemPackage

/// The calls that negotiate a format.
extension SystemSoundCalls {
    /// The corresponding C functions are those of `snd_pcm_hw_params` and `snd_pcm_sw_params`.
    package func configure(
        _ descriptor: SoundDescriptor,
        _ format: AudioFormat,
        period: Duration,
        buffer: Duration
    ) throws(Errno) -> AudioFormat {
        let granted = try setHardware(descriptor, format, period: period, buffer: buffer)
        try setSoftware(descriptor, wakeUp: granted.frameCount(in: period))
        return granted
    }

    private func setHardware(
        _ descriptor: SoundDescriptor,
        _ format: AudioFormat,
        period: Duration,
        buffer: Duration
    ) throws(Errno) -> AudioFormat {
        let pcm = unsafe descriptor.pcm
        var parameters: OpaquePointer?
        try Self.check(unsafe snd_pcm_hw_params_malloc(&parameters))
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        var rate = UInt32(clamping: format.sampleRate)
        var channels = UInt32(clamping: format.channelCount)
        var periodMicroseconds = UInt32(clamping: period.wholeNanoseconds / 1000)
        var bufferMicroseconds = UInt32(clamping: buffer.wholeNanoseconds / 1000)
        try Self.check(unsafe snd_pcm_hw_params_any(pcm, parameters))
        try Self.check(unsafe snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
        // In host byte order, as the session requires.
        let samples = UInt16(1).littleEndian == 1 ? SND_PCM_FORMAT_S16_LE : SND_PCM_FORMAT_S16_BE
        try Self.check(unsafe snd_pcm_hw_params_set_format(pcm, parameters, samples))
        try Self.check(unsafe snd_pcm_hw_params_set_channels_near(pcm, parameters, &channels))
        try Self.check(unsafe snd_pcm_hw_params_set_rate_near(pcm, parameters, &rate, nil))
        try Self.check(unsafe snd_pcm_hw_params_set_period_time_near(pcm, parameters, &periodMicroseconds, nil))
        try Self.check(unsafe snd_pcm_hw_params_set_buffer_time_near(pcm, parameters, &bufferMicroseconds, nil))
        try Self.check(unsafe snd_pcm_hw_params(pcm, parameters))
        return AudioFormat(sampleRate: Int(rate), channelCount: Int(channels))
    }

    private func setSoftware(_ descriptor: SoundDescriptor, wakeUp frameCount: Int) throws(Errno) {
        let pcm = unsafe descriptor.pcm
        var parameters: OpaquePointer?
        try Self.check(unsafe snd_pcm_sw_params_malloc(&parameters))
        defer { unsafe snd_pcm_sw_params_free(parameters) }
        try Self.check(unsafe snd_pcm_sw_params_current(pcm, parameters))
        try Self.check(unsafe snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(max(1, frameCount))))
        try Self.check(unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE))
        try Self.check(unsafe snd_pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC))
        try Self.check(unsafe snd_pcm_sw_params(pcm, parameters))
    }
}
