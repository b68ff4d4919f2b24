package import Capture
import FoundationEssentials
import Persistence
package import PhotoModel

/// What is known of a shot beside its files: kept as `capture.json` beside them, first what was wanted, then what came.
package struct CaptureRecord: Hashable, Sendable, Codable {
    /// The file's name.
    static let fileName = "capture.json"

    /// Names the shot and the asset that it becomes.
    package let id: AssetID
    /// The profile that it was taken for; nil for none.
    package var profile: String?
    /// What made the shutter fall.
    package var trigger: Trigger
    /// Whether it was to be a Live Photo.
    package var isLivePhoto: Bool
    /// The moment asked for, with the evidence.
    package var requestedTime: CaptureTime
    /// When the chosen frame was taken; nil before it was chosen.
    package var frameTime: CaptureTime?
    /// How much later than asked for that was; negative when earlier.
    package var lagMilliseconds: Double?
    /// What is to be said of a Live Photo that is not all it could be.
    package var flags: [String] = []
    /// The album that the asset should join.
    package var album: String?
    /// Where the camera is.
    package var location: Location?
    /// The burst that the shot belongs to.
    package var burst: BurstMembership?

    /// Describes a shot that is about to be taken.
    package init(id: AssetID, trigger: Trigger, isLivePhoto: Bool, requestedTime: CaptureTime) {
        self.id = id
        self.trigger = trigger
        self.isLivePhoto = isLivePhoto
        self.requestedTime = requestedTime
    }

    /// Takes in what came of it.
    package mutating func complete(with result: CaptureResult) {
        frameTime = result.frame.captureTime
        lagMilliseconds = ((result.frame.lag / .milliseconds(1)) * 1000).rounded() / 1000
        flags = result.flags.map(\.rawValue).sorted()
    }

    /// Writes the record into a folder, over an older one.
    ///
    /// It is not synchronised: after a power cut the files themselves say enough to become an asset.
    func write(into folder: Path, in fileSystem: any FileSystem) throws {
        let temporary = folder.appending(".\(Self.fileName).new")
        let file = try fileSystem.open(temporary, .update)
        try file.write(JSONText.bytes(self)[...], at: 0)
        try file.close()
        try fileSystem.rename(temporary, to: folder.appending(Self.fileName))
    }

    /// Reads a folder's record; nil when there is none that can be read.
    static func read(from folder: Path, in fileSystem: any FileSystem) throws -> CaptureRecord? {
        guard let bytes = try fileSystem.readAll(folder.appending(fileName)) else { return nil }
        return try? JSONDecoder().decode(CaptureRecord.self, from: Data(bytes))
    }
}
