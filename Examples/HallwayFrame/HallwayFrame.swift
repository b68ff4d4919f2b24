// A picture frame in forty lines: it saves a photo, shows the newest favourites, and follows the library as it changes.
// swift run hallway-frame --set agent.path=/var/lib/frame PHOTO.jpg
import AgentService
import AgentStore
import Authorization
import LibraryAPI
import Logging
import Persistence
import PhotoLibrary
import PhotoModel
import Settings
import SyncEngine

@main
struct HallwayFrame {
    static func main() async throws {
        let flags = CommandLine.arguments.dropFirst().filter { $0.contains("=") }
        let settings = try AgentSettings(
            from: SettingsReader(yaml: "", environment: [:], flags: Array(flags)),
            hostName: "frame"
        )
        let agent = try Agent(settings: settings, logger: Logger(label: "frame"))
        let library = try agent.photoLibrary()
        guard try await library.requestAuthorization(for: .readWrite).grantsAccess else {
            return print("An administrator has to let this frame see photos first: tintypectl request list")
        }
        for photo in CommandLine.arguments.dropFirst() where photo.hasSuffix(".jpg") {
            try await library.performChanges { changes in
                _ = changes.createAsset { $0.addResource(with: .photo, file: Path(photo)) }
            }
        }
        _ = try await agent.sync(.once)
        let token = try await library.currentChangeToken()
        let favorites = FetchOptions(filter: .kind(.favorites), fetchLimit: 10)
        for asset in try await library.fetchAssets(favorites) {
            guard let photo = asset.primaryResource else { continue }
            print(try await library.file(of: photo, in: asset.id))
        }
        async let sync = agent.sync(.continuous)
        for try await change in library.changes(since: token) {
            print("\(change.assets.inserted.count) new, \(change.assets.deleted.count) gone")
        }
        _ = try await sync
    }
}
