/// Opening, replacing and closing devices.
///
/// Only one change runs at a time; `camera` and `microphone` are the delivering ones.
extension CaptureSession {
    private var ringDuration: Duration { configuration.photoOutput.preRoll + Self.ringMargin }

    /// Makes this the camera; on failure the old one stays.
    func replaceCamera(with input: CameraInput?) async throws(CaptureError) {
        guard let input else { return await closeCamera(.stopped) }
        guard let old = camera else { return camera = try await openCamera(input) }
        if old.input.source.device.id != input.source.device.id {
            camera = try await openCamera(input)
            await old.run.close(.stopped)
        } else if !old.input.isStreamed(like: input) {
            // A camera streams in one format at a time: the old stream must end first, and restart if the new one
            // fails.
            await closeCamera(.stopped)
            do {
                camera = try await openCamera(input)
            } catch {
                do {
                    camera = try await openCamera(old.input)
                } catch {
                    state = .failed(error)
                }
                throw error
            }
        }
    }

    /// Makes this the microphone, or none; on failure the old one stays.
    func replaceMicrophone(with input: MicrophoneInput?) async throws(CaptureError) {
        guard let input else { return await closeMicrophone(.stopped) }
        defer { audioDeadline.watch(microphone?.pipeline.ring) }
        guard let old = microphone else { return microphone = try await openMicrophone(input) }
        if old.input.source.device.id != input.source.device.id {
            microphone = try await openMicrophone(input)
            await old.run.close(.stopped)
        } else if old.input.format != input.format || old.input.consent !== input.consent {
            await closeMicrophone(.stopped)
            do {
                microphone = try await openMicrophone(input)
            } catch {
                microphone = try? await openMicrophone(old.input)
                throw error
            }
        }
    }

    /// Opens the microphone; if sound is optional, a failure makes movies silent.
    func startMicrophone() async throws(CaptureError) {
        guard let input = configuration.microphone else { return }
        do throws(CaptureError) {
            try await replaceMicrophone(with: input)
        } catch {
            guard configuration.photoOutput.audioPolicy == .optional else { throw error }
        }
    }

    /// Closes the camera, if any, and waits until it is closed.
    func closeCamera(_ end: FeedEnd) async {
        guard let old = camera else { return }
        camera = nil
        await old.run.close(end)
    }

    /// Closes the microphone, if any, and waits until it is closed.
    func closeMicrophone(_ end: FeedEnd) async {
        guard let old = microphone else { return }
        microphone = nil
        audioDeadline.watch(nil)
        await old.run.close(end)
    }

    /// Applies the output's settings to the running devices.
    func applyOutput() {
        let output = configuration.photoOutput
        camera?.pipeline.ring.setDuration(ringDuration)
        camera?.budget.setLimit(output.frameBudget)
        microphone?.pipeline.ring.setDuration(ringDuration)
        microphone?.budget.setLimit(output.audioBudget)
    }

    // MARK: One device

    private func openCamera(_ input: CameraInput) async throws(CaptureError) -> RunningCamera {
        try input.consent.check(input.source.device, is: .camera)
        let stream = try await input.source.open(input.format)
        let budget = MediaBudget(limit: configuration.photoOutput.frameBudget)
        let pipeline = CameraPipeline(
            ringDuration: ringDuration,
            budget: budget,
            compressor: compressor,
            masker: input.masker,
            consent: input.consent,
            keepsSamples: input.keepsSamples,
            onFrame: { [audioDeadline] in audioDeadline.picturesReached($0) },
            onInterruption: { [jobSink] in jobSink.yield { await self.interruptionChanged() } }
        )
        let run = DeviceRun(stop: stream.stop, end: pipeline.end)
        spawn {
            await run.follow(input.consent) { () throws(CaptureError) in try await stream.run(pipeline) }
            await self.cameraEnded(run)
        }
        guard await pipeline.firstFrame() else {
            stream.stop()
            await run.wait()
            throw run.error
                ?? CaptureError(.deviceFailed, "the camera delivered no usable frame", deviceID: input.source.device.id)
        }
        return RunningCamera(input: input, stream: stream, pipeline: pipeline, budget: budget, run: run)
    }

    private func openMicrophone(_ input: MicrophoneInput) async throws(CaptureError) -> RunningMicrophone {
        try input.consent.check(input.source.device, is: .microphone)
        let stream = try await input.source.open(input.format)
        let budget = MediaBudget(limit: configuration.photoOutput.audioBudget)
        let pipeline = MicrophonePipeline(
            ringDuration: ringDuration,
            budget: budget,
            format: stream.format,
            consent: input.consent
        )
        let run = DeviceRun(stop: stream.stop, end: pipeline.end)
        spawn {
            await run.follow(input.consent) { () throws(CaptureError) in try await stream.run(pipeline) }
            await self.microphoneEnded(run)
        }
        return RunningMicrophone(input: input, stream: stream, pipeline: pipeline, budget: budget, run: run)
    }

    /// The camera went away or came back; the current state is looked up, because reports may overtake each other.
    private func interruptionChanged() {
        guard let camera else { return }
        state = camera.pipeline.interruption.map(State.interrupted) ?? .running
        changed()
    }

    /// A camera's stream ended; if it is still ours, it ended by itself, and the microphone is no longer needed.
    private func cameraEnded(_ run: DeviceRun) {
        guard let ended = camera, ended.run === run else { return }
        camera = nil
        let id = ended.input.source.device.id
        state = .failed(run.error ?? CaptureError(.deviceLost, "the camera ended its stream", deviceID: id))
        if let microphone {
            self.microphone = nil
            audioDeadline.watch(nil)
            microphone.pipeline.end(.stopped)
            microphone.stream.stop()
        }
        changed()
    }

    /// A microphone's stream ended; if it is still ours, it ended by itself, and movies continue silently.
    private func microphoneEnded(_ run: DeviceRun) {
        guard let ended = microphone, ended.run === run else { return }
        microphone = nil
        audioDeadline.watch(nil)
        changed()
    }
}

extension CameraInput {
    /// Whether a running stream of one serves the other: the same format, mask and permission.
    fileprivate func isStreamed(like other: CameraInput) -> Bool {
        format == other.format && masker === other.masker && keepsSamples == other.keepsSamples
            && consent === other.consent
    }
}
