package import MediaFiles
package import Persistence
package import PhotoModel

/// Imports the assets of an Immich server.
package protocol ImmichReceiver {
    /// Makes room for this many bytes of a file that is being fetched, or throws what ends the import.
    var makeRoom: @Sendable (Int64) throws -> Void { get }
    /// Records assets that are skipped, or imported in part.
    mutating func leaveBehind(_ remark: MediaCollection.Remark)
    /// Records an asset that could not be imported.
    mutating func fail(_ remark: MediaCollection.Remark)
    /// Whether an asset imported earlier is still there; if so, it is added to the albums.
    ///
    /// - Throws: errors that end the import.
    mutating func has(_ asset: AssetID, in albums: [String]) async throws -> Bool
    /// Imports the files of one asset, which are deleted afterwards.
    ///
    /// - Returns: the imported asset; nil if it could not be imported, which was recorded.
    /// - Throws: errors that end the import; `PersistenceError` if only this asset failed.
    mutating func take(_ group: MediaCollection.Group) async throws -> AssetID?
}

extension ImmichReceiver {
    /// Takes what the file system has.
    package var makeRoom: @Sendable (Int64) throws -> Void { { _ in } }
}

/// An Immich server's library: assets are fetched one by one into their own folder, passed on, and deleted again.
package struct ImmichLibrary {
    /// An asset to import.
    package struct Item {
        let asset: ImmichAsset
        /// Its name, for people.
        package let name: String
        /// What Immich says about it, with the titles of its albums.
        package let content: SidecarContent
        /// `image`, `video` or `live photo`.
        package var kind: String { isLivePhoto ? "live photo" : asset.type.lowercased() }
        /// Whether a movie belongs to it.
        package var isLivePhoto: Bool { asset.livePhotoVideoID != nil }
    }

    private let server: ImmichServer
    private let ledger: ImmichLedger
    private let folder: Path
    private let fileSystem: any FileSystem

    /// The library of a server, imported through a folder that holds the files of one asset at a time; it is created,
    /// and deleted at the end.
    package init(_ server: ImmichServer, _ ledger: ImmichLedger, through folder: Path, in fileSystem: any FileSystem) {
        self.server = server
        self.ledger = ledger
        self.folder = folder
        self.fileSystem = fileSystem
    }

    /// Calls back with every asset to import, and reports the others.
    ///
    /// - Throws: if Immich fails, and what the body throws.
    package func items<Receiver: ImmichReceiver>(
        _ receiver: inout Receiver,
        _ body: (Item, inout Receiver) async throws -> Void
    ) async throws {
        let albums = try await albums(&receiver)
        try await server.assets { page in
            for asset in page where !asset.isPart {
                let name = asset.originalFileName.map { "\($0) (\(asset.id))" } ?? asset.id
                let content = asset.content(albums: Set(albums[asset.id] ?? []).sorted())
                if let reason = content.exclusion {
                    receiver.leaveBehind(.init(path: name, reason: "\(reason), and is not taken"))
                    continue
                }
                for reason in content.leftBehind { receiver.leaveBehind(.init(path: name, reason: reason)) }
                try await body(Item(asset: asset, name: name, content: content), &receiver)
            }
        }
    }

    /// Whether an asset was imported earlier, and is still there.
    package func isKnown(_ item: Item, by receiver: inout some ImmichReceiver) async throws -> Bool {
        guard let known = ledger[item.asset] else { return false }
        return try await receiver.has(known, in: item.content.validAlbums)
    }

    /// Imports everything.
    ///
    /// - Throws: if Immich or the receiver fails; failures of one asset are reported.
    package func send(to receiver: inout some ImmichReceiver) async throws {
        // Another import from Immich would fetch into the same folder.
        let lock = try fileSystem.lock(folder.parent.appending("immich.lock"))
        defer { lock.release() }
        try clean()
        // Also after a failure, since the fetched files are not encrypted.
        defer { try? clean() }
        try fileSystem.createDirectories(folder)
        try await items(&receiver) { item, receiver in
            do {
                if try await isKnown(item, by: &receiver) { return }
                try await send(item, to: &receiver)
            } catch let error as PersistenceError where error.code != .noSpace {
                receiver.fail(.init(path: item.name, reason: error.message))
            }
            try clean(isLast: false)
        }
    }

    private func send(_ item: Item, to receiver: inout some ImmichReceiver) async throws {
        let makeRoom = receiver.makeRoom
        let still = try await fetch(item.asset, makeRoom)
        var movie: Path?
        if let id = item.asset.livePhotoVideoID { movie = try await fetch(try await server.asset(id), makeRoom) }
        let group = try MediaCollection.Group(
            still,
            movie: movie,
            described: item.content,
            at: item.name,
            in: fileSystem
        )
        guard let group else {
            return receiver.fail(.init(path: item.name, reason: "it is not a photo or movie of a known kind"))
        }
        if let taken = try await receiver.take(group) { try ledger.add(item.asset, taken) }
    }

    private func fetch(
        _ asset: ImmichAsset,
        _ makeRoom: @escaping @Sendable (Int64) throws -> Void
    ) async throws -> Path {
        let path = folder.appending("asset-\(ContentHasher.digest(asset.id.utf8))")
        try await server.download(asset, to: path, in: fileSystem, makeRoom: makeRoom)
        return path
    }

    /// The titles of the albums that assets are in, by Immich's identifiers.
    private func albums(_ receiver: inout some ImmichReceiver) async throws -> [String: [String]] {
        var titles: [String: [String]] = [:]
        for album in try await server.albums() {
            for member in try await server.members(of: album) { titles[member, default: []].append(album.albumName) }
            if album.description?.isEmpty == false {
                receiver.leaveBehind(.init(path: album.albumName, reason: "the album's description"))
            }
        }
        return titles
    }

    /// Empties the folder, and at the end deletes it.
    private func clean(isLast: Bool = true) throws {
        guard try fileSystem.status(folder) != nil else { return }
        for name in try fileSystem.list(folder) { try fileSystem.unlink(folder.appending(name)) }
        if isLast { try fileSystem.removeDirectory(folder) }
    }
}
