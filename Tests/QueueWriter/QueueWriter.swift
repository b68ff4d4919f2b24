import AgentStore
import Glibc
import LibraryAPI
import Persistence
import PhotoModel

/// Captures into a queue as fast as it can and prints each asset once `add` has returned, until it is killed.
///
/// The crash tests start it, kill it at any instant, and hold the queue against what it printed.
@main
enum QueueWriter {
    static func main() throws {
        let store = try AgentStore(root: Path(CommandLine.arguments[1]), now: WallTime(microsecondsSince1970: 0))
        var generator = SystemRandomNumberGenerator()
        while true {
            let id = AssetID.version7(unixMilliseconds: 0, using: &generator)
            let manifest = AssetManifest(
                id: id,
                mediaType: .image,
                captureTime: CaptureTime(
                    wall: WallTime(microsecondsSince1970: 0),
                    source: .deviceClock,
                    isSynchronized: true
                ),
                resources: []
            )
            let parts: [(AssetResourceType, String, Int)] = [
                (.photo, "image/jpeg", 40_000), (.pairedVideo, "video/quicktime", 200_000),
            ]
            var draft = CaptureDraft(manifest)
            let intake = store.makeIntake()
            for (type, contentType, count) in parts {
                let byte = UInt8.random(in: .min ... .max, using: &generator)
                draft.append(
                    try intake.write([UInt8](repeating: byte, count: count)),
                    id: .version7(unixMilliseconds: 0, using: &generator),
                    type: type,
                    contentType: contentType
                )
            }
            try store.add(draft, now: WallTime(microsecondsSince1970: 0))
            report(id)
        }
    }

    /// One unbuffered line: it is out when the call returns.
    private static func report(_ id: AssetID) {
        let line = Array("\(id)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
