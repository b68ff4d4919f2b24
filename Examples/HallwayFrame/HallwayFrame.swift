// A picture frame in fifty lines: it saves a photo, shows the newest favourites, and follows the library as it changes.
// tintype-agent run &   swift run hallway-frame /var/lib/tintype-agent [PHOTO.jpg]
import FoundationEssentials
import Glibc
import PhotoLibrary

@main
struct HallwayFrame {
    static func main() async {
        do {
            try await show()
        } catch {
            print("The frame stops: \(error)")
            exit(1)
        }
    }

    static func show() async throws {
        var configuration = PhotoLibrary.Configuration()
        configuration.agentPath = CommandLine.arguments[1]
        configuration.readWriteUsage = "Shows favourites on the wall of the hallway."
        let library = try PhotoLibrary(configuration)
        guard try await library.requestAuthorization(for: .readWrite).grantsAccess else {
            return print("An administrator has to let this frame see photos first: tintypectl request list")
        }
        let token = try await library.currentChangeToken()
        for photo in CommandLine.arguments.dropFirst(2) {
            try await library.performChanges { changes in
                _ = changes.createAsset { $0.addResource(with: .photo, fileURL: URL(filePath: photo)) }
            }
        }
        let favorites = FetchOptions(filter: .kind(.favorites), fetchLimit: 10)
        for asset in try await library.fetchAssets(favorites) {
            guard let photo = asset.primaryResource else { continue }
            do {
                print(try await library.file(of: photo, in: asset).path)
            } catch let error as PhotoLibraryError {
                print("\(asset.id) cannot be shown now: \(error)")
            }
        }
        for try await change in library.changes(since: token) {
            print("\(change.assets.inserted.count) new, \(change.assets.deleted.count) gone")
        }
    }
}
