package import Capture
import FoundationEssentials
import Persistence
package import PhotoModel

/// Information about a shot besides its files, stored as `capture.json` beside them: first the request, then the
/// result.
package struct CaptureRecord: Hashable, Sendable, Codable {
    /// The file's name.
    static let fileName = "capture.json"

    /// Identifies the shot and the asset it becomes.
    package let id: AssetID
    /// Its profile; nil if none.
    package var profile: String?
    /// What triggered the shutter.
    package var trigger: Trigger
    /// Whether a Live Photo was requested.
    package var isLivePhoto: Bool
    /// The requested moment, with the evidence.
    package var requestedTime: CaptureTime
    /// When the chosen frame was taken; nil until chosen.
    package var frameTime: CaptureTime?
    /// How much later than requested that was; negative if earlier.
    package var lagMilliseconds: Double?
    /// The shortcomings of a Live Photo.
    package var flags: [String] = []
    /// The album it should join.
    package var album: String?
    /// Where the camera is.
    package var location: Location?
    /// The shot's burst.
    package var burst: BurstMembership?

    /// Describes a shot about to be taken.
    package init(id: AssetID, trigger: Trigger, isLivePhoto: Bool, requestedTime: CaptureTime) {
        self.id = id
        self.trigger = trigger
        self.isLivePhoto = isLivePhoto
        self.requestedTime = requestedTime
    }

    /// Adds the result.
    package mutating func complete(with result: CaptureResult) {
        frameTime = result.frame.captureTime
        lagMilliseconds = ((result.frame.lag / .milliseconds(1)) * 1000).rounded() / 1000
        flags = result.flags.map(\.rawValue).sorted()
    }

    /// Writes the record into a folder, replacing any older one.
    ///
    /// It is not synchronised: after a power cut the files alone suffice to make an asset.
    func write(into folder: Path, in fileSystem: any FileSystem) throws {
        let temporary = folder.appending(".\(Self.fileName).new")
        let file = try fileSystem.open(temporary, .update)
        try file.write(JSONText.bytes(self)[...], at: 0)
        try file.close()
        try fileSystem.rename(temporary, to: folder.appending(Self.fileName))
    }

    /// Reads a folder's record; nil if absent or unreadable.
    static func read(from folder: Path, in fileSystem: any FileSystem) throws -> CaptureRecord? {
        guard let bytes = try fileSystem.readAll(folder.appending(fileName)) else { return nil }
        return try? JSONDecoder().decode(CaptureRecord.self, from: Data(bytes))
    }
}
