import Immich
import LibraryAPI
import LibraryClient
import MediaFiles
import PhotoModel

/// Sends assets of an Immich server to the library, or lists them.
struct ImmichUpload: ImmichReceiver {
    /// An asset that would be imported, for a dry run.
    struct Candidate: Encodable {
        let path: String
        let kind: String
        let albums: [String]
    }

    let client: LibraryClient
    var uploader: FileUploader
    var report = FileUploader.Report()

    init(_ client: LibraryClient, _ uploader: FileUploader) {
        self.client = client
        self.uploader = uploader
    }

    /// Lists what would be imported.
    mutating func candidates(of immich: ImmichLibrary) async throws -> [Candidate] {
        var found: [Candidate] = []
        try await immich.items(&self) { item, _ in
            found.append(Candidate(path: item.name, kind: item.kind, albums: item.content.validAlbums))
        }
        return found
    }

    /// Imports everything.
    mutating func takeAll(of immich: ImmichLibrary) async throws {
        try await immich.send(to: &self)
        try await uploader.finish(&report)
    }

    mutating func leaveBehind(_ remark: MediaCollection.Remark) { report.leftBehind.append(remark) }

    mutating func fail(_ remark: MediaCollection.Remark) { report.failed.append(remark) }

    mutating func take(_ group: MediaCollection.Group) async throws -> AssetID? {
        try await uploader.take(group, &report)
    }

    mutating func has(_ asset: AssetID, in albums: [String]) async throws -> Bool {
        do throws(LibraryClientError) {
            // The library gave a receipt for it, and still has it.
            _ = try await client.receipt(asset)
        } catch  where error.problem?.status == 404 {
            return false
        }
        report.known += 1
        try await uploader.file(asset, in: albums, &report)
        return true
    }
}

extension AdminError {
    /// Describes why Immich cannot be imported from.
    init(_ error: ImmichError) {
        let exit: AdminExit =
            switch error.code {
            case .unreachable: .unreachable
            case .notAllowed: .notAllowed
            case .notUnderstood: .failed
            case .noKey: .usage
            }
        self.init(exit, error.message, next: error.next)
    }
}
