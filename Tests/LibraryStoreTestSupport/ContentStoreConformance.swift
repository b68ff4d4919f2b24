package import LibraryAPI
package import LibraryStore
package import Persistence
import PhotoModel
import Testing

/// The contract of the content port: every implementation passes each of these, over new and empty stores.
package struct ContentStoreConformance: Sendable {
    /// One promise of the port.
    package struct Promise: Sendable, CustomTestStringConvertible {
        /// What is promised.
        package let name: String
        /// Holds a store to it.
        package let check: @Sendable (ContentStoreConformance) async throws -> Void

        /// The promise.
        package var testDescription: String { name }
    }

    /// Opens the store that is tested, each time as another process finds it.
    let open: @Sendable () async throws -> any ContentStore

    /// A suite over one store, new and empty.
    ///
    /// - Parameter open: opens the store; called again, it gives another handle on the same bytes.
    package init(_ open: @escaping @Sendable () async throws -> any ContentStore) { self.open = open }

    /// Every promise.
    package static var promises: [Promise] { receiving + publishing + batches }
}

extension UploadID {
    /// An upload of a test.
    package static let a = UploadID(rawValue: 0xA)
    /// Another.
    package static let b = UploadID(rawValue: 0xB)
    static let c = UploadID(rawValue: 0xC)
}

extension ContentStore {
    /// Takes an upload up, for bytes that are to come.
    package func reception(
        of upload: UploadID,
        for bytes: [UInt8],
        durableByteCount: Int64 = 0,
        address: ContentAddress? = nil
    ) async throws -> any ContentReception {
        let address = address ?? ContentAddress(ContentHasher.digest(bytes), contentType: "image/png")
        let record = UploadRecord(
            id: upload,
            assetID: AssetID(rawValue: 1),
            resourceID: ResourceID(rawValue: 1),
            digest: address.digest,
            byteCount: Int64(bytes.count),
            durableByteCount: durableByteCount,
            isComplete: false,
            touched: WallTime(microsecondsSince1970: 0)
        )
        return try await receive(record) { address }
    }

    /// Receives an upload as a whole, to be published.
    package func received(
        _ bytes: [UInt8],
        as upload: UploadID,
        for address: ContentAddress? = nil
    ) async throws -> Publication {
        let address = address ?? ContentAddress(ContentHasher.digest(bytes), contentType: "image/png")
        let reception = try await reception(of: upload, for: bytes, address: address)
        try await reception.append(bytes[...])
        #expect(try await reception.finish(ContentHasher.digest(bytes)))
        return Publication(.upload(upload.description), address: address, byteCount: Int64(bytes.count))
    }

    /// Publishes, and gives the places.
    func placed(_ publications: [Publication]) async throws -> [ContentAddress] {
        try await publish(publications).map { try $0.get() }
    }

    /// Receives and publishes an upload; gives its place.
    package func save(
        _ bytes: [UInt8],
        as upload: UploadID,
        for address: ContentAddress? = nil
    ) async throws -> ContentAddress {
        let place = try await placed([try await received(bytes, as: upload, for: address)])[0]
        try await discard([upload.description])
        return place
    }

    /// A durable batch with these contents.
    package func receivedBatch(
        _ contents: [[UInt8]]
    ) async throws -> (batch: any BatchReception, publications: [Publication]) {
        let batch = try await receiveBatch(UploadID.b.description)
        for bytes in contents {
            let address = ContentAddress(ContentHasher.digest(bytes), contentType: "image/png")
            try await batch.take([.begin(address, byteCount: Int64(bytes.count)), .bytes(bytes), .end])
        }
        let held = try await batch.finish()
        #expect(!held.contains { !$0.isWhole })
        return (batch, held.map(\.publication))
    }

    /// What a reader gets.
    func bytes(at address: ContentAddress) async throws -> [UInt8] {
        let reader = try await open(address)
        return try await reader.read(Int(reader.byteCount), at: 0)
    }

    /// What is there in its final place.
    func visited() async throws -> Set<ContentAddress> {
        var addresses: Set<ContentAddress> = []
        try await visit { page in addresses.formUnion(page.compactMap(\.address)) }
        return addresses
    }
}
