/// The processing of sound on the recording thread: keep it for shots that look back.
package final class MicrophonePipeline: AudioReceiver {
    /// The sound that a shot can look back on.
    package let ring: AudioRing
    /// The sample rate and channels.
    package let format: AudioFormat
    private let budget: MediaBudget
    private let consent: CaptureConsent

    /// A pipeline for one run of a microphone's stream; no sound is kept once the consent is withdrawn.
    package init(ringDuration: Duration, budget: MediaBudget, format: AudioFormat, consent: CaptureConsent) {
        ring = AudioRing(duration: ringDuration)
        self.format = format
        self.budget = budget
        self.consent = consent
    }

    /// Processes samples from the device.
    package func receive(_ samples: RawSpan, at timestamp: MonotonicTime) {
        guard !consent.isWithdrawn else { return }
        var buffer = MediaBuffer(copying: samples, budget: budget)
        while buffer == nil, ring.evictOldest() {
            buffer = MediaBuffer(copying: samples, budget: budget)
        }
        guard let buffer else { return }
        _ = ring.append(AudioChunk(timestamp: timestamp, format: format, buffer: buffer))
    }

    /// Ends every recording from this microphone at this point.
    package func end(_ end: FeedEnd) {
        ring.close(end)
    }
}
