import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel

/// Keeps a folder in sync with the library by following the change feed from its last position.
///
/// A page of changes is written before its token: an interrupted run repeats its last page, which changes nothing.
/// An enumeration starts over if it is interrupted: which assets it has met so far is not kept.
///
/// An asset keeps its files' first names. Files of assets that leave the library, or no longer match the options, and
/// files that an asset no longer has stay unless deletion was requested; then those that the mirror wrote and nobody
/// changed are deleted.
struct ExportFollower {
    /// How long the library may wait for a change before it responds.
    private static let waitSeconds = min(50, APILimits.changeWaitSeconds)

    private let client: LibraryClient
    private let exporter: Exporter
    private let folder: Path
    private let fileSystem: any FileSystem
    private let options: FetchOptions
    private let deletes: Bool
    private let write: (Asset, ExportNames, Exporter) async throws -> Void
    private var names: ExportNames
    private var position: ExportPosition
    /// The assets of an enumeration so far; nil while following the feed.
    private var seen: Set<AssetID>?

    /// A follower of a library.
    ///
    /// - Parameters:
    ///   - client: the library.
    ///   - exporter: writes into the folder.
    ///   - folder: the mirror.
    ///   - options: which assets it has.
    ///   - deletes: whether files are deleted with their assets; `write` deletes those that an asset no longer has.
    ///   - fileSystem: the folder's file system.
    ///   - write: writes one asset.
    /// - Throws: if the library or the folder fails.
    init(
        _ client: LibraryClient,
        _ exporter: Exporter,
        into folder: Path,
        _ options: FetchOptions,
        deletes: Bool,
        in fileSystem: any FileSystem,
        write: @escaping (Asset, ExportNames, Exporter) async throws -> Void
    ) async throws {
        self.client = client
        self.exporter = exporter
        self.folder = folder
        self.options = options
        self.deletes = deletes
        self.fileSystem = fileSystem
        self.write = write
        names = try await ExportNames(client)
        position = try ExportPosition(of: folder, options, in: fileSystem)
        seen = position.token == nil ? [] : nil
    }

    /// Brings the folder up to date.
    ///
    /// - Parameter waits: whether to long-poll until something changes.
    /// - Throws: if the library or the folder fails; failures of single files are in the exporter's report, and are
    ///   retried the next time.
    mutating func catchUp(waits: Bool) async throws {
        try await retry()
        var waitSeconds = waits && seen == nil ? Self.waitSeconds : 0
        while true {
            guard let page = try await page(waitSeconds) else {
                // More has changed than the library remembers: everything is examined again.
                position.token = nil
                seen = []
                continue
            }
            for change in page.changes { try await take(change) }
            position.token = page.end.token
            if !page.end.hasMore, let met = seen {
                for asset in exporter.assets where !met.contains(asset) { try remove(asset) }
                seen = nil
            }
            var durable = position
            if seen != nil { durable.token = nil }
            try durable.save(in: folder, fileSystem)
            guard page.end.hasMore else { return }
            waitSeconds = 0
        }
    }

    /// The next changes; nil if the library cannot continue from the token.
    private func page(_ waitSeconds: Int) async throws -> ChangeFeedPage? {
        let token = position.token
        do throws(LibraryClientError) {
            return try await client.changes(since: token, waitSeconds: waitSeconds)
        } catch {
            guard token != nil, error.problem?.code == .tokenExpired else { throw error }
            return nil
        }
    }

    private mutating func take(_ change: EntityChange) async throws {
        switch change.entity {
        case .asset(let id):
            seen?.insert(id)
            guard change.kind != .removed, let asset = change.asset else { return try remove(id) }
            try await take(asset)
        case .album: names = try await ExportNames(client)
        case .membership(_, let id):
            // An enumeration contains the asset itself, with its albums.
            guard seen == nil, let asset = try await asset(id) else { return }
            try await take(asset)
        }
    }

    private mutating func take(_ asset: Asset) async throws {
        guard options.includes(asset) else { return try remove(asset.id) }
        let failures = exporter.report.failed.count
        try await write(asset, names, exporter)
        if exporter.report.failed.count > failures {
            position.pending.insert(asset.id)
        } else {
            position.pending.remove(asset.id)
        }
    }

    /// Retries assets that could not be written.
    private mutating func retry() async throws {
        for id in position.pending.sorted() {
            guard let asset = try await asset(id) else {
                position.pending.remove(id)
                continue
            }
            try await take(asset)
        }
    }

    private mutating func remove(_ asset: AssetID) throws {
        position.pending.remove(asset)
        if deletes { try exporter.remove(asset) }
    }

    /// An asset's current state; nil if it is gone.
    private func asset(_ id: AssetID) async throws -> Asset? {
        do throws(LibraryClientError) {
            return try await client.asset(id)
        } catch  where error.problem?.status == 404 {
            return nil
        }
    }
}
