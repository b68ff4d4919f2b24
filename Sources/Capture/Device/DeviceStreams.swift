/// A camera that can be opened.
package protocol FrameSource: Sendable {
    /// Its identity and formats; for a camera that must be examined first, only what is known without opening it.
    var device: CaptureDevice { get }

    /// Queries the camera's formats, which opens it, and returns it with them.
    ///
    /// - Throws: `notAuthorized`, `unsupported` if it turns out not to be a camera, and why it cannot be opened.
    func examined(_ consent: CaptureConsent) async throws(CaptureError) -> any FrameSource

    /// Holds the exposure that the camera has chosen until it is released, so that a bracket can vary it.
    ///
    /// - Throws: `unsupported` if it cannot be set, `notAuthorized`, and why the camera cannot be opened.
    func holdExposure(_ consent: CaptureConsent) async throws(CaptureError) -> any HeldExposure

    /// Opens the camera, and negotiates a format, which may differ from the requested one; the stream is not running
    /// yet.
    ///
    /// - Throws: `deviceBusy`, `deviceLost`, `insufficientBandwidth`, `unsupported`, `deviceFailed`.
    func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream
}

extension FrameSource {
    /// Most cameras need no examination.
    package func examined(_ consent: CaptureConsent) async throws(CaptureError) -> any FrameSource { self }

    /// Most cameras control their exposure themselves.
    package func holdExposure(_ consent: CaptureConsent) async throws(CaptureError) -> any HeldExposure {
        throw CaptureError.fixedExposure(of: device.id)
    }
}

extension CaptureError {
    /// Throws, because the camera's exposure cannot be set.
    package static func fixedExposure(of camera: CaptureDevice.ID) -> CaptureError {
        let advice = "see tintype-agent cameras controls, or leave out shot.bracket"
        return CaptureError(
            .unsupported,
            "the camera has no exposure time that can be set: \(advice)",
            deviceID: camera
        )
    }
}

/// An open camera; it runs once.
package protocol FrameStream: Sendable {
    /// The negotiated format, which may change after an interruption.
    var format: CaptureFormat { get }

    /// Delivers frames until ``stop()``, one at a time on the grabbing thread, then closes the camera.
    ///
    /// - Throws: `deviceLost` or `deviceFailed` if the camera ended it.
    func run(_ receiver: any FrameReceiver) async throws(CaptureError)

    /// Ends ``run(_:)`` soon; callable from any thread, repeatedly.
    func stop()
}

/// Receives frames on the grabbing thread, which it must not block.
package protocol FrameReceiver: AnyObject, Sendable {
    /// Receives one frame, whose bytes are valid only during the call.
    func receive(_ bytes: RawSpan, _ info: FrameInfo)

    /// The camera is gone; its stream waits for it and continues with the next frame, perhaps in another size.
    func interrupted(by error: CaptureError)
}

extension FrameReceiver {
    /// Does nothing.
    package func interrupted(by error: CaptureError) {}
}

/// A microphone that can be opened.
package protocol AudioSource: Sendable {
    /// Its identity and formats.
    var device: CaptureDevice { get }

    /// Opens the microphone, and negotiates a format; the stream is not running yet.
    ///
    /// - Throws: `deviceBusy`, `deviceLost`, `unsupported`, `deviceFailed`.
    func open(_ format: AudioFormat) async throws(CaptureError) -> any AudioStream
}

/// An open microphone; it runs once.
package protocol AudioStream: Sendable {
    /// The negotiated format.
    var format: AudioFormat { get }

    /// Delivers sound until ``stop()``, then closes the microphone; throws like ``FrameStream/run(_:)``.
    func run(_ receiver: any AudioReceiver) async throws(CaptureError)

    /// Ends ``run(_:)`` soon; callable from any thread, repeatedly.
    func stop()
}

/// Receives sound on the recording thread, which it must not block.
package protocol AudioReceiver: AnyObject, Sendable {
    /// Receives samples, valid only during the call, with the time of the first one.
    func receive(_ samples: RawSpan, at timestamp: MonotonicTime)
}

/// Compresses raw frames to JPEG and measures their brightness, so that this module needs no codec.
///
/// It is called on the grabbing thread and must finish within a frame's time.
package protocol FrameCompressor: Sendable {
    /// Compresses a raw frame to a JPEG.
    ///
    /// - Throws: `unsupported` for an unknown pixel format, `encodingFailed` if there are too few samples.
    func jpeg(of bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8]

    /// The mean brightness of a raw or JPEG frame, 0 to 1; nil if unknown.
    func meanLuma(of bytes: RawSpan, _ info: FrameInfo) -> Double?
}
