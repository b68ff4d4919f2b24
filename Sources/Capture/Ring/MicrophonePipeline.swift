import Synchronization

/// What happens to sound on the recording thread: keep it for shots that look back.
package final class MicrophonePipeline: AudioReceiver {
    /// The sound that a shot can look back to.
    package let ring: AudioRing
    /// Rate and channels.
    package let format: AudioFormat
    private let budget: MediaBudget
    private let consent: CaptureConsent
    private let dropped = Atomic<Int>(0)

    /// A pipeline for one run of a microphone's stream.
    ///
    /// - Parameters:
    ///   - ringDuration: how far back a shot can listen.
    ///   - budget: the memory for this microphone.
    ///   - format: what the microphone agreed to.
    ///   - consent: no sound is kept once it is withdrawn.
    package init(ringDuration: Duration, budget: MediaBudget, format: AudioFormat, consent: CaptureConsent) {
        ring = AudioRing(duration: ringDuration)
        self.format = format
        self.budget = budget
        self.consent = consent
    }

    /// How many runs of sound were not kept; movies hold silence for them.
    package var droppedChunkCount: Int { dropped.load(ordering: .relaxed) }

    /// Takes samples from the device.
    package func receive(_ samples: RawSpan, at timestamp: MonotonicTime) {
        guard !consent.isWithdrawn else { return }
        var buffer = MediaBuffer(copying: samples, budget: budget)
        while buffer == nil, ring.evictOldest() {
            buffer = MediaBuffer(copying: samples, budget: budget)
        }
        guard let buffer, ring.append(AudioChunk(timestamp: timestamp, format: format, buffer: buffer)) else {
            dropped.add(1, ordering: .relaxed)
            return
        }
    }

    /// Ends every recording from this microphone where it is.
    package func end(_ end: FeedEnd) {
        ring.close(end)
    }
}
