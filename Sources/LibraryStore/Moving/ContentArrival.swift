import LibraryAPI
import Persistence
import PhotoModel
import Synchronization

/// Receives the originals of an arriving library; what an earlier attempt received is found and not copied again.
protocol ContentArrival: Sendable {
    /// The address of a content once it has arrived.
    func address(of row: ContentRow) -> ContentAddress
    /// Whether a content is already there with its full length.
    func has(_ row: ContentRow) async throws -> Bool
    /// Stores a content, hashed on the way; false if its bytes do not match its digest, or cannot be read.
    func take(_ row: ContentRow, from reader: any ContentReader) async throws -> Bool
    /// Makes received contents durable.
    func settle(_ rows: [ContentRow]) async throws
}

/// Originals arriving in a bucket.
///
/// The copy in a key follows from the arrival and the digest, so that another attempt finds the object, and a later
/// upload of the same bytes never uses its key.
final class BucketArrival: ContentArrival {
    private static let chunkByteCount = 1 << 20

    private let store: ObjectContentStore
    private let arrival: ArrivalID
    /// The lengths of the existing objects, by name.
    private let found: [String: Int64]
    /// The names of contents copied in this attempt.
    private let taken = Mutex<Set<String>>([])

    /// Lists the existing objects, and drops what an earlier attempt did not finish.
    init(_ store: ObjectContentStore, _ arrival: ArrivalID) async throws {
        self.store = store
        self.arrival = arrival
        try await store.discard(try await store.receptions())
        found = try await store.publishedByteCounts()
    }

    func address(of row: ContentRow) -> ContentAddress {
        row.address.withoutCopy.copied(by: upload(of: row).description)
    }

    func has(_ row: ContentRow) async throws -> Bool {
        let name = address(of: row).fileName
        return found[name] == row.byteCount || taken.withLock { $0.contains(name) }
    }

    func take(_ row: ContentRow, from reader: any ContentReader) async throws -> Bool {
        let id = upload(of: row)
        let record = UploadRecord(
            id: id,
            assetID: AssetID(rawValue: id.rawValue),
            resourceID: ResourceID(rawValue: id.rawValue),
            digest: row.address.digest,
            byteCount: row.byteCount,
            durableByteCount: 0,
            isComplete: false,
            touched: WallTime(microsecondsSince1970: 0)
        )
        let reception = try await store.receive(record) { row.address.withoutCopy }
        var offset: Int64 = 0
        while offset < row.byteCount {
            let count = Int(min(Int64(Self.chunkByteCount), row.byteCount - offset))
            // Unreadable bytes are lost at the old place; that is not a failure of this one.
            guard let bytes = try? await reader.read(count, at: offset), !bytes.isEmpty else { break }
            try await reception.append(bytes[...])
            offset += Int64(bytes.count)
        }
        var isWhole = offset == row.byteCount
        if isWhole { isWhole = try await reception.finish(row.address.digest) }
        try await store.discard([id.description])
        if isWhole { taken.withLock { _ = $0.insert(address(of: row).fileName) } }
        return isWhole
    }

    func settle(_ rows: [ContentRow]) async throws {}

    private func upload(of row: ContentRow) -> UploadID {
        let digest = ContentHasher.digest(arrival.bytes + row.address.digest.bytes)
        return UploadID(rawValue: digest.bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) })
    }
}

/// Originals that stay in their bucket.
struct KeptOriginals: ContentArrival {
    private let found: [String: Int64]

    init(_ store: ObjectContentStore) async throws { found = try await store.publishedByteCounts() }

    func address(of row: ContentRow) -> ContentAddress { row.address }

    func has(_ row: ContentRow) async throws -> Bool { found[row.address.fileName] == row.byteCount }

    func take(_ row: ContentRow, from reader: any ContentReader) async throws -> Bool { false }

    func settle(_ rows: [ContentRow]) async throws {}
}
