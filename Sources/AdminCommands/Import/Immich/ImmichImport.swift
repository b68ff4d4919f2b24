import LibraryAPI
import LibraryClient
import MediaFiles
import Persistence
import PhotoModel
import Terminal

/// Imports an Immich server's assets into the library: one after the other is fetched into its own folder, uploaded,
/// and deleted there.
struct ImmichImport {
    /// An asset that would be imported, for a dry run.
    struct Candidate: Encodable {
        let path: String
        let kind: String
        let albums: [String]
    }

    private let server: ImmichServer
    private let fileSystem: any FileSystem
    private let folder: Path
    private let ledger: ImmichLedger
    private let client: LibraryClient

    /// An import from a server.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - client: the library.
    ///   - ledger: the earlier imports.
    ///   - folder: for an asset's files during its import; it is created, and deleted at the end.
    ///   - fileSystem: the folder's file system.
    init(
        _ server: ImmichServer,
        to client: LibraryClient,
        _ ledger: ImmichLedger,
        through folder: Path,
        in fileSystem: any FileSystem
    ) {
        self.server = server
        self.client = client
        self.ledger = ledger
        self.folder = folder
        self.fileSystem = fileSystem
    }

    /// Lists what would be imported, and reports what would not.
    func candidates(_ report: inout FileUploader.Report) async throws -> [Candidate] {
        let albums = try await albums(&report)
        var found: [Candidate] = []
        try await server.assets { page in
            for asset in page where !asset.isPart {
                guard let content = content(of: asset, albums, &report) else { continue }
                let kind = asset.livePhotoVideoID == nil ? asset.type.lowercased() : "live photo"
                found.append(Candidate(path: name(of: asset), kind: kind, albums: content.albums))
            }
        }
        return found
    }

    /// Imports everything.
    ///
    /// - Parameters:
    ///   - uploader: sends to the library.
    ///   - report: the work done so far.
    /// - Throws: if Immich or the library fails; failures of single assets are reported.
    func run(
        _ uploader: inout FileUploader,
        _ report: inout FileUploader.Report
    ) async throws {
        // Another import from Immich would fetch into the same folder.
        let lock = try fileSystem.lock(folder.parent.appending("immich.lock"))
        defer { lock.release() }
        try clean()
        try fileSystem.createDirectories(folder)
        let albums = try await albums(&report)
        try await server.assets { page in
            for asset in page where !asset.isPart {
                guard let content = content(of: asset, albums, &report) else { continue }
                do {
                    try await take(asset, content, &uploader, &report)
                } catch let error as PersistenceError where error.code != .noSpace {
                    report.failed.append(.init(path: name(of: asset), reason: error.message))
                }
                try clean(isLast: false)
            }
        }
        try await uploader.finish(&report)
        try clean()
    }

    private func take(
        _ asset: ImmichAsset,
        _ content: SidecarContent,
        _ uploader: inout FileUploader,
        _ report: inout FileUploader.Report
    ) async throws {
        if let known = ledger[asset], try await has(known) {
            report.known += 1
            return try await uploader.file(known, in: content.albums, &report)
        }
        let still = try await fetch(asset)
        var movie: Path?
        if let id = asset.livePhotoVideoID { movie = try await fetch(try await server.asset(id)) }
        let group = try MediaCollection.Group(
            still,
            movie: movie,
            described: content,
            at: name(of: asset),
            in: fileSystem
        )
        guard let group else {
            report.failed.append(.init(path: name(of: asset), reason: "it is no photo or movie of a known kind"))
            return
        }
        if let taken = try await uploader.take(group, &report) { try ledger.add(asset, taken) }
    }

    private func fetch(_ asset: ImmichAsset) async throws -> Path {
        let path = folder.appending("asset-\(ContentHasher.digest(asset.id.utf8))")
        try await server.download(asset, to: path, in: fileSystem)
        return path
    }

    /// Whether the library has an asset: it issued a receipt, and still has it.
    private func has(_ asset: AssetID) async throws -> Bool {
        do throws(LibraryClientError) {
            _ = try await client.receipt(asset)
            return true
        } catch  where error.problem?.status == 404 {
            return false
        }
    }

    /// The titles of the albums that assets are in, by Immich's identifiers.
    private func albums(_ report: inout FileUploader.Report) async throws -> [String: [String]] {
        var titles: [String: [String]] = [:]
        for album in try await server.albums() {
            for member in try await server.members(of: album) { titles[member, default: []].append(album.albumName) }
            if album.description?.isEmpty == false {
                report.leftBehind.append(.init(path: album.albumName, reason: "the album's description"))
            }
        }
        return titles
    }

    /// Immich's description of an asset; nil, with a report, if it should not be imported.
    private func content(
        of asset: ImmichAsset,
        _ albums: [String: [String]],
        _ report: inout FileUploader.Report
    ) -> SidecarContent? {
        let content = asset.content(albums: (albums[asset.id] ?? []).sorted())
        if let reason = content.exclusion {
            report.leftBehind.append(.init(path: name(of: asset), reason: "\(reason), and is not taken"))
            return nil
        }
        report.leftBehind += content.leftBehind.map { .init(path: name(of: asset), reason: $0) }
        return content
    }

    /// An asset's name for people.
    private func name(of asset: ImmichAsset) -> String {
        asset.originalFileName.map { "\($0) (\(asset.id))" } ?? asset.id
    }

    /// Deletes what is in the folder, and at the end the folder.
    private func clean(isLast: Bool = true) throws {
        guard try fileSystem.status(folder) != nil else { return }
        for name in try fileSystem.list(folder) { try fileSystem.unlink(folder.appending(name)) }
        if isLast { try fileSystem.removeDirectory(folder) }
    }
}
