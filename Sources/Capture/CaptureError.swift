/// Why a capture operation failed.
package struct CaptureError: Error, Sendable {
    /// The kind of failure, for callers that react to it.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Nobody has permitted the device's use.
        case notAuthorized
        /// Permission was withdrawn while the device was in use.
        case consentWithdrawn
        /// The inputs and outputs do not form a pipeline; the old one keeps running.
        case configurationFailed
        /// The session cannot make Live Photos, or was not set up to.
        case livePhotoUnsupported
        /// The device does not support the format or control.
        case unsupported
        /// Somebody else is streaming from the device.
        case deviceBusy
        /// The bus has no bandwidth left for this format.
        case insufficientBandwidth
        /// The device is gone.
        case deviceLost
        /// The device reported an error, or delivered no frames for too long.
        case deviceFailed
        /// The session is not running.
        case notRunning
        /// The session is changing its pipeline.
        case reconfiguring
        /// The configured number of captures is already in progress.
        case tooManyCaptures
        /// No complete frame was available for the shot.
        case noFrame
        /// A picture, sound or movie could not be encoded.
        case encodingFailed
        /// A file could not be written durably.
        case storageFailed
        /// The work was cancelled.
        case cancelled
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong and what to do about it, in one sentence.
    package let message: String
    /// The affected device; nil if none.
    package let deviceID: CaptureDevice.ID?
    /// The cause; nil if this error is the first.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, deviceID: CaptureDevice.ID? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.deviceID = deviceID
        self.cause = cause
    }
}

extension CaptureError: CustomStringConvertible {
    /// One line: code, device, message and cause.
    package var description: String {
        let device = deviceID.map { " (\($0.rawValue))" } ?? ""
        let reason = cause.map { "; cause: \($0)" } ?? ""
        return "\(code.rawValue)\(device): \(message)\(reason)"
    }
}
