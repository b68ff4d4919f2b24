/// A camera's exposure while it is held for a bracket.
package protocol HeldExposure: Sendable {
    /// Changes the exposure relative to what the camera had chosen, in EV, and returns what its range allowed; 1
    /// doubles the light.
    ///
    /// - Throws: `deviceLost` and the driver's refusals.
    func setBias(_ bias: Double) async throws(CaptureError) -> Double

    /// Restores automatic exposure, or the previous lock.
    func release() async
}

/// Takes frames of different exposures: AVFoundation's photo bracket with auto exposure settings.
///
/// One at a time; ``CaptureSession/endBracket(_:)`` must follow.
package struct ExposureBracket: Sendable {
    /// How many frames after a change may still precede it: those in the driver's buffers, and one being exposed.
    package static let settlingFrameCount = 5

    let exposure: any HeldExposure
    let camera: RunningCamera
    let clock: any CaptureClock

    /// Changes the exposure relative to the camera's own in EV, as far as the camera's range allows, and waits for the
    /// first frame taken with it.
    ///
    /// - Throws: what setting the exposure throws; `noFrame`, `deviceLost`.
    package func frame(bias: Double) async throws(CaptureError) -> (frame: Frame, bias: Double) {
        let actual = try await exposure.setBias(bias)
        let start = clock.reading().monotonic
        let interval = camera.stream.format.frameInterval.duration
        // An exposure may slow the camera down.
        let limit = start.advanced(by: interval * (Self.settlingFrameCount * 4) + .seconds(10))
        let frames = BurstFrames(
            feed: camera.pipeline.ring.feed(from: start, through: limit),
            count: 2,
            stride: Self.settlingFrameCount
        )
        var last: Frame?
        var count = 0
        for await frame in frames {
            last = frame
            count += 1
        }
        guard let last, count == 2 else {
            throw CaptureError(
                .noFrame,
                "the camera delivered no frame with \(bias) EV",
                deviceID: camera.input.source.device.id
            )
        }
        return (last, actual)
    }
}

extension CaptureSession {
    /// Holds the camera's exposure for a bracket.
    ///
    /// - Throws: `tooManyCaptures` during another bracket, `notRunning`, `unsupported` if the exposure cannot be set.
    package func beginBracket() async throws(CaptureError) -> ExposureBracket {
        guard let camera else { throw CaptureError(.notRunning, "start the session first") }
        guard !isBracketing else {
            throw CaptureError(.tooManyCaptures, "a bracket is being taken; wait for it to finish")
        }
        isBracketing = true
        do throws(CaptureError) {
            let exposure = try await camera.input.source.holdExposure(camera.input.consent)
            return ExposureBracket(exposure: exposure, camera: camera, clock: clock)
        } catch {
            isBracketing = false
            throw error
        }
    }

    /// Returns the exposure to the camera; the files of the bracket's shots may still be being written.
    package func endBracket(_ bracket: ExposureBracket) async {
        await bracket.exposure.release()
        isBracketing = false
    }
}
