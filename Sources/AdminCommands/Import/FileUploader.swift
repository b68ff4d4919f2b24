import LibraryAPI
import LibraryClient
import MediaFiles
import Persistence
import PhotoModel

/// Brings files into the library as an operator: described, sent in parts, committed against a receipt.
///
/// There is no queue: what was sent stays at the server for days, the files stay where they are, and asking for the same
/// asset again gives its uploads with their offsets. A second run therefore goes on where the first was ended.
struct FileUploader {
    /// What an import did.
    struct Report: Hashable, Encodable {
        /// A file that could not be taken.
        struct Failure: Hashable, Encodable {
            let path: String
            let reason: String
        }

        /// Assets that are new in the library.
        var added = 0
        /// Their bytes.
        var addedBytes: Int64 = 0
        /// Assets that the library had.
        var known = 0
        /// Files that are no media.
        var skipped = 0
        /// Files that could not be taken.
        var failed: [Failure] = []
    }

    /// What is read, hashed and sent at once; also what is lost when the line breaks.
    private static let partByteCount = 8 << 20

    let client: LibraryClient
    let fileSystem: any FileSystem
    let album: DesiredAlbum?

    /// Brings one group of files in.
    ///
    /// - Parameters:
    ///   - group: the files of one asset.
    ///   - report: what was done so far.
    /// - Throws: when the library cannot be used any more; what is wrong with one file is reported.
    func take(_ group: MediaCollection.Group, _ report: inout Report) async throws {
        do {
            let asset = try ImportableAsset(group, album: album, in: fileSystem)
            let answer = try await client.createAsset(asset.manifest)
            if answer.receipt != nil {
                report.known += 1
                return
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
        } catch let error as PersistenceError {
            report.failed.append(.init(path: group.primary.file.displayPath, reason: "\(error)"))
        } catch let error as LibraryClientError where error.isAboutTheAsset {
            report.failed.append(.init(path: group.primary.file.displayPath, reason: error.message))
        }
    }

    private func send(_ part: ImportableAsset.Part, _ status: UploadStatus) async throws {
        let read = try reader(part)
        var offset = status.offset
        repeat {
            let count = Int(min(Int64(Self.partByteCount), part.resource.byteCount - offset))
            let bytes = try read(count, offset)
            guard bytes.count == count else {
                throw PersistenceError(.damaged, "read", "\(part.resource.id)", "the file became shorter")
            }
            let position = try await client.append(
                to: status.id,
                at: offset,
                BodySource(bytes),
                isLast: offset + Int64(count) == part.resource.byteCount,
                digest: ContentHasher.digest(bytes)
            )
            offset = position.offset
        } while offset < part.resource.byteCount
    }

    private func reader(_ part: ImportableAsset.Part) throws -> (Int, Int64) throws -> [UInt8] {
        switch part.content {
        case .bytes(let bytes):
            return { count, offset in Array(bytes[Int(offset)...].prefix(count)) }
        case .file(let path):
            let file = try fileSystem.open(path, .read)
            return { count, offset in try file.read(count, at: offset) }
        }
    }

    /// Only a receipt that names every file's digest says that the library has them.
    private static func check(_ receipt: Receipt, _ asset: ImportableAsset) throws {
        let named = Set(receipt.resources.map(\.digest))
        guard asset.parts.allSatisfy({ named.contains($0.resource.digest) }) else {
            throw AdminError("The receipt of \(receipt.assetID) does not name every file.", next: "keep the files")
        }
    }
}

extension LibraryClientError {
    /// Whether the refusal is about this asset, so that the next one may still be taken.
    fileprivate var isAboutTheAsset: Bool {
        guard let status = problem?.status else { return false }
        return [400, 404, 409, 410, 413, 415, 422].contains(status)
    }
}
