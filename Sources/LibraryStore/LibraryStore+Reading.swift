import LibraryAPI
import Persistence
package import PhotoModel

extension LibraryStore {
    /// Opens a resource of an asset in the caller's view.
    ///
    /// - Returns: the open resource, whose length matches its row.
    /// - Throws: `notFound`; `storageDamaged` if the bytes are missing or truncated: they are never served as good.
    package func open(_ resource: ResourceID, of asset: AssetID, in view: LibraryView) async throws -> OpenResource {
        try await open(resource, of: metadata.asset(asset, in: view).orNotFound(resource))
    }

    /// Opens a resource of an asset that was found in the caller's view.
    ///
    /// - Returns: the open resource, whose length matches its row.
    /// - Throws: `notFound`; `storageDamaged` if the bytes are missing or truncated: they are never served as good.
    package func open(_ resource: ResourceID, of asset: Asset) async throws -> OpenResource {
        let found = try asset.resources.first { $0.id == resource }.orNotFound(resource)
        guard let row = try await metadata.content(found.digest) else { throw Self.damaged(found, cause: nil) }
        do {
            let reader = try await content.open(row.address)
            guard reader.byteCount == found.byteCount else { throw Self.damaged(found, cause: nil) }
            return OpenResource(resource: found, address: row.address, reader: reader)
        } catch let error as PersistenceError where error.code == .notFound {
            throw Self.damaged(found, cause: error)
        }
    }

    private static func damaged(_ resource: AssetResource, cause: (any Error)?) -> StoreError {
        StoreError(
            .storageDamaged,
            "The bytes of this resource are missing or truncated: run the library's verification.",
            about: resource.digest.description,
            cause: cause
        )
    }
}
