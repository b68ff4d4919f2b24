import AgentStore
import LibraryAPI
import Persistence
import PhotoModel

#if canImport(Glibc)
import Glibc
#endif

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
            let resources = parts.map { type, contentType, count in
                CaptureDraft.Resource(
                    id: .version7(unixMilliseconds: 0, using: &generator),
                    type: type,
                    contentType: contentType,
                    content: .bytes(
                        [UInt8](repeating: UInt8.random(in: .min ... .max, using: &generator), count: count)
                    )
                )
            }
            try store.add(
                CaptureDraft(manifest: manifest, resources: resources),
                now: WallTime(microsecondsSince1970: 0)
            )
            report(id)
        }
    }

    /// One unbuffered line: it is out when the call returns.
    private static func report(_ id: AssetID) {
        let line = Array("\(id)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
