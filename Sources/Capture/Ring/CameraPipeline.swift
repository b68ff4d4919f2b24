import MediaFormats
import Synchronization

/// The processing of every frame on the grabbing thread: inspect, compress if raw, keep, count.
///
/// It waits only for two locks, each held for a few instructions.
package final class CameraPipeline: FrameReceiver {
    private struct State {
        var warmUp: WarmUp
        var lastSequence: UInt32?
        var counts = FrameCounts()
        /// Why there are currently no frames.
        var interruption: CaptureError?
    }

    /// The frames that a shot can look back on.
    package let ring: FrameRing
    private let budget: MediaBudget
    private let compressor: any FrameCompressor
    private let masker: (any FrameMasker)?
    private let consent: CaptureConsent
    private let keepsSamples: Bool
    private let warmsUp: Bool
    private let onFrame: @Sendable (MonotonicTime) -> Void
    private let onInterruption: @Sendable () -> Void
    private let state: Mutex<State>
    private let settled: AsyncStream<Void>
    private let settledSink: AsyncStream<Void>.Continuation

    /// A pipeline for one run of a camera's stream.
    ///
    /// - Parameters:
    ///   - ringDuration: how far back a shot can look.
    ///   - budget: the memory for this camera.
    ///   - compressor: compresses raw frames and measures their brightness.
    ///   - masker: blackens parts of each frame; nil for none.
    ///   - consent: no frame is kept once it is withdrawn.
    ///   - keepsSamples: whether raw frames are kept unchanged, and compressed only when a JPEG is read.
    ///   - warmsUp: whether frames are dropped until exposure has settled.
    ///   - onFrame: receives the time of each kept frame, on the grabbing thread.
    ///   - onInterruption: called when ``interruption`` has changed, on the grabbing thread.
    package init(
        ringDuration: Duration,
        budget: MediaBudget,
        compressor: any FrameCompressor,
        masker: (any FrameMasker)? = nil,
        consent: CaptureConsent,
        keepsSamples: Bool = false,
        warmsUp: Bool = true,
        onFrame: @escaping @Sendable (MonotonicTime) -> Void = { _ in },
        onInterruption: @escaping @Sendable () -> Void = {}
    ) {
        ring = FrameRing(duration: ringDuration)
        self.budget = budget
        self.compressor = compressor
        self.masker = masker
        self.consent = consent
        self.keepsSamples = keepsSamples
        self.warmsUp = warmsUp
        self.onFrame = onFrame
        self.onInterruption = onInterruption
        state = Mutex(State(warmUp: WarmUp(isSettled: !warmsUp)))
        (settled, settledSink) = AsyncStream.makeStream()
    }

    /// The frame counts so far.
    package var counts: FrameCounts { state.withLock(\.counts) }

    /// Why the camera currently delivers no frames while its stream waits for it; nil if it does.
    package var interruption: CaptureError? { state.withLock(\.interruption) }

    /// Waits for the first frame in the ring; false if the stream ended first.
    ///
    /// One waiter only.
    package func firstFrame() async -> Bool {
        for await _ in settled { return true }
        return false
    }

    /// Processes one frame from the device.
    package func receive(_ bytes: RawSpan, _ info: FrameInfo) {
        guard !consent.isWithdrawn else { return }
        countGap(before: info.sequence)
        if info.isDamaged { return drop(.damaged) }
        if info.pixelFormat.isJPEG, (try? MotionJPEGFrame(bytes)) == nil { return drop(.truncated) }
        guard isSettled(bytes, info) else { return drop(.warmingUp) }
        guard info.pixelFormat.isJPEG else {
            return keepsSamples ? keepSamples(bytes, info) : compressAndKeep(bytes, info)
        }
        // Masking a JPEG takes longer than a frame's time: the first reader does it, only for frames that are read.
        let preparation = masker.map { masker -> MediaBuffer.Preparation in
            { bytes in (try? masker.masked(bytes, info)) ?? [] }
        }
        keep(info) {
            MediaBuffer(copying: bytes, budget: budget, preparation: preparation).map { Frame(info: info, buffer: $0) }
        }
    }

    /// Ends every recording from this camera at this point; a returning camera may look different, and must settle
    /// again.
    package func interrupted(by error: CaptureError) {
        ring.restart(.deviceLost)
        state.withLock { state in
            state.interruption = error
            state.warmUp = WarmUp(isSettled: !warmsUp)
        }
        onInterruption()
    }

    /// Ends every recording from this camera at this point.
    package func end(_ end: FeedEnd) {
        ring.close(end)
        settledSink.finish()
    }

    private func compressAndKeep(_ bytes: RawSpan, _ info: FrameInfo) {
        guard let jpeg = try? compressed(bytes, info) else { return drop(.compressionFailed) }
        let info = info.compressed
        keep(info) { MediaBuffer(jpeg, budget: budget).map { Frame(info: info, buffer: $0) } }
    }

    /// Keeps a frame unchanged; its JPEG is made, or developed, when first read.
    private func keepSamples(_ bytes: RawSpan, _ info: FrameInfo) {
        guard let samples = try? masked(bytes, info) else { return drop(.compressionFailed) }
        keep(info.compressed) { [compressor] in
            guard let kept = MediaBuffer(samples, budget: budget) else { return nil }
            let jpeg = MediaBuffer { _ in
                kept.withBytes { (try? compressor.jpeg(of: $0, info)) ?? [] }
            }
            return Frame(info: info.compressed, buffer: jpeg, samples: FrameSamples(info: info, buffer: kept))
        }
    }

    private func masked(_ bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8] {
        guard let masker else { return unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
        return try masker.masked(bytes, info)
    }

    private func compressed(_ bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8] {
        guard masker != nil else { return try compressor.jpeg(of: bytes, info) }
        return try masked(bytes, info).withBytes { masked throws(CaptureError) in
            try compressor.jpeg(of: masked, info)
        }
    }

    private func keep(_ info: FrameInfo, _ makeFrame: () -> Frame?) {
        var frame = makeFrame()
        var evicted = 0
        while frame == nil, ring.evictOldest() {
            evicted += 1
            frame = makeFrame()
        }
        guard let frame else { return drop(.budgetExhausted, evicted: evicted) }
        guard ring.append(frame) else { return drop(.timeReversed, evicted: evicted) }
        let isLate = info.clock.monotonic.duration(since: info.timestamp) > FrameCounts.lateness
        let (isFirst, isBack) = state.withLock { state in
            state.counts.kept += 1
            state.counts.evictedEarly += evicted
            if isLate { state.counts.late += 1 }
            return (state.counts.kept == 1, state.interruption.take() != nil)
        }
        if isFirst {
            settledSink.yield()
            settledSink.finish()
        }
        if isBack { onInterruption() }
        onFrame(info.timestamp)
    }

    private func drop(_ reason: FrameDropReason, evicted: Int = 0) {
        state.withLock { state in
            state.counts.dropped[reason, default: 0] += 1
            state.counts.evictedEarly += evicted
        }
    }

    /// The sequence number wraps at 2^32 and may begin anywhere; a jump of more than an hour of frames is a restart.
    private func countGap(before sequence: UInt32) {
        state.withLock { state in
            if let last = state.lastSequence {
                let missing = Int(sequence &- last) - 1
                if 1..<216_000 ~= missing { state.counts.dropped[.deviceGap, default: 0] += missing }
            }
            state.lastSequence = sequence
        }
    }

    private func isSettled(_ bytes: RawSpan, _ info: FrameInfo) -> Bool {
        guard !state.withLock({ $0.warmUp.isSettled }) else { return true }
        let luma = compressor.meanLuma(of: bytes, info)
        return state.withLock { $0.warmUp.observe(luma: luma, at: info.timestamp) }
    }
}

extension FrameInfo {
    /// The same frame as a JPEG.
    fileprivate var compressed: FrameInfo {
        var info = self
        info.pixelFormat = .motionJPEG
        info.bytesPerLine = 0
        info.isFullRange = true
        return info
    }
}
