import LibraryAPI
package import Persistence
package import PhotoModel

/// One resource, open to be read.
package struct OpenResource: Sendable {
    /// What it is.
    package let resource: AssetResource
    /// Where it is.
    package let address: ContentAddress
    let file: any OpenFile
    let blocking: BlockingPool

    /// Reads some of its bytes.
    ///
    /// - Parameters:
    ///   - count: at most so many, a chunk and not the whole.
    ///   - offset: from there.
    /// - Returns: the bytes; fewer only at the end.
    /// - Throws: what the file system says.
    package func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await blocking.run { [file] in try file.read(count, at: offset) }
    }
}

extension LibraryStore {
    /// Opens a resource of an asset in the caller's view.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - asset: the asset.
    ///   - view: what the caller may see.
    /// - Returns: the open resource; its length has been compared with what was promised.
    /// - Throws: `notFound`; `storageDamaged` when the bytes are missing or cut: they are never served as good.
    package func open(_ resource: ResourceID, of asset: AssetID, in view: LibraryView) async throws -> OpenResource {
        guard let found = try await metadata.asset(asset, in: view) else {
            throw StoreError.notFound(resource.description)
        }
        return try await open(resource, of: found)
    }

    /// Opens a resource of an asset that was found in the caller's view.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - asset: the asset.
    /// - Returns: the open resource; its length has been compared with what was promised.
    /// - Throws: `notFound`; `storageDamaged` when the bytes are missing or cut: they are never served as good.
    package func open(_ resource: ResourceID, of asset: Asset) async throws -> OpenResource {
        guard let found = asset.resources.first(where: { $0.id == resource }) else {
            throw StoreError.notFound(resource.description)
        }
        guard let row = try await metadata.content(found.digest) else {
            throw Self.damaged(found, cause: nil)
        }
        let content = content
        do {
            let file = try await blocking.run {
                let file = try content.open(row.address)
                guard try file.byteCount() == found.byteCount else { throw Self.damaged(found, cause: nil) }
                return file
            }
            return OpenResource(resource: found, address: row.address, file: file, blocking: blocking)
        } catch let error as PersistenceError where error.code == .notFound {
            throw Self.damaged(found, cause: error)
        }
    }

    private static func damaged(_ resource: AssetResource, cause: (any Error)?) -> StoreError {
        StoreError(
            .storageDamaged,
            "The bytes of this resource are missing or cut: run the library's verification.",
            about: resource.digest.description,
            cause: cause
        )
    }
}
