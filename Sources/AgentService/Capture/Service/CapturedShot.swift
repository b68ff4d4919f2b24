import Capture
import Persistence
package import PhotoModel

/// What a capture made, for programs.
package struct CaptureDocument: Hashable, Sendable, Codable {
    /// The shots, in the order in which they were begun.
    package let captures: [CapturedShot]
}

/// One shot, for programs.
package struct CapturedShot: Hashable, Sendable, Codable {
    /// Names the asset.
    package let id: AssetID
    /// The profile that it was taken for; nil for none.
    package let profile: String?
    /// Whether a movie came with it.
    package let isLivePhoto: Bool
    /// The camera's identity.
    package let camera: String
    /// What made the shutter fall: a kind, and a name where there is one.
    package let trigger: String
    /// The moment asked for.
    package let requestedTime: CaptureTime
    /// When the chosen frame was taken.
    package let captureTime: CaptureTime
    /// How much later than asked for that was; negative when earlier.
    package let lagMilliseconds: Double
    /// Bytes of all files.
    package let byteCount: Int64
    /// Where the files are, the still first.
    package let files: [String]
    /// What is to be said of a Live Photo that is not all it could be.
    package let flags: [String]

    init(_ result: CaptureResult, _ record: CaptureRecord, camera: CaptureDevice, files: [Path]) {
        id = result.id
        profile = record.profile
        isLivePhoto = result.movie != nil
        self.camera = camera.id.rawValue
        trigger = record.trigger.description
        requestedTime = record.requestedTime
        captureTime = result.frame.captureTime
        lagMilliseconds = ((result.frame.lag / .milliseconds(1)) * 10).rounded() / 10
        byteCount = result.resources.reduce(0) { $0 + $1.file.byteCount }
        self.files = files.map(\.text)
        flags = record.flags
    }
}
