import LibraryAPI
import LibraryClient
import MediaFiles
import Persistence
import PhotoModel
import Terminal

/// Imports files into the library as an operator: described, uploaded in parts, committed against a receipt.
///
/// There is no queue: sent bytes stay at the server for days, the files stay where they are, and requesting the same
/// asset again returns its uploads with their offsets. A second run therefore continues where the first ended.
struct FileUploader {
    /// The result of an import.
    struct Report: Hashable, Encodable {
        typealias Remark = MediaCollection.Remark

        /// Assets that are new in the library.
        var added = 0
        /// Their bytes.
        var addedBytes: Int64 = 0
        /// Assets that the library already had.
        var known = 0
        /// Files that are not media.
        var skipped = 0
        /// Files that could not be imported.
        var failed: [Remark] = []
        /// Movies and raw files that came after their photo was imported, and are assets of their own.
        var separate: [Remark] = []
        /// Sidecars with new texts for a photo that the library already has, which were not applied.
        var late: [Remark] = []
        /// Truncated files that were imported anyway.
        var damaged: [Remark] = []
        /// Unreadable sidecars beside their photo: empty, too long, or not XMP.
        var unreadable: [Remark] = []
        /// Orphan sidecars: without a photo or movie of their name.
        var orphans: [Remark] = []
        /// Texts of an export that a library has no field for, and files that it excludes.
        var leftBehind: [Remark] = []
        /// Links below the folders, which were not followed.
        var links = 0
        /// FIFOs, sockets and devices below the folders, which were not opened.
        var specialFiles = 0

        /// Nothing yet.
        init() {}

        /// Remarks on files before any is sent.
        init(_ collection: MediaCollection) {
            skipped = collection.skipped
            failed = collection.failed
            damaged = collection.damaged
            unreadable = collection.unreadable
            orphans = collection.orphans
            leftBehind = collection.leftBehind
            links = collection.linkCount
            specialFiles = collection.specialCount
        }
    }

    /// The bytes read, hashed and sent at once; also the most lost to an interruption.
    private static let partByteCount = 8 << 20
    /// The answers without all bytes that were sent after which a file fails.
    private static let shortAnswerCount = 3

    let client: LibraryClient
    let fileSystem: any FileSystem
    let album: DesiredAlbum?
    /// Whether assets join the albums of their source.
    let keepsAlbums: Bool
    /// Whether assets join an album named after their folder.
    let makesAlbumsOfFolders: Bool
    private var filer: AlbumFiler

    init(
        client: LibraryClient,
        fileSystem: any FileSystem,
        album: DesiredAlbum? = nil,
        keepsAlbums: Bool = true,
        makesAlbumsOfFolders: Bool = false
    ) {
        self.client = client
        self.fileSystem = fileSystem
        self.album = album
        self.keepsAlbums = keepsAlbums
        self.makesAlbumsOfFolders = makesAlbumsOfFolders
        filer = AlbumFiler(client)
    }

    /// Imports the files of one asset; nil if that failed, which is then in the report.
    @discardableResult
    mutating func take(_ group: MediaCollection.Group, _ report: inout Report) async throws -> AssetID? {
        guard let asset = try await take(group, primaryDigest: nil, remark: nil, &report) else { return nil }
        try await filer.file(asset, in: albums(of: group), &report.leftBehind)
        return asset
    }

    /// Puts an existing asset into albums, if albums are kept.
    mutating func file(_ asset: AssetID, in titles: [String], _ report: inout Report) async throws {
        try await filer.file(asset, in: keepsAlbums ? titles : [], &report.leftBehind)
    }

    /// Completes deferred work; call it once everything was imported.
    mutating func finish(_ report: inout Report) async throws { try await filer.finish(&report.leftBehind) }

    /// The titles of a group's albums, beside the one for all.
    private func albums(of group: MediaCollection.Group) -> [String] {
        var titles = keepsAlbums ? group.albums : []
        if makesAlbumsOfFolders, let folder = group.folder {
            var title = folder.displayText[...]
            while title.utf8.count > Album.maximumTitleByteCount { title.removeLast() }
            titles.append(String(title))
        }
        return Set(titles).sorted()
    }

    /// Imports one group of files, with remarks if it is new; nil if it could not be imported.
    private func take(
        _ group: MediaCollection.Group,
        primaryDigest: ContentDigest?,
        remark: Report.Remark?,
        _ report: inout Report
    ) async throws -> AssetID? {
        do {
            let asset = try ImportableAsset(group, primaryDigest: primaryDigest, album: album, in: fileSystem)
            report.unreadable += [asset.unreadable].compactMap(\.self)
            let answer = try await client.createAsset(asset.manifest)
            if let receipt = answer.receipt?.receipt {
                report.known += 1
                try await takeLatecomers(of: group, asset, receipt, &report)
                return asset.manifest.id
            }
            for (part, status) in zip(asset.parts, answer.uploads) where !status.isComplete {
                try await send(part, status)
            }
            let receipt = try await client.commit(asset.manifest.id).receipt.receipt
            try Self.check(receipt, asset)
            if let date = asset.captureDateOverride {
                var edit = AssetEdit()
                edit.captureDateOverride = date
                try await client.edit(asset.manifest.id, edit)
            }
            report.added += 1
            report.addedBytes += asset.parts.reduce(0) { $0 + $1.resource.byteCount }
            if let remark { report.separate.append(remark) }
            return asset.manifest.id
        } catch let error as PersistenceError {
            report.failed.append(.init(path: group.primary.file.displayPath, reason: "\(error)"))
        } catch let error as LibraryClientError where error.isAboutTheAsset {
            report.failed.append(.init(path: group.primary.file.displayPath, reason: error.message))
        }
        return nil
    }

    /// Looks at the files beside a photo that the library has: standalone ones are imported, others reported.
    private func takeLatecomers(
        of group: MediaCollection.Group,
        _ asset: ImportableAsset,
        _ receipt: Receipt,
        _ report: inout Report
    ) async throws {
        let named = Set(receipt.resources.map(\.digest))
        let isWhole = asset.parts.allSatisfy { named.contains($0.resource.digest) }
        guard !isWhole || group.sidecar != nil else { return }
        let taken = try await takenAsset(asset.manifest.id)
        let latecomers = (taken ?? TakenAsset(receipt)).latecomers(of: group, as: asset)
        // A purged photo's sidecars concern nobody; a movie or raw file is still an asset.
        if taken != nil { report.late += latecomers.sidecars }
        for partner in latecomers.partners {
            _ = try await take(
                group.alone(partner.file),
                primaryDigest: partner.digest,
                remark: partner.remark,
                &report
            )
        }
    }

    /// The library's description of an asset; nil if it was purged.
    private func takenAsset(_ asset: AssetID) async throws -> TakenAsset? {
        do throws(LibraryClientError) {
            return TakenAsset(try await client.asset(asset))
        } catch  where error.problem?.status == 404 {
            return nil
        }
    }

    private func send(_ part: ImportableAsset.Part, _ status: UploadStatus) async throws {
        let read = try reader(part)
        var offset = status.offset
        var shortAnswers = 0
        repeat {
            guard 0...part.resource.byteCount ~= offset else {
                throw Self.damaged(part, "the library reports more bytes than the file has")
            }
            let count = Int(min(Int64(Self.partByteCount), part.resource.byteCount - offset))
            let bytes = try read(count, offset)
            guard bytes.count == count else {
                throw PersistenceError(.damaged, "read", "\(part.resource.id)", "the file was truncated")
            }
            let position = try await client.append(
                to: status.id,
                at: offset,
                BodySource(bytes),
                isLast: offset + Int64(count) == part.resource.byteCount,
                digest: ContentHasher.digest(bytes)
            )
            if position.offset < offset + Int64(count) { shortAnswers += 1 }
            guard shortAnswers < Self.shortAnswerCount else {
                throw Self.damaged(part, "the library does not take the bytes that it is sent")
            }
            offset = position.offset
        } while offset < part.resource.byteCount
    }

    private static func damaged(_ part: ImportableAsset.Part, _ reason: String) -> PersistenceError {
        PersistenceError(.damaged, "upload", "\(part.resource.id)", reason)
    }

    private func reader(_ part: ImportableAsset.Part) throws -> (Int, Int64) throws -> [UInt8] {
        switch part.content {
        case .bytes(let bytes): return { count, offset in Array(bytes[Int(offset)...].prefix(count)) }
        case .file(let path):
            let file = try fileSystem.open(path, .read)
            return { count, offset in try file.read(count, at: offset) }
        }
    }

    /// Only a receipt with every file's digest proves that the library has them.
    private static func check(_ receipt: Receipt, _ asset: ImportableAsset) throws {
        let named = Set(receipt.resources.map(\.digest))
        guard asset.parts.allSatisfy({ named.contains($0.resource.digest) }) else {
            throw AdminError("The receipt for \(receipt.assetID) does not name every file.", next: "keep the files")
        }
    }
}

extension LibraryClientError {
    /// Whether the refusal concerns only this asset, so that the next one can still be imported.
    fileprivate var isAboutTheAsset: Bool {
        guard let status = problem?.status else { return false }
        return [400, 404, 409, 410, 413, 415, 422].contains(status)
    }
}
