/// Why something about capturing failed.
package struct CaptureError: Error, Sendable {
    /// The kind of failure, for callers that decide by it.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Nobody has allowed the device to be used.
        case notAuthorized
        /// The permission was taken back while the device was in use.
        case consentWithdrawn
        /// The wanted inputs and outputs make no pipeline; the old one still runs.
        case configurationFailed
        /// Live Photos are asked of a session that cannot make them, or was not set up to.
        case livePhotoUnsupported
        /// The device offers no such format or control.
        case unsupported
        /// Somebody else streams from the device.
        case deviceBusy
        /// The bus has no bandwidth left for this format.
        case insufficientBandwidth
        /// The device is gone.
        case deviceLost
        /// The device answered with an error, or gave no frames for too long.
        case deviceFailed
        /// The session is not running.
        case notRunning
        /// The session is changing its pipeline just now.
        case reconfiguring
        /// As many captures are under way as the settings allow.
        case tooManyCaptures
        /// No whole frame was to be had for the shot.
        case noFrame
        /// A picture, sound or movie could not be encoded.
        case encodingFailed
        /// A file could not be written durably.
        case storageFailed
        /// The work was cancelled.
        case cancelled
    }

    /// Whether trying again may help.
    package enum Retry: Hashable, Sendable {
        /// At once.
        case now
        /// After a pause, longer each time.
        case later
        /// Only after a person decided or repaired something.
        case onDecision
        /// Never: the request itself is at fault.
        case never
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong and what to do about it, in one sentence.
    package let message: String
    /// The device that it is about; nil when it is about none.
    package let deviceID: CaptureDevice.ID?
    /// What caused it; nil when this is the beginning.
    package let cause: (any Error)?

    /// Describes one failure.
    package init(_ code: Code, _ message: String, deviceID: CaptureDevice.ID? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.deviceID = deviceID
        self.cause = cause
    }

    /// Whether trying again may help.
    package var retry: Retry {
        switch code {
        case .reconfiguring, .noFrame: .now
        case .deviceBusy, .deviceLost, .deviceFailed, .notRunning, .tooManyCaptures, .storageFailed: .later
        case .notAuthorized, .consentWithdrawn, .insufficientBandwidth: .onDecision
        case .configurationFailed, .livePhotoUnsupported, .unsupported, .encodingFailed, .cancelled: .never
        }
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
