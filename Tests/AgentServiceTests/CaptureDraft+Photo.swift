import AgentStore
import LibraryAPI
import PhotoModel

extension CaptureDraft {
    /// A photo with these bytes, in a store's intake.
    init(photo manifest: AssetManifest, _ bytes: [UInt8], as resource: ResourceID, in store: AgentStore) throws {
        self.init(manifest)
        append(try store.makeIntake().write(bytes), id: resource, type: .photo, contentType: "image/jpeg")
    }
}
