/// A camera that can be opened.
package protocol FrameSource: Sendable {
    /// What it is and what it offers; of a camera that must be asked for that, what can be known without opening it.
    var device: CaptureDevice { get }

    /// Asks the camera for its formats, which opens it.
    ///
    /// - Parameter consent: the permission, without which nothing is opened.
    /// - Returns: the same camera, with its formats.
    /// - Throws: `notAuthorized`, `unsupported` when it is no camera after all, and why it cannot be opened.
    func examined(_ consent: CaptureConsent) async throws(CaptureError) -> any FrameSource

    /// What can be set on the camera now; asking opens it, with the same errors.
    func controls(_ consent: CaptureConsent) async throws(CaptureError) -> [CaptureControl]

    /// Opens the camera and agrees on a format, which may differ from the one asked for.
    ///
    /// - Parameter format: what is wanted.
    /// - Returns: a stream that does not run yet.
    /// - Throws: `deviceBusy`, `deviceLost`, `insufficientBandwidth`, `unsupported`, `deviceFailed`.
    func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream
}

extension FrameSource {
    /// Most cameras are known without being asked.
    package func examined(_ consent: CaptureConsent) async throws(CaptureError) -> any FrameSource { self }

    /// Most cameras have nothing to set.
    package func controls(_ consent: CaptureConsent) async throws(CaptureError) -> [CaptureControl] { [] }
}

/// A camera that is open; it runs once.
package protocol FrameStream: Sendable {
    /// The format that the camera agreed to; another one perhaps after an interruption.
    var format: CaptureFormat { get }

    /// Delivers frames until ``stop()``, then closes the camera.
    ///
    /// - Parameter receiver: is called on the grabbing thread, one frame at a time.
    /// - Throws: `deviceLost` or `deviceFailed` when the camera ended it.
    func run(_ receiver: any FrameReceiver) async throws(CaptureError)

    /// Ends ``run(_:)`` soon; may be called from any thread and more than once.
    func stop()
}

/// Takes frames on the grabbing thread; it must not block it.
package protocol FrameReceiver: AnyObject, Sendable {
    /// Takes one frame, whose bytes are lent for the time of the call.
    func receive(_ bytes: RawSpan, _ info: FrameInfo)

    /// The camera is away; its stream waits for it and goes on with the next frame, perhaps in another size.
    func interrupted(by error: CaptureError)
}

extension FrameReceiver {
    /// Changes nothing.
    package func interrupted(by error: CaptureError) {}
}

/// A microphone that can be opened.
package protocol AudioSource: Sendable {
    /// What it is and what it offers.
    var device: CaptureDevice { get }

    /// Opens the microphone and agrees on a format.
    ///
    /// - Parameter format: what is wanted.
    /// - Returns: a stream that does not run yet.
    /// - Throws: `deviceBusy`, `deviceLost`, `unsupported`, `deviceFailed`.
    func open(_ format: AudioFormat) async throws(CaptureError) -> any AudioStream
}

/// A microphone that is open; it runs once.
package protocol AudioStream: Sendable {
    /// The format that the microphone agreed to.
    var format: AudioFormat { get }

    /// Delivers sound until ``stop()``, then closes the microphone; throws as ``FrameStream/run(_:)`` does.
    func run(_ receiver: any AudioReceiver) async throws(CaptureError)

    /// Ends ``run(_:)`` soon; may be called from any thread and more than once.
    func stop()
}

/// Takes sound on the recording thread; it must not block it.
package protocol AudioReceiver: AnyObject, Sendable {
    /// Takes samples, lent for the time of the call, with the time of the first of them.
    func receive(_ samples: RawSpan, at timestamp: MonotonicTime)
}

/// Makes JPEGs out of raw frames and looks at their brightness, so that this module needs no codec.
///
/// It is called on the grabbing thread and keeps within a frame's time.
package protocol FrameCompressor: Sendable {
    /// Compresses a raw frame.
    ///
    /// - Parameters:
    ///   - bytes: the samples.
    ///   - info: how they lie.
    /// - Returns: a JPEG.
    /// - Throws: `unsupported` for a pixel format it does not know, `encodingFailed` when the samples are too few.
    func jpeg(of bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8]

    /// The mean brightness of a frame from 0 to 1, raw or JPEG; nil when it cannot be told.
    func meanLuma(of bytes: RawSpan, _ info: FrameInfo) -> Double?
}
